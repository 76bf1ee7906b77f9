"""What is known of a file before its rows are written: that all can be read, its columns' kinds.

A file of text is read once before: a fault in its last row is found before any work, and a field of
JSON Lines may come first in the last line. Parquet says in its footer what its columns are.
"""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from isogloss.data.blocks import ROWS, RowBlock, look_at_parquet, read_row_blocks
from isogloss.data.documents import FileFormat, id_column, ids_of
from isogloss.data.lines import STANDARD_INPUT
from isogloss.data.parquet_files import holds_ids
from isogloss.data.records import Records, ending_of, read_some
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
    path: Path | str, *, format: FileFormat, rows: int = ROWS, may_be_empty: bool = False,
    beside: Collection[str] | None = None,
) -> OpenedRows:  # fmt: skip
    """Open a file of rows to write them back; takes and raises what `read_row_blocks` does.

    What can be read once only is not looked at before; JSON Lines are then read whole. Of columns
    of JSON Lines that are not `beside`, where that is given, the kind is not found out.
    """
    path = Path(path)
    state = state_of(path)
    blocks_of = partial(
        read_row_blocks, path, format=format, rows=rows, may_be_empty=may_be_empty, beside=beside
    )
    if state is not None:
        with untold():
            if ending_of(path) == ".parquet":
                head = _head_of_parquet(path, format, may_be_empty=may_be_empty)
                return OpenedRows(path, head, blocks_of(), state)
            head = _head((block.records for block in blocks_of()), beside)
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


def _head_of_parquet(path: Path, format: FileFormat, *, may_be_empty: bool) -> Head:
    """Return what the footer says; ids are read where their type does not say that they are."""
    looked_at, _ = look_at_parquet(path, format, may_be_empty=may_be_empty)
    names, schema = looked_at.records.columns, looked_at.records.batch.schema
    of_ids = id_column(names, format)
    if of_ids is not None and not holds_ids(schema.field(names.index(of_ids)).type):
        for records in read_some(path, format.reading, rows=None, columns_of_parquet=[of_ids]):
            ids_of(records, of_ids, path)
    return Head(names, ["text"] * len(names), schema=schema)


def _head(blocks: Iterable[Records], beside: Collection[str] | None = None) -> Head:
    """Return what is known after some rows, or all, at least one block."""
    kinds: dict[str, Kind | None] = {}
    for records in blocks:
        if records.json_lines is None:
            continue
        for at, name in enumerate(records.columns):
            kind = kinds.get(name)
            is_wanted = beside is None or name in beside
            for value in records.values(at) if is_wanted else ():
                kind = joint_kind(kind, kind_of(value))
            kinds[name] = kind
    if kinds:
        return Head(list(kinds), [kind or "text" for kind in kinds.values()], is_json=True)
    of_table: list[Kind] = ["text"] * len(records.columns)
    schema = None if records.batch is None else records.batch.schema
    return Head(records.columns, of_table, records.delimiter, schema=schema, header=records.header)
