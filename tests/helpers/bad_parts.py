"""Files that are no parts, or odd ones: name, content, and what is said of it.

Every command that takes parts reads the same ones.
"""

import bz2
import gzip
import json
import lzma
import os
from pathlib import Path
from typing import Any

import pyarrow
import pytest
from pyarrow import parquet

TEXTS = ["a", "字字"]
NO_TEXTS = pyarrow.array([], "string")
N_ROWS = 300
CSV = "id,text\n" + "".join(f"{row},{row * 77777:x}\n" for row in range(N_ROWS))
JSONL = "".join(json.dumps({"id": row, "text": f"{row * 77777:x}"}) + "\n" for row in range(N_ROWS))


def table(**columns: Any) -> pyarrow.Table:
    return pyarrow.table(columns)


def write_part(path: Path, content: Any) -> None:
    """Write a table as Parquet, or text, or bytes."""
    if callable(content):
        content(path)
    elif isinstance(content, pyarrow.Table):
        parquet.write_table(content, path, row_group_size=1)
    else:
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def zstd(text: str) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").ZstdCompressor().compress(text.encode())
    return packed


def truncated(path: Path) -> None:
    parquet.write_table(table(id=["a"], text=["b"]), path)
    path.write_bytes(path.read_bytes()[:-6])


def without_middle(path: Path) -> None:
    """Write a file whose footer is whole, and whose rows are not there."""
    parquet.write_table(table(id=["a"] * 99, text=["b" * 99] * 99), path)
    written = path.read_bytes()
    path.write_bytes(written[:4] + b"\xff" * 60 + written[64:])


def not_utf8(path: Path) -> None:
    buffers = pyarrow.array([b"\xff\xfe", b"ok"], "binary").buffers()
    text = pyarrow.Array.from_buffers(pyarrow.string(), 2, buffers)
    parquet.write_table(table(id=TEXTS, text=text), path)


def of_columns(*names: str) -> pyarrow.Table:
    return pyarrow.Table.from_arrays([pyarrow.array(TEXTS)] * len(names), names=names)


BAD: dict[str, tuple[Any, str]] = {
    "truncated.parquet": (truncated, "is not a Parquet file, or is damaged"),
    "nothing.parquet": ("", "is not a Parquet file, or is damaged"),
    "no-middle.parquet": (without_middle, "cannot be read, the file is damaged"),
    "not-utf8.parquet": (not_utf8, "a cell of 'text' cannot be read"),
    "no-rows-no-text.parquet": (table(id=NO_TEXTS, body=NO_TEXTS), "no column 'text' among id"),
    "no-rows-numbers.parquet": (table(id=NO_TEXTS, text=pyarrow.array([], "int64")),
                                "'text' is of the type int64, not text; write it as text"),
    "no-rows-no-text.csv": ("id,body\n", "no column 'text' among id, body"),
    "no-lines.jsonl": ("", "is empty; give a file with texts"),
    "no-columns.parquet": (table(), "is empty; give a file with texts"),
    "other-columns.parquet": (table(id=TEXTS, body=TEXTS), "no column 'text' among id, body"),
    "two-texts.parquet": (of_columns("id", "text", "text"), "has 2 columns 'text'; rename all"),
    "two-ids.parquet": (of_columns("id", "id", "text"), "has 2 columns 'id'; rename all but one"),
    "numbers.parquet": (table(id=TEXTS, text=[1, 2]), "'text' is of the type int64, not text"),
    "numbers-of-dictionary.parquet": (
        table(id=TEXTS, text=pyarrow.array([1, 2]).dictionary_encode()),
        "'text' is of the type int64, not text",
    ),
    "bytes.parquet": (table(id=TEXTS, text=[b"a", b"b"]), "'text' is of the type binary, not text"),
    "lists.parquet": (table(id=TEXTS, text=[["a"], ["b"]]), "'text' is of the type list<"),
    "nested.parquet": (table(id=[{"a": 1}, {"a": 2}], text=TEXTS), "the id in 'id' is {'a': 1}"),
    "lists-of-ids.parquet": (table(id=[[1], [2]], text=TEXTS), "the id in 'id' is [1]"),
    "fractions.parquet": (table(id=[1.0, 1.5], text=TEXTS), "parquet:2: the id in 'id' is 1.5"),
    "numbers.jsonl": ('{"id": 1, "text": "a"}\n{"id": 2, "text": 3}\n', "'text' is 3, not text"),
    "nested.jsonl": ('{"id": {"a": 1}, "text": "a"}\n', "the id in 'id' is {'a': 1}"),
    "cut.jsonl": ('{"id": 1, "text": "a"}\n{"id": 2, "te', "is not JSON"),
    "nothing.csv": ("", "is empty; give a file with texts"),
    "no-header.tsv": ("1\ta\n2\tb\n", "no column 'text' among 1, a"),
    "short.csv": ("id,text\n1,a\n2\n", "1 field"),
    "cut.csv.gz": (gzip.compress(CSV.encode())[:-200], "is gzip, cut off or damaged"),
    "cut-by-one.jsonl.gz": (gzip.compress(JSONL.encode())[:-1], "is gzip, cut off or damaged"),
    "cut.jsonl.zst": (zstd(JSONL)[:-200], "is zstd, cut off or damaged"),
    "cut-by-one.csv.zst": (zstd(CSV)[:-1], "is zstd, cut off or damaged"),
    "one-byte.csv.gz": (b"\x1f", "is not compressed as its name says, or damaged"),
    "bzip2.csv.gz": (bz2.compress(CSV.encode()), "is not compressed as its name says, or damaged"),
    "xz.csv": (lzma.compress(CSV.encode()), "is compressed as xz, which is not read here; unpack"),
    "latin.csv": ("id,text\n1,é\n".encode("latin-1"), "is not UTF-8"),
    "pipe.csv": (os.mkfifo, "is a pipe or device; a part is a file"),
    "loop.csv": (lambda path: path.symlink_to(path), "Too many levels of symbolic links"),
    "gone.csv": (lambda path: path.symlink_to("/no/where.csv"),
                 "is a link to /no/where.csv, which is not there"),
}  # fmt: skip

