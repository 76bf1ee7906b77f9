"""One file of rows → one file of the same rows with more columns behind, block by block.

`run_part` is what a command for one file runs, and what each process of a run over many parts
does. It knows nothing of who calls it, nor of what a task makes of texts.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from isogloss.data.blocks import RowBlock
from isogloss.data.lines import STANDARD_INPUT
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.data.row_files.head import OpenedRows, state_of
from isogloss.data.row_files.parquet_rows import ParquetRows
from isogloss.data.row_files.writing import RowTarget
from isogloss.errors import InputError
from isogloss.parts.source import RowSource
from isogloss.storage.atomic import sync
from isogloss.storage.files import atomic_file, sha256_of


class PartWork(Protocol):
    """What is done with the rows of one file."""

    def cells(self, block: RowBlock) -> AddedCells:
        """Return the cells of each added column for the next rows."""
        ...

    def facts(self) -> dict[str, Any]:
        """Return what came of all rows, as JSON: the summary is merged from it."""
        ...


class PartTask(Protocol):
    """What is done with files of rows: which columns are added, and how."""

    @property
    def added(self) -> Sequence[Added]:
        """The columns, in their order."""
        ...

    def begin(self, source: RowSource) -> PartWork:
        """Return the work on one file."""
        ...


@dataclass(frozen=True)
class PartMade:
    """What was made of a file.

    Attributes
    ----------
    sha256
        Of the source; None where it can be read once only.
    n_bytes
        Of the source; as above.
    seconds
        Of reading, working and writing.
    facts
        What `PartWork.facts` gave.
    """

    sha256: str | None
    n_bytes: int | None
    n_rows: int
    seconds: float
    facts: dict[str, Any]


Footer = Callable[[PartMade], Mapping[str, str]]


def run_part(
    task: PartTask,
    source: RowSource,
    target: RowTarget,
    *,
    opened: OpenedRows | None = None,
    overwrite: bool = False,
    footer: Footer | None = None,
    beside: Callable[[PartMade], None] | None = None,
) -> PartMade:
    """Write the rows of a file with what a task adds; a chunk of rows is in memory at a time.

    Parameters
    ----------
    opened
        The source, where it is open already.
    overwrite
        Replace what is there.
    footer
        Of Parquet: makes the entries of its footer.
    beside
        Writes what belongs to the file, just before that gets its place.

    Raises
    ------
    InputError
        When the source cannot be read to its end, has a column of a name that is added, or the
        target cannot be written. What was there before stays then.
    """
    rows = source.opened(task.added) if opened is None else opened
    target.refuse_misfit(rows, task.added)
    work, n_rows, start = task.begin(source), 0, time.monotonic()
    sha256 = None if rows.state is None else sha256_of(source.path)
    with atomic_file(target.path, overwrite=overwrite) as made:
        with target.opened(made, rows.head, task.added) as writer:
            for block in rows.blocks:
                if block.records.lines:  # a part may have no rows
                    writer.write(block.records, work.cells(block))
                    n_rows += len(block.records.lines)
            if state_of(source.path) != rows.state:
                raise InputError("was changed while it was read; run it again", path=source.path)
            part = PartMade(
                sha256, None if rows.state is None else rows.state[0], n_rows,
                round(time.monotonic() - start, 3), work.facts(),
            )  # fmt: skip
            if footer is not None and isinstance(writer, ParquetRows):
                writer.add_to_footer(footer(part))
        if beside is not None:
            sync(made)  # what is beside it must not come before its rows are sure to
            beside(part)
    return part


def shown_name(path: Path) -> str:
    """Return the name of a source, as summaries have it."""
    return "standard input" if path == STANDARD_INPUT else path.name
