"""A file, or standard input, that is named twice, in one option or in two, is refused."""

from pathlib import Path

import pytest
from cli_world import TRAIN, Refuse, Run, World, write_tsv

from isogloss.cli.classify.labelled import read_labelled
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
def test_the_same_file_twice(
    refuse: Refuse, world: World, file: Path, other: str, option: str
) -> None:
    words = [
        "classify",
        "fit",
        "--out",
        "m",
        *(["--train", f"en={world.train}"] if option == "--dev" else []),
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


def test_like_files_are_not_the_same(file: Path) -> None:
    write_tsv(file.parent / "copy.tsv", TRAIN)
    write_tsv(file.parent / "dev.tsv", TRAIN)
    values = {"--train": ["en=t.tsv", "en=copy.tsv"], "--dev": ["en=dev.tsv"]}
    rows = read_labelled(values, format=FileFormat(), lang=None)
    assert [len(some) for some in rows] == [2 * len(TRAIN), len(TRAIN)]


@pytest.mark.parametrize("other", ["en=t.tsv", "ja=link.tsv"])
@pytest.mark.parametrize(
    ("first", "second"), [("--train", "--dev"), ("--train", "--test"), ("--test", "--dev")]
)
def test_the_same_file_in_two_options(
    refuse: Refuse, world: World, file: Path, first: str, second: str, other: str
) -> None:
    train = [] if first == "--train" else ["--train", f"en={world.train}"]
    words = [*train, first, "en=t.tsv", second, other, "--out", "m"]
    name = other.partition("=")[2]
    same = "" if name == "t.tsv" else ", as t.tsv"
    expected = f"isogloss: {name}: {first} and {second} both name this file{same}; "
    if "--test" in words:
        said = refuse("classify", "compare", "--kb", world.kb, *words)
    else:
        said = refuse("classify", "fit", *words)
    assert said == f"{expected}give {second} other texts"


def test_a_model_may_be_scored_on_what_it_learned(cli: Run, world: World) -> None:
    assert cli("classify", "evaluate", world.model, "--test", f"en={world.train}").code == 0


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["fit", "--train", "en=-", "--dev", "en=-", "--out", "m"], "en=- and en=-"),
        (["fit", "--train", "en=-", "--train", "ja=-", "--out", "m"], "en=- and ja=-"),
        (["fit", "--train", "en=-", "--classes", "-", "--out", "m"], "en=- and -"),
        (["fit", "--lang", "en", "--train", "-", "--dev", "-", "--out", "m"], "- and -"),
        (["compare", "--train", "en=-", "--test", "ja=-", "--kb", "KB", "--out", "m"],
         "en=- and ja=-"),
    ],
)  # fmt: skip
def test_standard_input_twice(
    refuse: Refuse, world: World, file: Path, words: list[str], named: str
) -> None:
    given = [world.kb if word == "KB" else word for word in words]
    said = refuse("classify", *given, stdin=b"label\ttext\nsport\tA match.\n")
    assert said == (
        f"isogloss: standard input can be read once, and {named} both name it; name a file for "
        "one of them"
    )


def test_standard_input_twice_to_score(refuse: Refuse, world: World) -> None:
    said = refuse(
        "classify", "evaluate", world.model, "--test", "en=-", "--test", "ja=-", stdin=b""
    )
    assert "standard input can be read once" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["retrieve", "index", "t.tsv", "en=link.tsv"], "FILE names this file twice"),
        (["mine", "pairs", "t.tsv", "link.tsv"], "A and B both name this file"),
        (["align", "fit", "--pairs", "en-de=t.tsv", "--pairs", "de-en=link.tsv"],
         "--pairs names this file twice"),
        (["align", "fit", "--pairs", "en-de=t.tsv", "--dev", "en-de=link.tsv"],
         "--pairs and --dev both name this file"),
        (["align", "pretrain", "--encoder", "bundled", "--text", "en=t.tsv", "--dev",
          "en=link.tsv"], "--text and --dev both name this file"),
        (["align", "tokenizer", "--text", "en=t.tsv", "--text", "de=link.tsv"],
         "--text names this file twice"),
        (["align", "export", "bundled", "--prune-with", "en=t.tsv", "--prune-with",
          "en=link.tsv"], "--prune-with names this file twice"),
    ],
)  # fmt: skip
def test_the_same_file_twice_in_other_groups(
    refuse: Refuse, file: Path, words: list[str], said: str
) -> None:
    assert said in refuse(*words, "--out", "made")
    assert not (file.parent / "made").exists()
