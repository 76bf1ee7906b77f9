"""Bad files of texts and names: exit code 2, one sentence, and nothing half-written."""

import gzip
from pathlib import Path

import pytest
from cli_world import Refuse, World, fit_words, write_file

from isogloss.encode import Encoder

TABLES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "missing text column": ("a.tsv", "label\ttxet\na\tb\n", ["a.tsv:", "'text'", "'txet'"]),
    "missing label column": ("a.tsv", "lable\ttext\na\tb\n", ["'label'", "did you mean 'lable'?"]),
    "two label columns": ("a.tsv", "label\tcategory\ttext\na\tb\tc\n", ["--label"]),
    "twice the same column": ("a.tsv", "label\ttext\ttext\na\tb\tc\n", ["2 columns 'text'"]),
    "empty file": ("a.tsv", "", ["a.tsv", "is empty"]),
    "header only": ("a.tsv", "label\ttext\n", ["no rows"]),
    "one class": ("a.tsv", "label\ttext\na\tb\na\tc\n", ["'a'", "two classes"]),
    "Latin-1": (
        "a.tsv", "label\ttext\na\tcafé\n".encode("latin-1"), ["a.tsv:2:", "--encoding, such as"],
    ),
    "UTF-16 without its mark": (
        "a.tsv", "label\ttext\na\tb\n".encode("utf-16-le"), ["UTF-16", "--encoding utf-16-le"],
    ),
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
    "unknown kind": ("a.docx", "x", ["a.docx", ".tsv"]),
    "no workbook": ("a.xlsx", "x", ["a.xlsx", "Excel"]),
    "not gzip": ("a.tsv.gz", "label\ttext\n", ["a.tsv.gz", "not compressed"]),
    "gzip cut off": (
        "a.tsv.gz", gzip.compress(b"label\ttext\n" + b"a\tb\n" * 99)[:-9], ["cut off"],
    ),
    "bad zstd": ("a.tsv.zst", b"no frame", ["a.tsv.zst", "not compressed"]),
}  # fmt: skip


@pytest.mark.parametrize("name", TABLES)
def test_a_bad_training_file(name: str, refuse: Refuse, world: World, tmp_path: Path) -> None:
    file, content, expected = TABLES[name]
    path = write_file(tmp_path / file, content)
    words = fit_words(world, tmp_path / "model", train=f"en={path}")
    sentence = refuse(*words, talk=name == "one class")
    assert all(part in sentence for part in expected), sentence


NAMES: dict[str, tuple[str, str | bytes, list[str]]] = {
    "not JSON": (
        "n.jsonl", '{"id": "a", "names": {"en": ["x"]}}\n{"id"\n', ["n.jsonl:2:", "--skip-bad"],
    ),
    "no id": ("n.jsonl", '{"names": {"en": ["x"]}}\n', ["n.jsonl:1:", "id"]),
    "unknown language": ("n.jsonl", '{"id": "a", "names": {"qq1": ["x"]}}\n', ["n.jsonl:1:"]),
    "id twice": ("n.jsonl", '{"id": "a", "names": {"en": ["x"]}}\n' * 2, ["n.jsonl:2:", "'a'"]),
    "no names": ("n.jsonl", '{"id": "a", "names": {}}\n', ["n.jsonl:1:", "names"]),
    "bad number": (
        "n.jsonl", '{"id": "a", "names": {"en": ["x"]}, "popularity": -1}\n', ["popularity"],
    ),
    "no column": ("n.tsv", "id\tlangs\tname\na\ten\tx\n", ["n.tsv:1:", "'lang'", "'langs'"]),
    "short row": ("n.csv", "id,lang,name\na,en\n", ["n.csv:2:", "fields", "quotes"]),
    "empty": ("n.jsonl", "", ["no entities"]),
    "empty table": ("n.csv", "", ["n.csv", "is empty", "name its columns first"]),
    "Latin-1": ("n.jsonl", '{"id": "é"}\n'.encode("latin-1"), ["n.jsonl:1:", "byte 9", "UTF-8"]),
    "other ending": ("n.json", "{}", ["n.json", "'.json'", ".jsonl"]),
    "cut off": ("n.jsonl.gz", gzip.compress(b'{"id": "a"}' * 50)[:-9], ["cut off", "again"]),
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_a_bad_names_file(name: str, refuse: Refuse, tmp_path: Path) -> None:
    file, content, expected = NAMES[name]
    path = write_file(tmp_path / file, content)
    sentence = refuse("kb", "build", "--source", f"names:{path}", "--out", tmp_path / "kb")
    assert all(part in sentence for part in expected), sentence


def test_an_empty_standard_input(refuse: Refuse, world: World) -> None:
    sentence = refuse("classify", "predict", world.model, "--lang", "ja", "-", stdin=b"")
    assert "is empty" in sentence


@pytest.mark.parametrize(
    "words",
    [
        ["predict", "MODEL", "--lang", "ja", "GONE"],
        ["predict", "MODEL", "--lang", "ja", "FILE", "--text", "body"],
        ["predict", "MODEL", "--lang", "auto:ja,tlh", "FILE"],
        ["predict", "MODEL", "--lang", "ja", "--fallback-lang", "xx-yy-zz", "FILE"],
        ["predict", "MODEL", "--lang", "ja", "FILE", "--out", "OUT.csv"],  # it has a label
        ["predict", "MODEL", "FILE", "--prefix", "x_", "--out", "OUT.csv"],  # no language
        ["predict", "MODEL", "--lang", "ja", "FILE", "--prefix", "x_", "--out", "OUT.xlsx"],
        ["predict", "MODEL", "--lang", "auto:ja,tlh", "FILE", "--prefix", "x_", "--out", "OUT.csv"],
        ["evaluate", "MODEL", "--test", "ja=GONE"],
        ["evaluate", "MODEL", "--test", "ja=FILE", "--label", "topic"],
        ["evaluate", "MODEL", "--test", "ja=FILE", "--versus", "GONE"],
        ["forecast", "MODEL", "--lang", "ja", "GONE"],
        ["adapt", "MODEL", "--lang", "ja", "GONE"],
        ["explain", "MODEL", "東京", "--lang", "japanese"],
        ["compare", "--train", "en=FILE", "--test", "ja=GONE", "--kb", "KB", "--out", "OUT"],
        ["fit", "--train", "en=GONE", "--out", "OUT"],
    ],
    ids=" ".join,
)
def test_what_is_wrong_with_the_input_is_said_before_an_encoder_is_loaded(
    words: list[str], refuse: Refuse, world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Encoder, "load", lambda *_, **__: pytest.fail("the encoder was loaded"))
    places = {"MODEL": world.model, "FILE": world.japanese, "GONE": tmp_path / "gone.tsv",
              "KB": world.kb, "OUT": tmp_path / "out"}  # fmt: skip
    for name, place in places.items():
        words = [word.replace(name, str(place)) for word in words]
    refuse("classify", *words)
