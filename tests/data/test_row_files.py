"""Rows written back: every cell as it was, in every format, with more columns behind."""

import csv
import datetime
import decimal
import gzip
import io
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet
from written_xlsx import written_xlsx

from isogloss.data.documents import FileFormat
from isogloss.data.records import MISSING, Reading, read_records
from isogloss.data.row_files import parquet_rows
from isogloss.data.row_files.added import Added
from isogloss.data.row_files.head import open_rows
from isogloss.data.row_files.writing import RowTarget
from isogloss.errors import InputError, OmissionWarning

ADDED = [Added("label", "text"), Added("p", "number"), Added("found", "json")]
CELLS = [
    "plain", "", " blanks ", "two\nlines", "mac\rlines", "both\r\n", "tab\there", "a,b;c",
    'say "hi"', '"', '""', "'=1", "=1+1", "-5", "@a", "+", "\ttab", "NUL\0here", "порт", "港口 😀",
    "\u2028", "null",     "[1]", "ends in \\", "x" * 1000,
]  # fmt: skip
ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet", ".csv.gz", ".tsv.zst", ".jsonl.gz")
Write = Callable[..., Path]


def written(
    source: Path, out: Path, *, rows: int = 3, format: FileFormat | None = None, **options: Any
) -> Path:
    """Write the rows of a file, each with a label, a number and a list."""
    target = RowTarget(out, **options)
    opened = open_rows(source, format=format or FileFormat(), rows=rows)
    target.refuse_misfit(opened, ADDED)
    first = 0
    with target.opened(out, opened.head, ADDED) as writer:
        for block in opened.blocks:
            numbers = range(first, first + len(block.documents.texts))
            labels = [None if n % 4 == 3 else f"l\t{n}" for n in numbers]
            found = [[{"id": "Q1", "title": 'Ky"oto'}] * (n % 3) for n in numbers]
            writer.write(block.records, [labels, [n / 8 for n in numbers], found])
            first += len(numbers)
    return out


def columns_of(path: Path, **reading: Any) -> dict[str, list[Any]]:
    records = read_records(path, Reading(**reading))
    return {name: records.values(at) for at, name in enumerate(records.columns)}


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """Cells of every kind, in each column of a table."""
    rows = [["text", "=note", "id"]]
    rows += [[cell, CELLS[-1 - n], str(n)] for n, cell in enumerate(CELLS)]
    text = io.StringIO(newline="")
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows(rows)
    path = tmp_path / "in.csv"
    path.write_bytes(text.getvalue().encode())
    return path


@pytest.mark.parametrize("rows", [3, 1000])
@pytest.mark.parametrize("ending", ENDINGS)
def test_a_table_comes_back_in_every_format(
    table: Path, tmp_path: Path, ending: str, rows: int
) -> None:
    before = columns_of(table)
    out = written(table, tmp_path / f"out{ending}", rows=rows)
    after = columns_of(out, quoting="csv" if ".tsv" in ending else "auto")
    assert list(after) == [*before, "label", "p", "found"]
    assert {name: after[name] for name in before} == before
    is_text = ending[:4] in (".csv", ".tsv")
    assert after["label"][:4] == ["l\t0", "l\t1", "l\t2", "" if is_text else None]
    assert [float(p) for p in after["p"]] == [n / 8 for n in range(len(CELLS))]
    found = after["found"][2]
    assert (found if "json" in ending else json.loads(found)) == [
        {"id": "Q1", "title": 'Ky"oto'}, {"id": "Q1", "title": 'Ky"oto'},
    ]  # fmt: skip


@pytest.mark.parametrize("ending", [".csv", ".jsonl.gz", ".tsv.zst", ".parquet"])
def test_the_same_rows_are_the_same_bytes_in_blocks_of_any_size(
    table: Path, tmp_path: Path, ending: str
) -> None:
    (tmp_path / "a").mkdir()
    one = written(table, tmp_path / f"out{ending}", rows=2)
    other = written(table, tmp_path / "a" / f"out{ending}", rows=7)
    assert one.read_bytes() == other.read_bytes()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
def test_csv_keeps_its_delimiter(tmp_path: Path, delimiter: str) -> None:
    (tmp_path / "in.csv").write_text(f"id{delimiter}text\n1{delimiter}a\n", "utf-8")
    out = written(tmp_path / "in.csv", tmp_path / "out.csv")
    assert out.read_text("utf-8").splitlines()[0] == delimiter.join(
        ["id", "text", "label", "p", "found"]
    )
    assert columns_of(out)["text"] == ["a"]


