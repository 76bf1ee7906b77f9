"""Documents of a file in blocks, for `encode` and `kb link`: memory does not grow with the file.

A .tsv with quotes is read whole from the first line that holds one, unless the quoting is given.
"""

from collections.abc import Iterator
from pathlib import Path

from isogloss.data.documents import Documents, FileFormat, documents_of
from isogloss.data.records import NO_RECORDS, read_some, refuse_empty

ROWS = 8192  # of a block


def read_blocks(path: Path | str, *, format: FileFormat, rows: int = ROWS) -> Iterator[Documents]:
    """Yield the documents of a file without their labels, in order, at least one block.

    Parameters
    ----------
    path, format
        As `read_documents` takes them.
    rows
        Most documents of a block.

    Raises
    ------
    InputError
        What `read_documents` does; where the fault is in a later block, when that is reached.
    """
    path = Path(path)
    is_empty, records = True, NO_RECORDS
    for records in read_some(path, named=format.named, quoting=format.quoting, rows=rows):
        if records.lines:
            yield documents_of(records, path, format)
            is_empty = False
    if is_empty:
        refuse_empty(records, path)
