"""A link that leads back to itself is no place to write, and nothing to read: one sentence."""

from pathlib import Path

import pytest
from cli_world import Refuse, World, fit_words

from isogloss.encode.source import find_directory
from isogloss.errors import InputError
from isogloss.storage.files import resolved

SAID = "a link on this path leads back to itself; remove it, or name another path"


@pytest.fixture
def loop(tmp_path: Path) -> Path:
    loop = tmp_path / "loop"
    loop.symlink_to(loop)
    return loop


def _commands(world: World, place: Path, new: Path) -> dict[str, list[object]]:
    labelled, dump = f"en={world.train}", "no.bz2"
    return {
        "fit": fit_words(world, place),
        "cache": [*fit_words(world, new), "--cache", place],
        "checkpoints": [*fit_words(world, new), "--tune", "full", "--checkpoints", place],
        "adapt": ["classify", "adapt", world.model, world.japanese, "--lang", "ja", "--out", place],
        "report": ["classify", "evaluate", world.model, "--test", labelled, "--report", place],
        "compare": ["classify", "compare", "--train", labelled, "--test", f"ja={world.japanese}",
                    "--kb", world.kb, "--out", place],
        "encode": ["encode", world.japanese, "--out", place],
        "kb": ["kb", "build", "--source", f"names:{world.names}", "--out", place],
        "work": ["kb", "build", "--source", f"wikipedia:ja={dump}", "--out", new, "--work", place],
        "source": ["kb", "build", "--source", f"names:{place}", "--out", new],
        "vectors": ["vectors", "train", "--source", f"wikipedia:ja={dump}", "--out", place],
        "static": ["probe", "geometry", "--text", labelled, "--static", place],
    }  # fmt: skip


@pytest.mark.parametrize("below", ["", "below"])
@pytest.mark.parametrize(
    "command",
    ["fit", "cache", "checkpoints", "adapt", "report", "compare", "encode", "kb", "work", "source",
     "vectors", "static"],
)  # fmt: skip
def test_a_place(refuse: Refuse, world: World, loop: Path, command: str, below: str) -> None:
    if command == "encode":  # whose --out ends so
        loop = loop.rename(loop.with_suffix(".npy"))
        loop.unlink()
        loop.symlink_to(loop)
    place = loop / below / "x.npy" if below else loop
    said = refuse(*_commands(world, place, loop.parent / "new")[command])
    assert said == f"isogloss: {place}: {SAID}"


def test_what_is_read(refuse: Refuse, world: World, loop: Path) -> None:
    fit = ["classify", "fit", "--out", loop.parent / "m", "--train"]
    assert "back to itself" in refuse(*fit, f"en={loop}")
    assert "leads nowhere" in refuse(*fit, f"en={world.train}", "--encoder", loop)
    assert str(loop) in refuse("classify", "predict", world.model, loop, "--lang", "en")
    assert str(loop) in refuse("classify", "predict", loop, world.train, "--lang", "en")
    assert str(loop) in refuse("kb", "info", loop)


def test_the_home_of_nobody() -> None:
    with pytest.raises(InputError, match="no such user"):
        find_directory("~nobody-of-this-name/encoder")


def test_a_path_without_links(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    assert resolved(tmp_path / "link" / "new") == resolved(tmp_path) / "folder" / "new"
