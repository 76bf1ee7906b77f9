"""A file that an option names twice is refused: its texts would count as more data."""

from pathlib import Path

import pytest
from cli_world import TRAIN, Refuse, World, write_tsv

from isogloss.cli.labelled import read_labelled
from isogloss.data.documents import FileFormat


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    file = write_tsv(tmp_path / "t.tsv", TRAIN)
    (tmp_path / "link.tsv").symlink_to(file)
    return file


@pytest.mark.parametrize("other", ["en=t.tsv", "eng=t.tsv", "ja=folder/../t.tsv", "en=link.tsv"])
@pytest.mark.parametrize("option", ["--train", "--dev"])
def test_the_same_file_twice(refuse: Refuse, file: Path, other: str, option: str) -> None:
    words = [
        "classify",
        "fit",
        "--out",
        "m",
        *(["--train", "en=t.tsv"] if option == "--dev" else []),
    ]
    said = refuse(*words, option, f"en={file}", option, other)
    name = other.partition("=")[2]
    assert said == f"isogloss: {name}: {option} names this file twice, as {file}; leave one out"


def test_the_same_words_twice(refuse: Refuse, world: World, file: Path) -> None:
    said = refuse("classify", "evaluate", world.model, "--test", "ja=t.tsv", "--test", "jpn=t.tsv")
    assert said == "isogloss: t.tsv: --test names this file twice; leave one out"
    said = refuse("classify", "compare", "--train", "t.tsv", "--train", "t.tsv", "--lang", "en",
                  "--test", "t.tsv", "--kb", world.kb, "--out", "c")  # fmt: skip
    assert said == "isogloss: t.tsv: --train names this file twice; leave one out"


def test_one_file_may_stand_in_two_options_and_like_ones_in_one(file: Path) -> None:
    write_tsv(file.parent / "copy.tsv", TRAIN)
    values = {"--train": ["en=t.tsv", "en=copy.tsv"], "--dev": ["en=t.tsv"]}
    rows = read_labelled(values, format=FileFormat(), lang=None)
    assert [len(some) for some in rows] == [2 * len(TRAIN), len(TRAIN)]
