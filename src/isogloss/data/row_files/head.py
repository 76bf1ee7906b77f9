"""What is known of a file before its rows are written: that all can be read, its columns' kinds.

A file is read once before: a fault in its last row is found before any work, and a field of JSON
Lines may come first in the last line.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from isogloss.data.blocks import ROWS, RowBlock, read_row_blocks
from isogloss.data.documents import FileFormat
from isogloss.data.lines import STANDARD_INPUT
from isogloss.data.records import Records
from isogloss.data.row_files.cells import Kind, joint_kind, kind_of
from isogloss.totals import untold


@dataclass(frozen=True)
class Head:
    """Columns of a file.

    Attributes
    ----------
    names
        In their order; a table may have one twice.
    kinds
        Of each column; all texts in a table.
    delimiter
        Of a table that is written as CSV: that of a CSV file.
    schema
        Of Parquet, as `pyarrow.Schema`.
    is_json
        Whether records are JSON objects, which may lack a field.
    header
        Of a table: the names with the blanks around them; None: it has no header.
    """

    names: list[str]
    kinds: list[Kind]
    delimiter: str = ","
    schema: Any = None
    is_json: bool = False
    header: list[str] | None = None


@dataclass(frozen=True)
class OpenedRows:
    """A file whose rows can be read.

    Attributes
    ----------
    state
        What a change of the file changes; None where it is read once only, as standard input.
    """

    path: Path
    head: Head
    blocks: Iterator[RowBlock]
    state: tuple[int, int] | None


def open_rows(
    path: Path | str, *, format: FileFormat, rows: int = ROWS, may_be_empty: bool = False
) -> OpenedRows:
    """Open a file of rows to write them back; takes and raises what `read_row_blocks` does.

    What can be read once only is not looked at before; JSON Lines are then read whole.
    """
    path = Path(path)
    state = state_of(path)
    blocks_of = partial(read_row_blocks, path, format=format, rows=rows, may_be_empty=may_be_empty)
    if state is not None:
        with untold():
            head = _head(block.records for block in blocks_of())
        if ".tsv" in path.suffixes[-2:]:  # tabs are for rows that are written as TSV again
            head = replace(head, delimiter=",")
        return OpenedRows(path, head, blocks_of(), state)
    blocks = blocks_of()
    first = next(blocks)
    read = [first] if first.records.json_lines is None else [first, *blocks]
    return OpenedRows(path, _head(block.records for block in read), chain(read, blocks), None)


def state_of(path: Path) -> tuple[int, int] | None:
    """Return size and time of change of a file; None of what is none."""
    if path == STANDARD_INPUT or not path.is_file():
        return None
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def _head(blocks: Iterable[Records]) -> Head:
    """Return what is known after some rows, or all, at least one block."""
    kinds: dict[str, Kind | None] = {}
    for records in blocks:
        if records.json_lines is None:
            continue
        for at, name in enumerate(records.columns):
            kind = kinds.get(name)
            for value in records.values(at):
                kind = joint_kind(kind, kind_of(value))
            kinds[name] = kind
    if kinds:
        return Head(list(kinds), [kind or "text" for kind in kinds.values()], is_json=True)
    of_table: list[Kind] = ["text"] * len(records.columns)
    schema = None if records.batch is None else records.batch.schema
    return Head(records.columns, of_table, records.delimiter, schema=schema, header=records.header)
