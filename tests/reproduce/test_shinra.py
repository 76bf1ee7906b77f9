"""SHINRA2020-ML: labels joined with texts by page id.

The files are made by hand after the published description of the format; no page of the data
itself is here.
"""

import gzip
import json
import runpy
from pathlib import Path
from typing import Any

import pytest
from repository import ROOT

from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import InputError, OmissionWarning
from isogloss.reproduce.data import ShinraCounts, join_shinra, shinra, shinra_beginning


def page(number: int, *types: Any, **more: Any) -> dict[str, Any]:
    entries = [{"ENE_id": type, "ENE_name": "made up"} for type in types]
    return {"pageid": number, "title": f"P{number}", "ja_pageid": 9, "_stamp": "HAND.AIP.201910",
            "ENEs": entries} | more  # fmt: skip


LABELS = [page(7, "1.5.1.2"), page(3, "1.1"), page(3, "1.7.24.1", "1.1"), page(8, "0"), page(5, "")]
DUMP = [
    ({"index": {"_type": "page", "_id": "3"}}, {"title": "Tokio", "text": "Hauptstadt.",
                                                "opening_text": "Kurz."}),
    ({"index": {"_type": "page", "_id": "4"}}, {"title": "Ohne", "text": "Kein Typ."}),
    ({"index": {"_type": "page", "_id": "5"}}, {"title": "Leer", "text": "Typ ohne Nummer."}),
    ({"index": {"_type": "page", "_id": "7"}}, {"title": "Präfektur", "text": "Zwei\nZeilen.",
                                                "opening_text": "Erste."}),
]  # fmt: skip


def write(path: Path, records: list[Any]) -> Path:
    lines = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    data = lines.encode()
    path.write_bytes(gzip.compress(data) if path.suffix == ".gz" else data)
    return path