GOOD: dict[str, Any] = {
    "dictionary.parquet": table(
        id=pyarrow.array(TEXTS).dictionary_encode(), text=pyarrow.array(TEXTS).dictionary_encode()
    ),
    "large.parquet": table(id=pyarrow.array(TEXTS, "large_string"),
                           text=pyarrow.array(TEXTS, "large_string")),
    "views.parquet": table(id=pyarrow.array(TEXTS, "string_view"),
                           text=pyarrow.array(TEXTS, "string_view")),
    "large-dictionary.parquet": table(
        id=TEXTS, text=pyarrow.array(TEXTS, "large_string").dictionary_encode()
    ),
    "nulls.parquet": table(id=[None, "b"], text=["a", None]),
    "only-nulls.parquet": table(id=pyarrow.nulls(2), text=pyarrow.nulls(2)),
    "whole-numbers.parquet": table(id=[1.0, None], text=TEXTS),
    "a b 'c' \"d\" 🙂.parquet": table(id=TEXTS, text=TEXTS),
    "-[1]%20*.parquet": table(id=[1, 2], text=TEXTS),
    "same.csv": "id,text\n1,a\n2,字字\n",
    "same.jsonl": '{"id": 1, "text": "a"}\n{"id": 2, "text": "字字"}\n',
}  # fmt: skip
WITHOUT_ROWS: dict[str, Any] = {
    "no-rows.parquet": table(id=pyarrow.array([], "int64"), text=NO_TEXTS),
    "null.parquet": table(id=pyarrow.nulls(0), text=pyarrow.nulls(0)),
    "no-rows-of-dictionary.parquet": table(id=NO_TEXTS, text=NO_TEXTS.dictionary_encode()),
    "header.csv": "id,text\n",
    "header.tsv.gz": gzip.compress(b"id\ttext\n"),
}
WITH_NULLS = {"nulls.parquet": 1, "only-nulls.parquet": 2}  # and how many texts they lack


def write_bad_and_good(folder: Path) -> Path:
    """Write all of them, also a link within the folder, one out of it, and what is no part."""
    folder.mkdir()
    for name, (content, _) in BAD.items():
        write_part(folder / name, content)
    for name, content in GOOD.items():
        write_part(folder / name, content)
    away = folder.parent / "away"
    away.mkdir()
    write_part(away / "same.csv", GOOD["same.csv"])
    (folder / "linked.csv").symlink_to(away / "same.csv")
    (folder / "again.csv").symlink_to(folder / "same.csv")
    (folder / "round").symlink_to(folder)
    write_part(folder / "other.csv.bz2", bz2.compress(CSV.encode()))
    write_part(folder / "other.csv.xz", lzma.compress(CSV.encode()))
    return folder
