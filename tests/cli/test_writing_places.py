"""Where a command writes is looked at first: can it be made there, and is it read too?"""

from pathlib import Path
from typing import Any

import pytest
from cli_world import JAPANESE, TRAIN, Refuse, Run, World, write_file, write_tsv

from isogloss.classify.saving import load as saving
from isogloss.cli import main
from isogloss.encode import Encoder

# Of each command that writes, by its option: all that it reads is missing, and would be said.
FIT = ["--train", "en=no.tsv"]
WORDS: dict[tuple[str, str], list[str]] = {
    ("align export", "--out"): ["./no", "--prune-with", "en=no.tsv"],
    ("align fit", "--out"): ["--pairs", "en-de=no.tsv"],
    ("align pretrain", "--out"): ["--text", "en=no.tsv", "--encoder", "./no"],
    ("align tokenizer", "--out"): ["--text", "en=no.tsv"],
    ("classify fit", "--out"): FIT,
    ("classify compare", "--out"): [*FIT, "--test", "ja=no.tsv", "--kb", "no"],
    ("classify evaluate", "--report"): ["no", "--test", "ja=no.tsv"],
    ("classify adapt", "--out"): ["no", "no.tsv", "--lang", "ja"],
    ("classify predict", "--out"): ["no", "no.tsv"],
    ("classify audit draw", "--out"): ["no", "no.tsv"],
    ("classify export", "--out"): ["no"],
    ("demo", "--out"): ["--encoder", "./no"],
    ("encode", "--out"): ["no.tsv"],
    ("kb build", "--out"): ["--source", "names:no.jsonl"],
    ("kb link", "--out"): ["no", "no.tsv"],
    ("mine pairs", "--out"): ["no.txt", "none.txt"],
    ("mine filter", "--out"): ["--pairs", "en-de=no.tsv", "--keep", "0.8"],
    ("retrieve index", "--out"): ["no.txt"],
    ("probe geometry", "--out"): ["--text", "en=no.tsv"],
    ("probe geometry", "--static"): ["--vectors", "en=no"],
    ("probe neutrality", "--out"): ["--text", "en=no.tsv", "--text", "ja=no.tsv"],
    ("probe translation", "--out"): ["--pairs", "en-ja=no.tsv"],
    ("probe report", "--out"): ["no"],
    ("probe transfer", "--out"): ["--train", "en=no.conllu", "--test", "ja=none.conllu"],
    ("probe overlap", "--out"): ["no"],
    ("probe typology", "--out"): ["no", "--wals", "none"],
    ("probe script", "--out"): ["no", "--lang", "ja", "--romanise"],
    ("probe rank-sources", "--out"): ["no"],
    ("retrieve evaluate", "--report"): ["--tatoeba", "no"],
    ("reproduce", "--out"): ["geometry", "--data", "no"],
    ("tag evaluate", "--out"): ["no", "--test", "ja=no.conllu"],
    ("tag export", "--out"): ["no"],
    ("tag predict", "--out"): ["no", "no.conllu", "--lang", "ja"],
    ("tag fit", "--out"): ["--train", "en=no.conllu"],
    ("try", "--out"): ["no.csv"],
    ("vectors convert", "--out"): ["no"],
    ("vectors train", "--out"): ["--source", "wikipedia:en=no.bz2"],
}
IDS = [" ".join(command) for command in WORDS]


def commands(command: Any, path: str = "") -> dict[str, Any]:
    """Return all commands by their words."""
    found = {}
    for name, inner in command.commands.items():
        found |= commands(inner, f"{path}{name} ") if hasattr(inner, "commands") else {
            f"{path}{name}": inner
        }  # fmt: skip
    return found


