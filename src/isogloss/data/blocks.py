"""Documents of a file in blocks, for `encode` and `kb link`: memory does not grow with the file.

A .tsv with quotes is read whole from the first line that holds one, unless the quoting is given.
"""

from collections.abc import Iterator
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
from isogloss.data.records import MISSING, NO_RECORDS, Records, read_some, refuse_empty
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
    return (block.documents for block in read_row_blocks(path, format=format, rows=rows))


def read_row_blocks(
    path: Path | str, *, format: FileFormat, rows: int | None = ROWS, may_be_empty: bool = False
) -> Iterator[RowBlock]:
    """Yield rows of a file and their documents without labels, in order, at least one block.

    Parameters
    ----------
    path, format
        As `read_documents` takes them.
    rows
        Most documents of a block; None: all at once, save of Parquet.
    may_be_empty
        Yield one block without rows of a file that has columns, the right ones, and no rows.

    Raises
    ------
    InputError
        What `read_documents` does; where the fault is in a later block, when that is reached. Also
        where an object of JSON Lines has a field by which earlier ones should have been read.
    """
    path = Path(path)
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
    documents = documents_of(records, path, format)  # which says what is missing
    _refuse_other_types(records, path, format)
    yield RowBlock(records, documents)


def _refuse_other_types(records: Records, path: Path, format: FileFormat) -> None:
    """Refuse a column of texts of another type, which no row of an empty Parquet file shows."""
    if records.batch is None:
        return
    for name in text_columns(records.columns, path, format):
        found = records.batch.schema.field(name).type
        if not may_hold_text(found):
            raise InputError(
                f"'{name}' is of the type {found}, not text; write it as text", path=path
            )


def _refuse_late(column: str, records: Records, path: Path) -> None:
    values = records.values(records.columns.index(column))
    row = next(row for row, value in enumerate(values) if value is not MISSING)
    raise InputError(
        f"has the field '{column}', which no line before has, and texts or ids are read from it; "
        "give it to the first line too, null where there is none",
        path=path,
        line=records.lines[row],
    )
