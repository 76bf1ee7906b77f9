"""Documents of a file in blocks, for `encode` and `kb link`: memory does not grow with the file.

A .tsv with quotes is read whole from the first line that holds one, unless the quoting is given. Of
Parquet no column is read that nobody asks for.
"""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from isogloss.data.documents import (
    Documents,
    FileFormat,
    columns_read,
    documents_of,
    text_columns,
)
from isogloss.data.parquet_files import may_hold_text
from isogloss.data.records import (
    MISSING,
    NO_RECORDS,
    Records,
    ending_of,
    parquet_head,
    read_some,
    refuse_empty,
)
from isogloss.errors import InputError

ROWS = 8192  # of a block


@dataclass(frozen=True)
class RowBlock:
    """Some rows of a file: all that it says of them, and the documents in them."""

    records: Records
    documents: Documents


def read_blocks(path: Path | str, *, format: FileFormat, rows: int = ROWS) -> Iterator[Documents]:
    """Yield the documents of a file without their labels, in order, at least one block.

    Takes and raises what `read_row_blocks` does.
    """
    blocks = read_row_blocks(path, format=format, rows=rows, beside=())
    return (block.documents for block in blocks)


def read_row_blocks(
    path: Path | str, *, format: FileFormat, rows: int | None = ROWS, may_be_empty: bool = False,
    beside: Collection[str] | None = None,
) -> Iterator[RowBlock]:  # fmt: skip
    """Yield rows of a file and their documents without labels, in order, at least one block.

    Parameters
    ----------
    path, format
        As `read_documents` takes them.
    rows
        Most documents of a block; None: all at once, save of Parquet.
    may_be_empty
        Yield one block without rows of a file that has columns, the right ones, and no rows.
    beside
        Of Parquet: columns that are wanted beside those of the documents, where they are there;
        others are not read. None: all are wanted.

    Raises
    ------
    InputError
        What `read_documents` does; where the fault is in a later block, when that is reached. Also
        where an object of JSON Lines has a field by which earlier ones should have been read.
    """
    path = Path(path)
    if ending_of(path) == ".parquet":
        yield from _blocks_of_parquet(path, format, rows, may_be_empty, beside)
        return
    settled: list[str] | None = None
    records = NO_RECORDS
    for records in read_some(path, format.reading, rows=rows):
        if records.lines:
            columns = columns_read(records.columns, path, format)
            if settled is not None and columns != settled:
                _refuse_late(next(one for one in columns if one not in settled), records, path)
            yield RowBlock(records, documents_of(records, path, format))
            settled = columns
    if settled is not None:
        return
    if not (may_be_empty and records.columns):
        refuse_empty(records, path)
    yield RowBlock(records, documents_of(records, path, format))  # which says what is missing


def look_at_parquet(path: Path, format: FileFormat, *, may_be_empty: bool) -> tuple[RowBlock, int]:
    """Return a Parquet file without its rows, and how many there are; its footer says all of it.

    Raises
    ------
    InputError
        When a column is missing, or those of the texts are of another type.
    """
    records, n_rows = parquet_head(path, format.reading)
    if not records.columns or not (n_rows or may_be_empty):
        refuse_empty(records, path)
    block = RowBlock(records, documents_of(records, path, format))
    for name in text_columns(records.columns, path, format):
        found = records.batch.schema.field(name).type
        if not may_hold_text(found):
            raise InputError(
                f"'{name}' is of the type {found}, not text; write it as text", path=path
            )
    return block, n_rows


def _blocks_of_parquet(
    path: Path, format: FileFormat, rows: int | None, may_be_empty: bool,
    beside: Collection[str] | None,
) -> Iterator[RowBlock]:  # fmt: skip
    head, n_rows = look_at_parquet(path, format, may_be_empty=may_be_empty)
    if not n_rows:
        yield head
        return
    wanted = None
    if beside is not None:
        of_documents = columns_read(head.records.columns, path, format)
        wanted = list(dict.fromkeys([*of_documents, *beside]))
    for records in read_some(path, format.reading, rows=rows, columns_of_parquet=wanted):
        yield RowBlock(records, documents_of(records, path, format))


def _refuse_late(column: str, records: Records, path: Path) -> None:
    values = records.values(records.columns.index(column))
    row = next(row for row, value in enumerate(values) if value is not MISSING)
    raise InputError(
        f"has the field '{column}', which no line before has, and texts or ids are read from it; "
        "give it to the first line too, null where there is none",
        path=path,
        line=records.lines[row],
    )