@pytest.fixture
def labels(tmp_path: Path) -> Path:
    return write(tmp_path / "de.json", LABELS)


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    return write(tmp_path / "de.cirrus.json.gz", [line for pair in DUMP for line in pair])


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def test_pages_are_joined_by_id_and_records_of_a_page_are_one(
    labels: Path, dump: Path, tmp_path: Path
) -> None:
    with pytest.warns(OmissionWarning) as said:
        counts = join_shinra(labels, dump, tmp_path / "out.jsonl")
    assert counts == ShinraCounts(n_written=2, n_unlabelled=1, n_without_text=1, n_without_type=1)
    assert rows_of(tmp_path / "out.jsonl") == [
        {"id": "3", "title": "Tokio", "text": "Hauptstadt.", "labels": ["1.1", "1.7.24.1"]},
        {"id": "7", "title": "Präfektur", "text": "Zwei\nZeilen.", "labels": ["1.5.1.2"]},
    ]
    assert [str(one.message).partition(" ")[0] for one in said] == ["1", "1"]


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
@pytest.mark.parametrize("field", ["text", "opening_text"])
def test_documents_are_those_of_the_file_that_is_written(
    labels: Path, dump: Path, tmp_path: Path, field: str
) -> None:
    out = tmp_path / "out.jsonl"
    join_shinra(labels, dump, out, field=field)
    format = FileFormat(text=("title", "text"), multilabel=True)
    written = read_documents(out, format=format, needs_label=True)
    found = shinra(labels, dump, field=field)
    assert (found.texts, found.labels, found.ids) == (written.texts, written.labels, written.ids)
    assert found.lines == [2, 8]  # of the dump


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_the_result_is_read_as_label_sets(labels: Path, dump: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    join_shinra(labels, dump, out, field="opening_text")
    format = FileFormat(text=("title", "text"), multilabel=True)
    documents = read_documents(out, format=format, needs_label=True)
    assert documents.texts == ["Tokio. Kurz.", "Präfektur. Erste."]
    assert documents.labels == [("1.1", "1.7.24.1"), ("1.5.1.2",)]
    assert documents.ids == ["3", "7"]


def test_types_grouped_by_stamp_and_texts_with_their_own_id(tmp_path: Path) -> None:
    grouped = page(1) | {"ENEs": {"AUTO.TOHOKU.201906": [{"prob": 0.9, "ENE_id": "1.4"}]}}
    labels = write(tmp_path / "l.json", [grouped])
    texts = write(tmp_path / "t.jsonl", [{"pageid": 1, "text": "x"}])
    join_shinra(labels, texts, tmp_path / "out.jsonl")
    assert rows_of(tmp_path / "out.jsonl")[0]["labels"] == ["1.4"]


@pytest.mark.parametrize(
    ("labels", "texts", "sentence"),
    [
        ([{"a": 1}], [], "l.json:1: has no 'pageid' with its 'ENEs'"),
        ([page(1) | {"ENEs": ["x"]}], [], "l.json:1: has no 'pageid' with its 'ENEs'"),
        ([page(1) | {"ENEs": {"x": 5}}], [], "l.json:1: has no 'pageid' with its 'ENEs'"),
        ([page(1, "1.5", 1)], [], "l.json:1: an 'ENE_id' is not text"),
        ([page(1, ["1"])], [], "l.json:1: an 'ENE_id' is not text"),
        ([page(1, "1.1")], [{"text": "x"}], "t.jsonl:1: has no 'pageid', and no index line"),
        ([page(1, "1.1")], [{"pageid": 1}], "t.jsonl:1: page 1 has no text in 'text'"),
        ([page(1, "1.1")], [{"pageid": 2, "text": "x"}], "t.jsonl: holds none of the pages"),
        ([page(1, "1.1")], [[1]], "t.jsonl:1: is not a JSON object"),
        ([page(1, "1.1")], [{"pageid": 1, "text": "x", "title": [1]}], "t.jsonl:1: the title of"),
    ],
)
def test_other_files_get_one_sentence_and_nothing_is_written(
    labels: list[Any], texts: list[Any], sentence: str, tmp_path: Path
) -> None:
    files = write(tmp_path / "l.json", labels), write(tmp_path / "t.jsonl", texts)
    with pytest.raises(InputError) as caught:
        join_shinra(*files, tmp_path / "out.jsonl")
    assert sentence in str(caught.value)
    assert not (tmp_path / "out.jsonl").exists()


@pytest.mark.parametrize("broken", ["l.json", "t.jsonl"])
def test_nesting_without_end_gets_one_sentence(broken: str, tmp_path: Path) -> None:
    write(tmp_path / "l.json", [page(1, "1.1")])
    write(tmp_path / "t.jsonl", [{"pageid": 1, "text": "x"}])
    (tmp_path / broken).write_text('{"pageid":' + "[" * 9999 + "]" * 9999 + "}\n")
    with pytest.raises(InputError, match=f"{broken}:1: is not JSON"):
        join_shinra(tmp_path / "l.json", tmp_path / "t.jsonl", tmp_path / "out.jsonl")


def test_a_lone_surrogate_stays_as_it_is(tmp_path: Path) -> None:
    labels = write(tmp_path / "l.json", [page(1, "1.1")])
    (tmp_path / "t.jsonl").write_text('{"pageid": 1, "text": "Fluss \\ud83d 川"}\n', "utf-8")
    join_shinra(labels, tmp_path / "t.jsonl", tmp_path / "out.jsonl")
    assert rows_of(tmp_path / "out.jsonl")[0]["text"] == "Fluss \ud83d 川"


def test_a_loss_made_an_error_leaves_nothing(labels: Path, dump: Path, tmp_path: Path) -> None:
    with pytest.raises(OmissionWarning, match="no text in"):  # the tests make losses errors
        join_shinra(labels, dump, tmp_path / "out.jsonl")
    assert not (tmp_path / "out.jsonl").exists()


def test_the_script_says_what_is_wrong_in_a_sentence_and_overwrites_when_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    main = runpy.run_path(str(ROOT / "benchmarks" / "shinra.py"))["main"]

    def run(labels: str, *more: str) -> int:
        files = ("--labels", labels, "--texts", "t.jsonl", "--out", "out.jsonl")
        monkeypatch.setattr("sys.argv", ["shinra.py", *files, *more])
        return int(main())

    monkeypatch.chdir(tmp_path)
    write(tmp_path / "l.json", [page(1, "1.1")])
    write(tmp_path / "t.jsonl", [{"pageid": 1, "text": "x"}])
    assert run("no.json") == 2
    assert capsys.readouterr().err.startswith("no.json: ")
    assert run("l.json") == 0
    assert run("l.json") == 2
    assert "--overwrite" in capsys.readouterr().err
    assert run("l.json", "--overwrite") == 0


def test_the_beginning_of_a_dump_is_read_without_the_rest(tmp_path: Path) -> None:
    lines = [json.dumps(part) for pair in DUMP[:2] for part in pair]
    dump = tmp_path / "de.json"
    dump.write_text("\n".join([*lines, "no JSON"]), "utf-8")
    labels = tmp_path / "labels.json"
    labels.write_text(f"{json.dumps(LABELS[0])}\nno JSON\n", "utf-8")
    read = shinra_beginning(labels, dump, n_pages=2)
    assert (read.texts, read.ids) == (["Tokio. Hauptstadt.", "Ohne. Kein Typ."], ["3", "4"])
    assert read.lines == [2, 4]
    with pytest.raises(InputError, match=r"de\.json:5: is not JSON"):
        shinra_beginning(labels, dump, n_pages=3)
    labels.write_text('{"pageid": 7}\n')
    with pytest.raises(InputError, match=r"labels\.json:1: has no 'pageid' with its 'ENEs'"):
        shinra_beginning(labels, dump)
