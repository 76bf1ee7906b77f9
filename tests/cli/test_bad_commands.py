"""Bad words of a command: exit code 2, one sentence on standard error, nothing half-written."""

import shutil
from pathlib import Path

import pytest
from cli_world import TRAIN, Refuse, Run, World, flip, write_file, write_tsv

from isogloss.classify.saving import load as saving

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
    "no language to detect": (["--train", "FILE", "--lang", "auto:"], ["names no language"]),
    "languages without auto": (["--train", "FILE", "--lang", "en,ja"], ["mean 'auto:en,ja'"]),
    "LANG= with --lang auto": (["--lang", "auto"], ["--lang is for files given without LANG="]),
    "--lang en": (["--lang", "en"], ["--lang"]),
    "both ways of a language": (
        ["--train", "FILE", "--lang", "auto", "--lang-column", "label"],
        ["--lang-column", "leave one out"],
    ),
    "no such language column": (
        ["--train", "FILE", "--lang-column", "labl"], ["'labl'", "'label'"],
    ),
    "no --max-entities": (
        ["--max-entities", "0"],
        ["--max-entities is '0'; a whole number in 1 to 1000000000 is allowed"],
    ),
    "link probability over 1": (
        ["--min-link-prob", "1.5"], ["--min-link-prob is '1.5'; a number in 0 to 1 is allowed"],
    ),
    "no number": (["--min-commonness", "x"], ["--min-commonness is 'x'; a number in 0 to 1"]),
    "no preset": (["--preset", "mbeo"], ["--preset is 'mbeo'", "'mboe'"]),
    "negative seed": (["--seed", "-1"], ["--seed is '-1'; a whole number in 0 to 4294967295"]),
    "no seed": (["--seed", "x"], ["--seed is 'x'; a whole number in 0 to"]),
    "no threads": (["--threads", "0"], ["--threads is '0'; a whole number in 1 to 1024"]),
    "too many threads": (["--threads", "99999999"], ["a whole number in 1 to 1024 is allowed"]),
    "unknown option": (["--kbb", "x"], ["--kbb"]),
    "surplus word": (["more.tsv"], ["more.tsv"]),
    "no column of --text": (["--text", "txt"], ["'txt'", "did you mean 'text'?"]),
    "no column of --label": (["--label", "lebel"], ["'lebel'", "did you mean 'label'?"]),
    "bad quoting": (["--quoting", "tsv"], ["--quoting", "csv"]),
    "no vectors": (["--init", "none.safetensors", "--kb", "KB"], ["--init", "none.safetensors"]),
    "bad vectors": (["--init", "FILE", "--kb", "KB"], ["train.tsv", "safetensors"]),
    "foreign vectors": (
        ["--init", "ENCODER/model.safetensors", "--kb", "KB"], ["no entity vectors"],
    ),
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
def test_a_bad_option_offit_words(name: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    words, expected = OPTIONS[name]
    folder = tmp_path / "folder"
    folder.mkdir()
    write_tsv(folder / "train.tsv", TRAIN)
    places = {
        "FILE": str(folder / "train.tsv"), "FOLDER": str(folder),
        "ENCODER": str(world.encoder), "KB": str(world.kb),
    }  # fmt: skip
    for place, path in places.items():
        words = [word.replace(place, path) for word in words]
    options = dict(zip(words[::2], words[1::2], strict=False))
    usual = {"--train": f"en={folder / 'train.tsv'}", "--encoder": str(world.encoder)}
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
    "--pivot without names": (
        ["kb", "link", "KB", "--lang", "en", "--pivot", "sw", "TEXTS"],
        ["--pivot is 'sw'", "give one of ar, de, en"],
    ),
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
        ["encode", "TEXTS", "--encoder", "ENCODER", "--out", "OUT.npz"], ["out.npz:", ".npy"],
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
    flip(root / "other" / "model.safetensors")
    names = write_file(root / "n.jsonl", '{"id": "a", "names": {"ja": ["東京"]}}\n')
    from isogloss.kb import build_knowledge_base

    build_knowledge_base([f"names:{names}"], root / "kb")
    texts = write_file(root / "texts.txt", "東京\n")
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


def test_a_bug_is_not_hidden(cli: Run, world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """Faults of ours keep their traceback: only faults of the input become a sentence."""
    monkeypatch.setattr(saving, "load_classifier", lambda *words, **options: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        cli("classify", "predict", world.model, "--lang", "ja", world.japanese)
