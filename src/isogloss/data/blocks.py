"""Documents of a file in blocks, for `encode` and `kb link`: memory does not grow with the file.

A .tsv with quotes is read whole from the first line that holds one, unless the quoting is given.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from isogloss.data.documents import Documents, FileFormat, columns_read, documents_of
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
    path: Path | str, *, format: FileFormat, rows: int | None = ROWS
) -> Iterator[RowBlock]:
    """Yield rows of a file and their documents without labels, in order, at least one block.

    Parameters
    ----------
    path, format
        As `read_documents` takes them.
    rows
        Most documents of a block; None: all at once, save of Parquet.

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
    if settled is None:
        refuse_empty(records, path)


def _refuse_late(column: str, records: Records, path: Path) -> None:
    values = records.values(records.columns.index(column))
    row = next(row for row, value in enumerate(values) if value is not MISSING)
    raise InputError(
        f"has the field '{column}', which no line before has, and texts or ids are read from it; "
        "give it to the first line too, null where there is none",
        path=path,
        line=records.lines[row],
    )
