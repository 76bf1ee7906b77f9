"""``tag predict`` of a folder or glob: a part of tagged words for each file, resumed."""

import json
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from cli_world import Refuse, Run, write_file
from pyarrow import parquet

from isogloss.cli.main import main
from isogloss.parts import source
from isogloss.parts.footer import read_footer
from isogloss.tag import saving

TEXTS = ["The fox, dog jumps.", "北京 🙂 jumps", "", "the dog\nthe fox"]


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "ROWS", 3)  # of a block


def rows_of(number: int) -> list[dict[str, Any]]:
    return [
        {"id": f"{number}-{row}", "lang": ["en", "zh"][row % 2],
         "text": TEXTS[(row + number) % len(TEXTS)], "note": row}
        for row in range(7)
    ]  # fmt: skip


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "in"
    (folder / "deep").mkdir(parents=True)
    parquet.write_table(pyarrow.Table.from_pylist(rows_of(0)), folder / "a.parquet")
    lines = "".join(json.dumps(row) + "\n" for row in rows_of(1))
    write_file(folder / "deep" / "b.jsonl", lines)
    return folder


def predict(model: Path, given: Path | str, out: Path, *more: object) -> list[object]:
    return ["tag", "predict", model, given, "--out", out, *more]


def test_each_file_becomes_a_part_of_what_raw_text_gives(
    cli: Run, taggers: dict[str, Path], corpus: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    outcome = cli(*predict(taggers["ner"], corpus, out, "--lang-column", "lang"))
    assert (outcome.code, outcome.out) == (0, ""), outcome.err
    assert "2 parts: 2 made" in outcome.err
    for number, name in enumerate(["a.parquet", "deep/b.jsonl.parquet"]):
        found = parquet.read_table(out / name).to_pylist()
        assert list(found[0]) == ["id", "lang", "tokens", "spans"]
        assert [(row["id"], row["lang"]) for row in found] == [
            (row["id"], row["lang"]) for row in rows_of(number)
        ]
        for made, row in zip(found, rows_of(number), strict=True):
            if "\n" in row["text"]:
                assert len(json.loads(made["tokens"])) == 4
                continue
            one = cli("tag", "predict", taggers["ner"], "--raw", "--lang", row["lang"],
                      stdin=row["text"] + "\n")  # fmt: skip
            raw = json.loads(one.lines[0])
            assert json.loads(made["spans"]) == raw["spans"]
            tokens = json.loads(made["tokens"])
            p = [(token.pop("p"), of_raw.pop("p")) for token, of_raw in
                 zip(tokens, raw["tokens"], strict=True)]  # fmt: skip
            assert tokens == raw["tokens"]
            assert all(abs(ours - its) <= 1e-5 for ours, its in p)
    assert sorted(path.name for path in out.rglob("_*")) == ["_run.json", "_summary.json"]


def test_what_was_counted_is_said_and_in_the_summary(
    cli: Run, taggers: dict[str, Path], corpus: Path, tmp_path: Path, caplog: Any
) -> None:
    write_file(corpus / "c.csv", "id,lang,text\nx,en,fox \u200b\n")
    out = tmp_path / "out"
    outcome = cli(*predict(taggers["pos"], corpus, out, "--lang-column", "lang"))
    assert outcome.code == 0, outcome.err
    summary = json.loads((out / "_summary.json").read_text("utf-8"))
    assert (summary["command"], summary["data"]["n_rows"]) == ("tag predict", 15)
    assert {lang: one["n"] for lang, one in summary["counts"]["languages"].items()} == {
        "en": 9, "zh": 6
    }  # fmt: skip
    tokens = [
        json.loads(cell)
        for path in out.rglob("*.parquet")
        for cell in parquet.read_table(path)["tokens"].to_pylist()
    ]
    counts = summary["counts"]
    assert sum(one["n_words"] for one in counts["languages"].values()) == sum(map(len, tokens))
    assert counts["n_without_piece"] == 1
    assert "c.csv: 1 word without a piece in the encoder" in caplog.text
    assert f"zh: 6 texts, {counts['languages']['zh']['n_words']} words" in outcome.err
    assert parquet.read_schema(out / "a.parquet").names == ["id", "lang", "tokens"]
    strict = predict(taggers["pos"], corpus, tmp_path / "strict", "--lang-column", "lang")
    assert "1 word without a piece" in cli(*strict, "--strict").err


def test_a_run_is_continued_and_another_model_or_settings_refused(
    cli: Run, taggers: dict[str, Path], corpus: Path, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    out, more = tmp_path / "out", ("--lang", "auto", "--keep", "note,text")
    assert cli(*predict(taggers["ner"], corpus, out, "--shard", "1/2", *more)).code == 0
    assert cli(*predict(taggers["ner"], corpus, out, "--shard", "2/2", *more)).code == 0
    footer = read_footer(out / "a.parquet")
    assert footer is not None
    assert (footer.run.made_by, footer.n_rows) == ("ner", 7)
    table = parquet.read_table(out / "a.parquet")
    assert table.schema.names == ["id", "note", "text", "lang", "tokens", "spans"]
    assert table["text"].to_pylist() == [row["text"] for row in rows_of(0)]
    assert {*table["lang"].to_pylist()} == {None}  # the texts are too short to tell
    with monkeypatch.context() as patch:
        patch.setattr(saving, "load_tagger", None)  # nothing needs it
        assert "2 there already" in cli(*predict(taggers["ner"], corpus, out, *more)).err
    said = cli(*predict(taggers["pos"], corpus, out, *more)).err
    assert "holds parts of another run (ner (" in said
    said = cli(*predict(taggers["ner"], corpus, out, "--lang", "en")).err
    assert 'holds parts of another run (lang "auto", not "en"; keep' in said


@pytest.mark.full
def test_workers_make_the_same(taggers: dict[str, Path], corpus: Path, tmp_path: Path) -> None:
    for name, more in (("one", ()), ("two", ("--workers", "2", "--threads", "2"))):
        words = predict(taggers["ner"], corpus, tmp_path / name, "--lang", "en", *more)
        assert main([str(word) for word in words]) == 0
    for name in ("a.parquet", "deep/b.jsonl.parquet"):
        one, two = (parquet.read_table(tmp_path / of / name) for of in ("one", "two"))
        assert one.equals(two)


def test_options_of_the_other_kind_of_file(
    refuse: Refuse, taggers: dict[str, Path], corpus: Path, tmp_path: Path
) -> None:
    words = predict(taggers["ner"], corpus, tmp_path / "o", "--lang", "en")
    for option in (("--column", "2"), ("--format", "conll"), ("--probabilities", tmp_path / "p")):
        assert f"{option[0]} is for column files, and parts are rows" in refuse(*words, *option)
    for option in (("--column", "2"), ("--encoding", "latin-1")):
        said = refuse(*words[:3], corpus / "deep" / "b.jsonl", "--lang", "en", "--raw", *option)
        assert f"{option[0]} is for column files; leave it out with --raw" in said
    one = ["tag", "predict", taggers["ner"], corpus / "deep" / "b.jsonl", "--lang", "en"]
    for option in (("--out", tmp_path / "o"), ("--keep", "a"), ("--shard", "1/2"),
                   ("--workers", "2"), ("--text", "a"), ("--lang-column", "a"),
                   ("--quoting", "csv")):  # fmt: skip
        assert f"{option[0]} is for a folder or a glob of parts" in refuse(*one, *option)
    assert "the language is missing; give --lang CODE" in refuse(*one[:4])
    assert "the language is missing; give --lang CODE, --lang auto, or --lang-column" in refuse(
        *words[:-2]
    )
    assert "name a folder with --out" in refuse(*one[:3], corpus, "--lang", "en")
    inside = predict(taggers["ner"], corpus, corpus / "out", "--lang", "en")
    assert f"lies in {corpus}, which this command reads" in refuse(*inside)
    write_file(tmp_path / "x.conllu", "1\ta" + "\t_" * 8 + "\n")
    said = refuse(*predict(taggers["ner"], tmp_path / "*.conllu", tmp_path / "o", "--lang", "en"))
    assert "names no part" in said
    assert "a column file comes back by itself: name it alone, without --out" in said


def test_columns_of_texts_are_chosen(cli: Run, taggers: dict[str, Path], tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    rows = 'head\tbody\nthe\t"fox"\n'.encode("utf-16")
    write_file(tmp_path / "in" / "a.tsv", rows)
    write_file(tmp_path / "in" / "b.csv", "head,body\n\xe9t\xe9,fox\n".encode("latin-1"))
    texts = {}
    for name, more in (
        ("csv", ("--quoting", "csv")), ("none", ("--quoting", "none")),
    ):  # fmt: skip
        given, out = tmp_path / "in" / "a.*", tmp_path / name
        assert cli(*predict(taggers["pos"], given, out, "--lang", "en", "--text", "head,body",
                            "--keep", "body", *more)).code == 0  # fmt: skip
        (row,) = parquet.read_table(out / "a.tsv.parquet").to_pylist()
        texts[name] = row["body"], len(json.loads(row["tokens"]))
    assert texts == {"csv": ("fox", 3), "none": ('"fox"', 5)}
    words = predict(taggers["pos"], tmp_path / "in" / "b.*", tmp_path / "o", "--lang", "en")
    words += ["--text", "head"]
    assert "b.csv:2: is not UTF-8" in cli(*words).err
    latin = cli(*words[:4], "--out", tmp_path / "l", *words[6:], "--encoding", "latin-1")
    assert latin.code == 0
    (row,) = parquet.read_table(tmp_path / "l" / "b.csv.parquet").to_pylist()
    assert [(one["start"], one["end"]) for one in json.loads(row["tokens"])] == [(0, 3)]
