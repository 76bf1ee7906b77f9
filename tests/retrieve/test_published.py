"""Published figures stand beside measured ones, and none that was not checked."""

import csv
import json
import sys
from collections.abc import Iterator
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from repository import ROOT

from isogloss.retrieve.benchmarks import XTREME, evaluate_bucc, evaluate_tatoeba
from isogloss.retrieve.published import (
    LASER_LABSE,
    SEEN,
    column,
    languages_of_the_papers,
    sources,
    unseen,
)

TABLE = ROOT / "../shared/formats/published.csv"
LABSE, E5 = column("LaBSE"), column("multilingual-e5-small")


def packaged() -> dict[str, Any]:
    return dict(json.loads((resources.files("isogloss.retrieve") / "published.json").read_bytes()))


@pytest.fixture
def script() -> Iterator[Any]:
    sys.path.insert(0, str(ROOT / "benchmarks"))
    import published_figures

    yield published_figures
    sys.path.remove(str(ROOT / "benchmarks"))


def folder_of(folder: Path, langs: list[str]) -> Path:
    """Write two sentences for each language; the first word tells whether they are found."""
    folder.mkdir()
    for lang in langs:
        (folder / f"tatoeba.{lang}-eng.{lang}").write_text("a\nb\n")
        (folder / f"tatoeba.{lang}-eng.eng").write_text("a\nb\n" if lang < "m" else "b\na\n")
    return folder


def vectors(texts: list[str]) -> np.ndarray:
    return np.eye(2, dtype=np.float32)[[int(text == "b") for text in texts]]


def test_figures_stand_beside_the_languages_and_means_that_have_them(tmp_path: Path) -> None:
    found = evaluate_tatoeba(folder_of(tmp_path / "t", ["deu", "fra", "qqq"]), vectors)
    rows = {row["lang"]: row for row in found.rows}
    values = {one["model"]: one["values"] for one in packaged()["tatoeba"]}
    assert rows["deu"][LABSE] == values["LaBSE"]["deu"]
    assert rows["fra"][E5] == values["multilingual-e5-small"]["fra"]
    assert rows["qqq"][LABSE] is None
    assert found.means[-1]["group"] == "all"
    assert found.means[-1][LABSE] is None  # one language has no figure
    whole = evaluate_tatoeba(folder_of(tmp_path / "x", sorted(XTREME)), vectors).means
    assert [row["group"] for row in whole] == ["XTREME's 36"]
    assert whole[0][LABSE] == pytest.approx(0.9522, abs=5e-5)
    assert whole[0][E5] == pytest.approx(0.8686, abs=5e-5)
    assert "LASER (published, paper)" not in whole[0]


def test_the_112_languages_have_the_means_of_the_papers(tmp_path: Path) -> None:
    langs = sorted(languages_of_the_papers())
    assert len(langs) == 112
    assert set(langs) > XTREME
    means = {
        row["group"]: row
        for row in evaluate_tatoeba(folder_of(tmp_path / "t", langs), vectors).means
    }
    assert set(means) == {"XTREME's 36", LASER_LABSE}
    mean = means[LASER_LABSE]
    assert mean["LASER (published, paper)"] == 0.655
    assert mean["LaBSE (published, paper)"] == 0.837
    assert mean[LABSE] == pytest.approx(0.8350, abs=5e-5)


def test_languages_not_seen_in_training_are_a_group(tmp_path: Path) -> None:
    langs = ["deu", "cmn", "pam", "cbk", "nov", "max"]  # from m on nothing is found
    found = evaluate_tatoeba(folder_of(tmp_path / "t", langs), vectors, seen=["de", "zho"])
    row = found.means[-1]
    assert (row["group"], row["n"]) == ("zero-shot", 4)
    assert row["to_en"] == pytest.approx(1 / 4)
    assert (row["share_75"], row["n_below_25"]) == (1 / 4, 3)
    none = evaluate_tatoeba(folder_of(tmp_path / "d", ["deu"]), vectors, seen=["de"])
    assert [row["group"] for row in none.means] == ["all"]


def test_codes_of_one_language_are_one() -> None:
    assert len(SEEN["bundled"]) == 93  # XLM-R counts seven scripts and spellings more
    assert (
        unseen(["pes", "swh", "tgl", "cmn", "est", "zsm", "lvs", "kur", "nob"], SEEN["bundled"])
        == []
    )
    assert unseen(["pam", "cbk", "yue", "arz"], SEEN["bundled"]) == ["pam", "cbk", "yue", "arz"]
    assert unseen(sorted(XTREME), SEEN["bundled"]) == []


def test_bucc_has_figures_of_the_training_split_alone(tmp_path: Path) -> None:
    for split in ("training", "sample"):
        for side, text in (("fr", "a\tx\n"), ("en", "b\tx\n"), ("gold", "a\tb\n")):
            (tmp_path / f"fr-en.{split}.{side}").write_text(text)
    rows = {
        row["split"]: row
        for row in evaluate_bucc(tmp_path, lambda one, other: ([0], [0], [1.0])).rows
    }
    assert rows["training"]["LASER (margin) (published)"] == 0.9241
    assert rows["sample"]["LASER (margin) (published)"] is None


def test_every_figure_that_is_shown_names_its_source() -> None:
    row = {"lang": "deu", "LaBSE (published)": 0.994, "multilingual-e5-small (published)": None}
    (said,) = sources([row])
    assert said.startswith("LaBSE (published): result files of embeddings-benchmark")
    mean = {"group": "112 languages", "LASER (published, paper)": 0.655}
    assert sources([mean]) == ["LASER (published, paper): Feng et al. 2022, abstract."]
    assert sources([{"spearman": 0.5}]) == []


def test_what_was_not_checked_is_left_out(script: Any) -> None:
    row = {"paper": "p", "model": "LaBSE", "dataset": "Tatoeba", "metric": "accuracy"}
    rows = [
        {**row, "language": "afr", "value": "50", "note": "checked: there"},
        {**row, "language": "deu", "value": "60", "note": "from memory, unverified"},
        {**row, "model": "multilingual-e5-small", "language": "deu", "value": "1",
         "note": "checked: here"},
        {**row, "paper": "feng2022-labse", "language": "36 languages", "value": "95",
         "note": "from memory, unverified"},
        {**row, "model": "LASER", "dataset": "BUCC 2018 train", "language": "de-en", "value": "9",
         "note": "checked: there"},
    ]  # fmt: skip
    made = script.packaged(rows)
    assert made["tatoeba"][0]["values"] == {"afr": 0.5}
    assert made["tatoeba_means"] == []


@pytest.mark.skipif(not TABLE.is_file(), reason="needs the table of published figures")
def test_the_packaged_figures_are_those_of_the_table(script: Any) -> None:
    with TABLE.open(encoding="utf-8", newline="") as file:
        assert script.packaged(csv.DictReader(file)) == packaged()