@pytest.fixture(autouse=True)
def _nothing_is_loaded(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    def load(*_: object, **__: object) -> None:
        raise AssertionError("it was loaded in vain")

    if "world" not in request.fixturenames:
        monkeypatch.setattr(Encoder, "load", load)
        monkeypatch.setattr(saving, "load_classifier", load)


def test_every_command_that_writes_is_tested() -> None:
    found = {
        (words, option)
        for words, command in commands(main.command_line()).items()
        for parameter in command.params
        for option in parameter.opts
        if option in ("--out", "--report", "--static")
    }
    assert found == set(WORDS)


@pytest.mark.parametrize(("command", "option"), WORDS, ids=IDS)
def test_a_place_that_takes_no_files(
    refuse: Refuse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str, option: str
) -> None:
    words = [*command.split(), *WORDS[command, option], option]
    file = write_file(tmp_path / "a file", "mine")
    for folder, said in ((file, "is a file, not a folder"), (tmp_path / "none", "does not exist")):
        assert said in refuse(*words, folder / "out.npy")

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", read_only)
    said = refuse(*words, tmp_path / "out.npy")
    assert f"{tmp_path} is not writable (Read-only file system); choose another {option}" in said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc")
def test_proc(refuse: Refuse) -> None:
    said = refuse("encode", *WORDS["encode", "--out"], "--out", "/proc/out.npy")
    assert "/proc is not writable (No such file or directory); choose another --out" in said


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc")
def test_folders_of_long_work_are_looked_at_too(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = ("classify", "fit", "--train", f"en={world.train}", "--out", tmp_path / "new")
    said = refuse(*words, "--tune", "full", "--checkpoints", "/proc/checkpoints")
    assert "choose another --checkpoints" in said

    def read_only(*_: object, **__: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(Path, "mkdir", read_only)
    said = refuse("classify", "adapt", world.model, tmp_path / "no.tsv", "--lang", "ja")
    assert f"{world.model.parent} is not writable" in said


@pytest.fixture
def read(tmp_path: Path) -> dict[str, Path]:
    """Files and folders that are read; each is what isogloss replaces when it is asked to."""
    for name in ("model", "kb", "encoder"):
        (tmp_path / name).mkdir()
        write_file(tmp_path / name / "manifest.json", '{"format": "isogloss"}')
        write_tsv(tmp_path / name / "t.tsv", TRAIN)
    return {
        "TEXT": write_tsv(tmp_path / "t.npy", TRAIN),
        "JA": write_tsv(tmp_path / "ja.tsv", JAPANESE),
        **{name.upper(): tmp_path / name for name in ("model", "kb", "encoder")},
    }


COMPARE = ["classify", "compare", "--train", "en=TEXT", "--test", "ja=JA", "--kb", "KB"]
GEOMETRY = ["probe", "geometry", "--text", "en=TEXT", "--encoder", "ENCODER"]
READ: list[tuple[list[str], str, list[str]]] = [  # command, option, places
    (["align", "export", "ENCODER", "--prune-with", "en=TEXT", "--evaluation", "MODEL/t.tsv"],
     "--out", ["ENCODER", "ENCODER/new", "MODEL"]),
    (["align", "fit", "--pairs", "en-ja=MODEL/t.tsv", "--dev", "en-ja=TEXT", "--encoder",
      "ENCODER"], "--out", ["MODEL", "ENCODER", "ENCODER/new"]),
    (["retrieve", "index", "en=TEXT", "MODEL/t.tsv", "--encoder", "ENCODER"], "--out",
     ["MODEL", "ENCODER", "ENCODER/new"]),
    (["align", "pretrain", "--text", "en=MODEL/t.tsv", "--pairs", "en-ja=TEXT", "--dev", "ja=JA",
      "--encoder", "ENCODER"], "--out", ["MODEL", "TEXT", "JA", "ENCODER", "ENCODER/new"]),
    (["align", "pretrain", "--mono", "ja=wikipedia:JA", "--tokenizer", "MODEL"], "--out",
     ["JA", "MODEL", "MODEL/new"]),
    (["align", "tokenizer", "--text", "en=MODEL/t.tsv", "--pairs", "en-ja=TEXT", "--mono",
      "ja=wikipedia:JA"], "--out", ["MODEL", "TEXT", "JA"]),
    (["mine", "filter", "--pairs", "en-ja=MODEL/t.tsv", "--precision", "0.8", "--labelled", "TEXT",
      "--encoder", "ENCODER"], "--out", ["MODEL/t.tsv", "TEXT", "ENCODER/new"]),
    (["mine", "filter", "--mono", "ja=JA", "--model", "MODEL", "--keep-label", "main"], "--out",
     ["JA", "MODEL/new"]),
    (["mine", "pairs", "TEXT", "JA", "--encoder", "ENCODER"], "--out",
     ["TEXT", "JA", "ENCODER/t.tsv"]),
    (["classify", "fit", "--train", "en=MODEL/t.tsv", "--dev", "en=TEXT", "--kb", "KB", "--encoder",
      "ENCODER"], "--out", ["MODEL", "KB", "KB/new", "ENCODER", "ENCODER/new"]),
    (["classify", "fit", "--train", "en=TEXT", "--classes", "KB/t.tsv"], "--out", ["KB"]),
    (["classify", "fit", "--train", "en=TEXT", "--kb", "KB", "--init", "en=MODEL/t.tsv"], "--out",
     ["MODEL"]),
    (COMPARE, "--out", ["KB", "KB/new"]),
    (["classify", "evaluate", "MODEL", "--test", "ja=JA", "--versus", "KB", "--encoder", "ENCODER"],
     "--report", ["JA", "MODEL/model.json", "KB/new", "ENCODER/t.tsv"]),
    (["classify", "adapt", "MODEL", "KB/t.tsv", "--lang", "ja"], "--out", ["MODEL/new", "KB"]),
    (["classify", "predict", "MODEL", "JA", "--encoder", "ENCODER", "--kb", "KB"], "--out",
     ["JA", "MODEL/new.csv", "KB/new.csv", "ENCODER/t.tsv"]),
    (["classify", "export", "MODEL", "--encoder", "ENCODER", "--kb", "KB"], "--out",
     ["MODEL", "MODEL/new", "ENCODER", "KB"]),
    (["classify", "audit", "draw", "MODEL", "KB/t.tsv", "--encoder", "ENCODER"], "--out",
     ["MODEL", "MODEL/new.csv", "KB/t.tsv", "ENCODER/new.csv"]),
    (["demo", "--encoder", "MODEL"], "--out", ["MODEL", "MODEL/new"]),
    (["try", "MODEL/t.tsv", "JA", "--encoder", "ENCODER"], "--out", ["MODEL", "ENCODER/new"]),
    (["encode", "TEXT", "--encoder", "ENCODER", "--transform", "MODEL"], "--out",
     ["TEXT", "ENCODER/new.npy", "MODEL/new.npy"]),
    (["kb", "build", "--source", "names:KB/t.tsv"], "--out", ["KB"]),
    (["kb", "link", "KB", "JA"], "--out", ["KB", "KB/new", "JA"]),
    (["kb", "build", "--source", "wikipedia:ja=KB/t.tsv"], "--out", ["KB"]),
    (GEOMETRY, "--out", ["ENCODER", "ENCODER/new"]),
    (GEOMETRY, "--static", ["TEXT", "ENCODER/new", "ENCODER/t.tsv"]),
    (["probe", "geometry", "--vectors", "en=TEXT"], "--static", ["TEXT"]),
    (["probe", "geometry", "--vectors", "en=MODEL/t.tsv"], "--out", ["MODEL"]),
    (["probe", "neutrality", "--text", "en=MODEL/t.tsv", "--text", "ja=JA", "--encoder", "ENCODER"],
     "--out", ["MODEL", "ENCODER/new"]),
    (["probe", "translation", "--pairs", "en-ja=MODEL/t.tsv", "--encoder", "ENCODER"], "--out",
     ["MODEL", "MODEL/t.tsv", "ENCODER/new"]),
    (["probe", "report", "KB", "MODEL"], "--out", ["MODEL/manifest.json", "KB/new.html"]),
    (["probe", "transfer", "--train", "en+ja=MODEL/t.tsv,JA", "--test", "de=KB/t.tsv", "--encoder",
      "ENCODER"], "--out", ["MODEL", "KB", "ENCODER/new"]),
    (["probe", "overlap", "MODEL"], "--out", ["MODEL", "MODEL/new"]),
    (["probe", "typology", "MODEL", "--wals", "KB"], "--out", ["MODEL/new", "KB"]),
    (["probe", "script", "MODEL", "--lang", "ja", "--dictionary", "KB/t.tsv"], "--out",
     ["MODEL", "KB"]),
    (["probe", "rank-sources", "MODEL", "--text", "ja=JA", "--wals", "KB"], "--out",
     ["MODEL", "KB/new"]),
    (["reproduce", "geometry", "--encoder", "ENCODER", "--data", "MODEL"], "--out",
     ["MODEL", "ENCODER", "ENCODER/new"]),
    (["retrieve", "evaluate", "--encoder", "ENCODER", "--tatoeba", "MODEL"], "--report",
     ["MODEL/new.html", "ENCODER/manifest.json"]),
    (["tag", "fit", "--train", "en=MODEL/t.tsv", "--dev", "ja=JA", "--encoder", "ENCODER", "--kb",
      "KB"], "--out", ["MODEL", "ENCODER", "ENCODER/new", "KB"]),
    (["tag", "export", "MODEL", "--encoder", "ENCODER"], "--out", ["MODEL", "ENCODER/new"]),
    (["tag", "predict", "MODEL", "JA", "--lang", "ja", "--encoder", "ENCODER", "--kb", "KB"],
     "--out", ["MODEL", "MODEL/new", "ENCODER/new", "KB", "JA"]),
    (["tag", "evaluate", "MODEL", "--test", "ja=KB/t.tsv", "--encoder", "ENCODER"], "--out",
     ["MODEL/new", "KB", "ENCODER/new"]),
    (["vectors", "convert", "TEXT", "--kb", "KB"], "--out", ["TEXT", "KB/new"]),
    (["vectors", "train", "--source", "wikipedia:ja=TEXT", "--kb", "KB"], "--out",
     ["TEXT", "KB/new"]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("words", "option", "places"), READ, ids=[" ".join(words[:2]) for words, _, _ in READ]
)
def test_what_is_read_is_never_replaced(
    refuse: Refuse,
    read: dict[str, Path],
    tmp_path: Path,
    words: list[str],
    option: str,
    places: list[str],
) -> None:
    def put(word: str) -> str:
        for name, path in read.items():
            word = word.replace(name, str(path))
        return word

    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    for place in places:
        given = [*map(put, words), option, put(place)]
        # They resume, and have no --overwrite.
        resumes = {"compare", "link", "transfer", "script", "reproduce"} & {*words[:2]}
        resumes |= {"tag"} & {*words[:1]} if words[1] == "predict" else set()
        said = refuse(*given, *([] if resumes else ["--overwrite"]))
        assert "this command" in said, place
        assert f"choose another {option}" in said
    assert before == {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}


def test_every_command_is_among_them() -> None:
    named = {
        (next(name for name, _ in WORDS if words[: len(name.split())] == name.split()), option)
        for words, option, _ in READ
    }
    assert named == set(WORDS)


# Command, option that says what is made, option of a folder that is kept beside it.
BESIDE = [
    ("align fit", "--out", "--checkpoints"), ("align pretrain", "--out", "--checkpoints"),
    ("mine pairs", "--out", "--cache"),
    ("mine filter", "--out", "--cache"), ("retrieve index", "--out", "--cache"),
    ("classify fit", "--out", "--cache"), ("classify fit", "--out", "--checkpoints"),
    ("classify compare", "--out", "--cache"), ("classify evaluate", "--report", "--cache"),
    ("tag fit", "--out", "--checkpoints"),
    ("classify adapt", "--out", "--cache"), ("encode", "--out", "--cache"),
    ("classify predict", "--out", "--cache"), ("classify audit draw", "--out", "--cache"),
    ("retrieve evaluate", "--report", "--cache"), ("reproduce", "--out", "--cache"),
    ("probe translation", "--out", "--checkpoints"),
    ("kb build", "--out", "--work"), ("vectors train", "--out", "--work"),
]  # fmt: skip


def test_every_command_that_keeps_a_folder_is_tested() -> None:
    found = {
        (words, made, kept)
        for words, command in commands(main.command_line()).items()
        for options in [{option for one in command.params for option in one.opts}]
        for made in options & {"--out", "--report", "--static"}
        for kept in options & {"--cache", "--checkpoints", "--work"}
    }
    assert found == set(BESIDE)


@pytest.mark.parametrize(("command", "made", "kept"), BESIDE)
def test_a_folder_in_what_is_made_would_be_replaced(
    refuse: Refuse, tmp_path: Path, command: str, made: str, kept: str
) -> None:
    """It was refused at the end of the work, or deleted with what `--overwrite` replaces."""
    out = tmp_path / "out.npy"
    (tmp_path / "link").symlink_to(out)
    dump = ["--source", "wikipedia:en=no.bz2"] if command == "kb build" else []  # --work needs one
    tunes = kept == "--checkpoints" and command not in ("align pretrain", "probe translation")
    tune = ["--tune", "full"] if tunes else []  # which has checkpoints
    words = [*command.split(), *WORDS[command, made], *dump, *tune]
    for place in (
        out,
        out / "x" / "y",
        tmp_path / "no" / ".." / "out.npy",
        tmp_path / "link" / "x",
    ):
        said = refuse(*words, made, out, kept, place)
        assert said == f"isogloss: {place}: is {made} or in it; give {kept} another place"


def test_a_folder_in_what_is_replaced(refuse: Refuse, read: dict[str, Path]) -> None:
    model = read["MODEL"]
    (model / "c").mkdir()
    fit = ["classify", "fit", "--train", f"en={read['TEXT']}", "--out", model, "--overwrite"]
    assert "is --out or in it" in refuse(*fit, "--cache", model / "c")
    adapt = ["classify", "adapt", model, read["JA"], "--lang", "ja", "--cache", model / "c"]
    assert "is MODEL or in it; give --cache another place" in refuse(*adapt)
    assert (model / "c").is_dir()


def test_a_folder_around_what_is_made_is_none_of_it(cli: Run, tmp_path: Path) -> None:
    words = [*FIT, "--out", tmp_path / "c" / "out", "--cache", tmp_path / "c"]
    (tmp_path / "c").mkdir()
    assert "no such file" in cli("classify", "fit", *words).err


def test_names_of_what_ships_are_no_paths(
    cli: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    said = cli("classify", "fit", "--train", "en=no.tsv", "--out", "bundled").err
    (tmp_path / "bundled").mkdir()
    assert cli(
        "classify", "fit", "--train", "en=no.tsv", "--out", "bundled", "--overwrite"
    ).err == (said)
