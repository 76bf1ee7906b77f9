"""A file read some documents at a time holds what it holds when it is read whole."""

import json
import random
import warnings
from itertools import islice
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

from isogloss.data.blocks import read_blocks
from isogloss.data.documents import FileFormat, read_documents
from isogloss.errors import InputError

TEXTS = [
    "Überraschung",
    "порт, закрыт",
    "الميناء",
    'a "quoted" word',
    "two\nlines",
    "",
    "港口 😀",
    "x\ty",
]


def rows() -> list[str]:
    chosen = random.Random(3)
    return [chosen.choice(TEXTS) + str(row) * (row % 3) for row in range(57)]


def written(folder: Path, kind: str) -> Path:
    """Write a file of the kind, with texts that it can hold."""
    path = folder / kind
    if kind == "a.parquet":
        parquet.write_table(pyarrow.table({"id": range(57), "text": rows()}), path)
    elif kind == "a.jsonl":
        lines = [json.dumps({"id": i, "text": text}) for i, text in enumerate(rows())]
        path.write_text("\n\n".join(lines) + "\n")
    elif kind == "quoted.csv":
        fields = [text.replace('"', '""') for text in rows()]
        path.write_text("id,text\r\n" + "".join(f'{i},"{x}"\r\n' for i, x in enumerate(fields)))
    else:
        plain = [text.replace("\n", " ").replace("\t", " ") for text in rows()]
        if kind == "plain.tsv":
            plain = [text.replace('"', "") for text in plain]
        if kind == "a.txt":
            path.write_text("\n".join(plain))
        elif kind == "numbered.tsv":
            path.write_text("".join(f"{i}\t{text}\n" for i, text in enumerate(plain)))
        else:
            path.write_text(
                "id\ttext\n" + "".join(f"{i}\t{x}\n" for i, x in enumerate(plain)) + "\n"
            )
    return path


@pytest.mark.parametrize("n", [1, 7, 1000])
@pytest.mark.parametrize(
    "kind",
    [
        "a.parquet",
        "a.jsonl",
        "quoted.csv",
        "plain.tsv",
        "stray.tsv",
        "a.txt",
        "numbered.tsv",
        "none",
    ],
)
def test_blocks_are_the_whole(tmp_path: Path, kind: str, n: int) -> None:
    path = written(tmp_path, kind)
    format = FileFormat(text=("2",)) if kind == "numbered.tsv" else FileFormat()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        whole = read_documents(path, format=format, needs_label=False)
        blocks = list(read_blocks(path, format=format, rows=n))
    assert [text for block in blocks for text in block.texts] == whole.texts
    assert [line for block in blocks for line in block.lines] == whole.lines
    if whole.ids is not None:
        assert [one for block in blocks for one in block.ids or []] == whole.ids
    if n == 7 and kind in ("a.parquet", "a.jsonl", "quoted.csv", "plain.tsv", "a.txt"):
        assert len(blocks) > 3


def test_only_the_blocks_asked_for_are_read(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("text\n" + "word\n" * 100 + '"an open field\n' + "word\n" * 5)
    blocks = read_blocks(path, format=FileFormat(), rows=10)
    assert [len(block.texts) for block in islice(blocks, 9)] == [9, *[10] * 8]
    with pytest.raises(InputError, match=r"a\.csv:102: .*breaks CSV quoting"):
        list(blocks)


@pytest.mark.parametrize(
    ("text", "said"),
    [("", "is empty"), ("text\n", "has the columns text and no rows"),
     ("a\tb\n1\t2\n", "no column"), ('id\ttext\n1\tx\n2\t"y\n3\n', r":4: has 1 field"),
     ("id\ttext\n" + "1\tx\n" * 9 + "2\n", r":11: has 1 field")],
)  # fmt: skip
def test_faults_have_their_line(tmp_path: Path, text: str, said: str) -> None:
    (tmp_path / "a.tsv").write_text(text)
    with pytest.raises(InputError, match=said):
        list(read_blocks(tmp_path / "a.tsv", format=FileFormat(), rows=4))


@pytest.mark.parametrize("name", ["a", "a.txt", "a.tsv", "a.csv", "a.jsonl"])
@pytest.mark.parametrize("data", [b"", b"\xef\xbb\xbf"])
def test_a_file_without_text_is_empty(tmp_path: Path, name: str, data: bytes) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match="is empty; give a file with texts"):
        list(read_blocks(tmp_path / name, format=FileFormat()))


