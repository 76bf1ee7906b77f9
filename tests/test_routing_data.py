"""The routing set: tags become areas, and no test message stands near a training message."""

import gzip
import runpy
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

LOADER = ROOT / "benchmarks" / "routing_data.py"


@pytest.fixture(scope="module")
def routing() -> dict[str, Any]:
    return runpy.run_path(str(LOADER))


@pytest.mark.parametrize(
    ("tag", "area"),
    [
        ("app:gimp20-script-fu", "graphics"),
        ("app:pidgin@lat", "mail and chat"),
        ("app:nemo", "desktop and files"),
        ("app:unheard-of", None),
        ("wesnoth", None),
    ],
)
def test_a_tag_has_an_area(tag: str, area: str | None, routing: dict[str, Any]) -> None:
    assert routing["area_of"](tag) == area


def _write(path: Path, rows: list[tuple[str, str, str]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines("\t".join(row) + "\n" for row in rows)


def test_near_and_ambiguous_training_messages_are_dropped(
    tmp_path: Path, routing: dict[str, Any]
) -> None:
    tested = [(f"Open the layer number {n} now", f"Öffne {n}", "app:krita") for n in range(60)]
    tested[0] = ("Send the new mail message again", "Sende", "app:kmail")
    _write(tmp_path / "dev" / "de.tsv.gz", tested)
    _write(tmp_path / "dev" / "lo.tsv.gz", tested[:5])  # too few
    _write(tmp_path / "lo.tsv.gz", [])
    _write(
        tmp_path / "de.tsv.gz",
        [
            ("Send the new mail message again, please", "…", "app:kmail"),  # near the first
            ("Count all coins of the year", "…", "app:gnucash"),
            ("Close this window at once", "…", "app:nautilus"),
            ("Close this window at once", "…", "app:vlc"),  # of two areas
        ],
    )
    training, tests = routing["read_routing"](tmp_path)
    assert (training.texts, training.labels) == (["Count all coins of the year"], ["finance"])
    assert list(tests) == ["de"]
    assert len(tests["de"].texts) == 60
    _, filled = routing["read_routing"](tmp_path, n_test=62, with_training_pairs=True)
    assert len(filled["de"].texts) == 62


def test_another_seed_draws_other_training_messages(
    tmp_path: Path, routing: dict[str, Any]
) -> None:
    tested = [(f"Öffne bitte Ebene {n}", f"Öffne {n}", "app:krita") for n in range(60)]
    _write(tmp_path / "dev" / "de.tsv.gz", tested)
    pool = [(f"Coin {chr(97 + n)} of the year", "…", "app:gnucash") for n in range(20)]
    _write(tmp_path / "de.tsv.gz", pool)
    drawn = [routing["read_routing"](tmp_path, n_training=40, seed=seed) for seed in (0, 0, 1)]
    first, again, other = (set(training.texts) for training, _ in drawn)
    assert len(first) == len(other) == 5
    assert first == again != other
    assert drawn[0][1] == drawn[2][1]  # the tests are the same