def test_csv_of_a_tsv_file_has_commas(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text("id\ttext\n1\ta, b\n", "utf-8")
    out = written(tmp_path / "in.tsv", tmp_path / "out.csv")
    assert out.read_text("utf-8").splitlines()[1].startswith('1,"a, b",')
    again = written(tmp_path / "in.tsv", tmp_path / "out.tsv")
    assert again.read_text("utf-8").splitlines()[1].startswith("1\ta, b\t")


@pytest.mark.parametrize("ending", [".csv", ".tsv"])
def test_excel(table: Path, tmp_path: Path, ending: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    out = written(table, tmp_path / f"out{ending}", rows=1000, excel=True)
    raw = out.read_bytes()
    assert raw.startswith(b"\xef\xbb\xbftext")
    begins = [cell for cell in CELLS if cell[:1] in tuple("=+-@\t\r") and cell] + ["'=1"]
    n = 2 * len(begins)
    assert caplog.messages == [  # the header, and the rows
        "an apostrophe put before 1 cell that a spreadsheet would compute",
        f"an apostrophe put before {n} cells that a spreadsheet would compute",
    ]
    delimiter = "," if ending == ".csv" else "\t"
    fields = [
        field
        for row in csv.reader(io.StringIO(raw.decode("utf-8-sig"), newline=""), delimiter=delimiter)
        for field in row
    ]
    assert not [field for field in fields if field[:1] and field[0] in "=+-@\t\r"]
    before, after = columns_of(table), columns_of(out, quoting="csv")
    assert {name: after[name] for name in before} == before


def test_blanks_around_names_stay_and_numbers_become_names(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(" id , text\n1, a\n", "utf-8")
    out = written(tmp_path / "in.csv", tmp_path / "out.csv")
    assert out.read_text("utf-8") == " id , text,label,p,found\n1, a,l\t0,0.0,[]\n"
    (tmp_path / "in.csv").write_text("1,a\n2,b\n", "utf-8")
    out = written(tmp_path / "in.csv", tmp_path / "out.csv", format=FileFormat(text=("2",)))
    assert out.read_text("utf-8").splitlines()[:2] == ["1,2,label,p,found", "1,a,l\t0,0.0,[]"]
    assert columns_of(out, named=("2",))["2"] == ["a", "b"]


def test_quotes_of_tsv_are_text_where_the_user_says_so(tmp_path: Path) -> None:
    (tmp_path / "in.tsv").write_text('text\tid\nsay "hi\t1\n', "utf-8")
    form = FileFormat(quoting="none")
    opened = open_rows(tmp_path / "in.tsv", format=form)
    target = RowTarget(tmp_path / "out.tsv", quotes=False)
    with target.opened(target.path, opened.head, ADDED[:1]) as writer:
        for block in opened.blocks:
            writer.write(block.records, [["a"]])
    assert target.path.read_text("utf-8") == 'text\tid\tlabel\nsay "hi\t1\ta\n'
    with pytest.raises(InputError, match=r"row 2 has the cell 'l\\t0', which a table without"):
        written(tmp_path / "in.tsv", tmp_path / "other.tsv", format=form, quotes=False)


LINES = [
    '{"text": "порт", "n": 1.10, "big": 12345678901234567890123, "x": {"b": 1, "a": [null]}}',
    '  { "key":"\\u0041", "text":"half \\ud83d", "n":1e400, "t": true }  ',
    '{"text":"c","n":null,"later":"Ä","key":7,"t":false}',
]


def test_json_lines_stay_as_they_are_written(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("\n\n".join(LINES) + "\n", "utf-8")
    out = written(source, tmp_path / "out.jsonl", rows=1)
    for line, before in zip(out.read_text("utf-8").splitlines(), LINES, strict=True):
        assert line.startswith(before.strip()[:-1].rstrip())
        assert list(json.loads(line))[-3:] == ["label", "p", "found"]
        assert list(json.loads(line))[:-3] == list(json.loads(before))


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_json_lines_as_a_table_have_the_columns_of_all_lines(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text("\n".join(LINES) + "\n", "utf-8")
    out = written(source, tmp_path / "out.csv", rows=1)
    assert columns_of(out) == {
        "text": ["порт", "half \\ud83d", "c"], "n": ["1.1", "Infinity", ""],
        "big": ["12345678901234567890123", "", ""], "x": ['{"b": 1, "a": [null]}', "", ""],
        "key": ["", "A", "7"], "t": ["", "true", "false"], "later": ["", "", "Ä"],
        "label": ["l\t0", "l\t1", "l\t2"], "p": ["0.0", "0.125", "0.25"],
        "found": ["[]", '[{"id": "Q1", "title": "Ky\\"oto"}]',
                  '[{"id": "Q1", "title": "Ky\\"oto"}, {"id": "Q1", "title": "Ky\\"oto"}]'],
    }  # fmt: skip


def test_half_a_character_is_told(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "a\\ud800"}\n', "utf-8")
    for ending in (".csv", ".parquet"):
        with pytest.warns(OmissionWarning, match="1 (row|cell) with half a character of UTF-16"):
            written(source, tmp_path / f"out{ending}")
        assert columns_of(tmp_path / f"out{ending}")["text"] == ["a\\ud800"]


def test_json_lines_get_types_in_parquet(tmp_path: Path) -> None:
    values: dict[str, list[Any]] = {
        "whole": [1, None, -3], "long": [1, 2**60, MISSING], "number": [1, 0.5, None],
        "mixed": [2**60, 0.5, "a"], "larger": [2**70, 1, 2], "flag": [True, False, None],
        "none": [None, MISSING, None], "list": [[1, "é"], {"a": None}, None],
        "text": ["a", "b", "c"],
    }  # fmt: skip
    source = tmp_path / "in.jsonl"
    rows = [{k: v[i] for k, v in values.items() if v[i] is not MISSING} for i in range(3)]
    source.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    table = parquet.read_table(written(source, tmp_path / "out.parquet", rows=1))
    kinds = {name: str(table.schema.field(name).type) for name in values}
    assert kinds == {
        "whole": "int64", "long": "int64", "number": "double", "mixed": "string",
        "larger": "string", "flag": "bool", "none": "string", "list": "string", "text": "string",
    }  # fmt: skip
    assert table["whole"].to_pylist() == [1, None, -3]
    assert table["long"].to_pylist() == [1, 2**60, None]
    assert table["number"].to_pylist() == [1.0, 0.5, None]
    assert table["mixed"].to_pylist() == [str(2**60), "0.5", "a"]
    assert table["list"].to_pylist() == ['[1, "é"]', '{"a": null}', None]
    assert (table["label"].type, table["p"].type) == (pyarrow.string(), pyarrow.float64())


@pytest.fixture
def typed(tmp_path: Path) -> Path:
    """Parquet of many types."""
    utc = datetime.UTC
    table = pyarrow.table({
        "text": pyarrow.array(["a", "ü", None], pyarrow.large_string()),
        "kind": pyarrow.array(["x", "y", "x"]).dictionary_encode(),
        "day": [datetime.date(2024, 5, 1), None, datetime.date(1, 1, 1)],
        "at": pyarrow.array([1, 10**18 + 1, None], pyarrow.timestamp("ns", "UTC")),
        "when": [datetime.datetime(2024, 5, 1, 7, 30, tzinfo=utc)] * 3,
        "price": [decimal.Decimal("1.10"), None, decimal.Decimal("2.00")],
        "n": pyarrow.array([1, 2, None], pyarrow.int8()), "f": [0.5, float("nan"), float("inf")],
        "list": [["a"], [], None], "struct": [{"a": 1}, {"a": None}, None],
    }).replace_schema_metadata({"made by": "somebody"})  # fmt: skip
    parquet.write_table(table, tmp_path / "in.parquet")
    return tmp_path / "in.parquet"


def test_parquet_keeps_its_types(
    typed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_rows, "ROWS_OF_GROUP", 2)
    before = parquet.read_table(typed)
    after = parquet.read_table(written(typed, tmp_path / "out.parquet", rows=1))
    numbers = [table["f"].to_pylist() for table in (before, after)]
    assert str(numbers[0]) == str(numbers[1]) == "[0.5, nan, inf]"  # NaN equals nothing
    names = [name for name in before.column_names if name != "f"]
    assert after.select(names).equals(before.select(names), check_metadata=True)
    assert after.column_names == [*before.column_names, "label", "p", "found"]
    file = parquet.ParquetFile(tmp_path / "out.parquet")
    assert [file.metadata.row_group(at).num_rows for at in range(2)] == [2, 1]


def test_parquet_as_text(typed: Path, tmp_path: Path) -> None:
    rows = columns_of(written(typed, tmp_path / "out.csv"))
    assert rows["text"] == ["a", "ü", ""]
    assert rows["day"] == ["2024-05-01", "", "0001-01-01"]
    assert rows["at"][1] == "2001-09-09 01:46:40.000000001Z"
    assert rows["price"] == ["1.10", "", "2.00"]
    assert (rows["n"], rows["list"][0], rows["struct"][0]) == (["1", "2", ""], '["a"]', '{"a": 1}')
    lines = written(typed, tmp_path / "out.jsonl").read_text("utf-8").splitlines()
    second = json.loads(lines[1], parse_constant=lambda name: pytest.fail(name))
    assert (second["text"], second["f"], second["day"], second["n"]) == ("ü", None, None, 2)
    assert json.loads(lines[0])["price"] == "1.10"


def test_bytes_are_for_parquet_alone(tmp_path: Path) -> None:
    parquet.write_table(pyarrow.table({"text": ["a"], "raw": [b"\xff"]}), tmp_path / "in.parquet")
    with pytest.raises(InputError, match=r"a cell holds bytes, which only \.parquet can hold"):
        written(tmp_path / "in.parquet", tmp_path / "out.csv")
    written(tmp_path / "in.parquet", tmp_path / "out.parquet")


def test_a_workbook_becomes_a_table(tmp_path: Path) -> None:
    written_xlsx(tmp_path / "in.xlsx", {"In": [["text", "n"], ["ü", 1], ["=1", True]]})
    rows = columns_of(written(tmp_path / "in.xlsx", tmp_path / "out.csv"))
    assert (rows["text"], rows["n"]) == (["ü", "=1"], ["1", "TRUE"])


def test_columns_twice(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("text,note,note\na,b,c\n", "utf-8")
    out = written(tmp_path / "in.csv", tmp_path / "out.csv")
    assert out.read_text("utf-8") == "text,note,note,label,p,found\na,b,c,l\t0,0.0,[]\n"
    for ending in (".jsonl", ".parquet"):
        with pytest.raises(
            InputError, match=r"has 2 columns 'note', which a \.\w+ file cannot have"
        ):
            written(tmp_path / "in.csv", tmp_path / f"out{ending}")


@pytest.mark.parametrize("name", ["in.csv", "in.jsonl"])
def test_a_name_that_is_taken_is_refused_wherever_it_comes(tmp_path: Path, name: str) -> None:
    text = "text,p\na,1\n" if name == "in.csv" else '{"text": "a"}\n' * 9 + '{"text":"a","p":1}\n'
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(InputError, match=r"has a column 'p' already; .*--prefix iso_$"):
        written(tmp_path / name, tmp_path / "out.jsonl")


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("out.txt", {}, r"ends in one of \.csv, \.tsv, \.jsonl, \.ndjson, \.parquet"),
        ("out", {}, "ends in one of"),
        ("out.parquet.gz", {}, "ends in one of"),
        ("out.xlsx", {}, r"for Excel write \.csv with --excel"),
        ("out.jsonl", {"excel": True}, r"--excel is for \.csv and \.tsv; leave it out"),
        ("out.csv.gz", {"excel": True}, r"--excel is for \.csv and \.tsv"),
    ],
)
def test_what_is_not_written(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        RowTarget(Path(name), **options)


def test_random_tables_come_back(tmp_path: Path) -> None:
    chosen = random.Random(5)
    for n in range(20):
        names = [f"c{at}" for at in range(chosen.randrange(3))]
        rows = [["text", *names]]
        rows += [
            ["".join(chosen.choices("\"',;\t\r\n=- aé\0", k=chosen.randrange(6))) for _ in rows[0]]
            for _ in range(chosen.randrange(1, 9))
        ]
        source = tmp_path / f"{n}.csv.gz"
        text = "\n".join(",".join('"' + c.replace('"', '""') + '"' for c in row) for row in rows)
        source.write_bytes(gzip.compress(text.encode()))
        before = columns_of(source)
        for ending in chosen.sample(ENDINGS, 3):
            after = columns_of(
                written(source, tmp_path / f"{n}out{ending}"),
                quoting="csv" if ".tsv" in ending else "auto",
            )
            assert {name: after[name] for name in before} == before