def test_a_cell_of_parquet_that_is_not_utf8_is_one_sentence(tmp_path: Path) -> None:
    buffers = pyarrow.array([b"a", b"\xff"], pyarrow.binary()).buffers()
    column = pyarrow.Array.from_buffers(pyarrow.string(), 2, buffers)
    parquet.write_table(pyarrow.table({"text": column}), tmp_path / "t.parquet")
    for read in (
        lambda path: list(read_blocks(str(path), format=FileFormat())),
        lambda path: read_documents(path, format=FileFormat(), needs_label=False),
    ):
        with pytest.raises(InputError, match="a cell of 'text' cannot be read"):
            read(tmp_path / "t.parquet")


@pytest.mark.parametrize(
    ("first", "late", "column"),
    [
        ({"text": "a"}, {"text": "b", "id": "1"}, "id"),
        ({"text": "a", "sent_id": 1}, {"text": "b", "id": "1"}, "id"),
        ({"body": "a"}, {"text": "b"}, "text"),
    ],
)
def test_a_field_that_comes_late_has_its_line(
    tmp_path: Path, first: dict[str, Any], late: dict[str, Any], column: str
) -> None:
    path, format = tmp_path / "a.jsonl", FileFormat(text=("text",), or_text=(("body",),))
    write_lines(path, [first] * 9 + [late])
    blocks = read_blocks(path, format=format, rows=4)
    assert [len(block.texts) for block in islice(blocks, 2)] == [4, 4]
    with pytest.raises(InputError, match=rf"a\.jsonl:10: has the field '{column}', which no line"):
        next(blocks)


def test_ids_that_the_first_lines_lack_may_be_null_there(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = [{"text": "a", "id": None}, *[{"text": "a"}] * 8]
    write_lines(tmp_path / "a.jsonl", [*lines, {"text": "b", "id": 1}])
    blocks = list(read_blocks(tmp_path / "a.jsonl", format=FileFormat(), rows=4))
    assert [one for block in blocks for one in block.ids or []] == [None] * 9 + ["1"]


def test_a_field_that_comes_late_and_is_not_read_is_no_fault(tmp_path: Path) -> None:
    lines = [{"text": "a", "id": 1}] * 9 + [{"text": "b", "id": 2, "sent_id": 3, "more": 4}]
    write_lines(tmp_path / "a.jsonl", lines)
    blocks = list(read_blocks(tmp_path / "a.jsonl", format=FileFormat(), rows=4))
    assert [one for block in blocks for one in block.ids or []] == ["1"] * 9 + ["2"]


@pytest.mark.parametrize(("value", "shown"), [([1], r"\[1\]"), (True, "True"), (1.5, "1.5")])
@pytest.mark.parametrize("row", [0, 9])
def test_an_id_of_another_kind_has_its_line(
    tmp_path: Path, value: object, shown: str, row: int
) -> None:
    lines: list[dict[str, Any]] = [{"text": "a", "id": 1} for _ in range(11)]
    lines[row]["id"] = value
    write_lines(tmp_path / "a.jsonl", lines)
    with pytest.raises(InputError, match=rf"a\.jsonl:{row + 1}: the id in 'id' is {shown}; it"):
        list(read_blocks(tmp_path / "a.jsonl", format=FileFormat(), rows=4))


def test_numbers_of_a_table_that_lacks_some_are_ids(tmp_path: Path) -> None:
    ids = pyarrow.array([1.0, float("nan"), None, 2.0])
    parquet.write_table(pyarrow.table({"id": ids, "text": list("abcd")}), tmp_path / "a.parquet")
    read = read_documents(tmp_path / "a.parquet", format=FileFormat(), needs_label=False)
    assert read.ids == ["1", None, None, "2"]


@pytest.mark.parametrize("row", [0, 9])
def test_a_key_that_stands_twice_has_its_line(
    tmp_path: Path, row: int, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = ['{"text": "a"}'] * 11
    lines[row] = '{"text": "a", "text": "b"}'
    (tmp_path / "a").write_text("\n".join(lines))  # told by its first line
    (tmp_path / "a.jsonl").write_text("\n".join(lines))
    for name in ("a", "a.jsonl"):
        with pytest.raises(InputError, match=rf"{name}:{row + 1}: .*'text' stands twice in one"):
            list(read_blocks(tmp_path / name, format=FileFormat(), rows=4))


def write_lines(path: Path, records: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
