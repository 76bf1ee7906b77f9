"""Parquet files of users: record batches with their faults said, and cells as Python's values.

`records` makes columns of them. pyarrow is loaded where a file is opened.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isogloss.data.lines import LONGEST_LINE, opened
from isogloss.errors import InputError

ROWS_AT_ONCE = 1024


def open_parquet(path: Path) -> Any:
    """Return a file as `pyarrow.parquet.ParquetFile`; `InputError` where it is none."""
    import pyarrow
    from pyarrow import parquet

    if not path.is_file():
        with opened(path):  # says what is wrong
            pass
    try:
        return parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            "is not a Parquet file, or is damaged; write it again", path=path
        ) from error


def parquet_batches(
    file: Any, path: Path, *, rows: int, columns: list[str] | None = None
) -> Iterator[Any]:
    """Yield the record batches of a file, each of at most so many rows.

    Raises
    ------
    InputError
        When the file is damaged, or a cell is too long.
    """
    import pyarrow

    first = 1
    try:
        for batch in file.iter_batches(min(rows, ROWS_AT_ONCE), columns=columns):
            for name, cells in zip(batch.schema.names, batch.columns, strict=True):
                _refuse_long_cell(cells, name, path, first_row=first)
            yield batch
            first += batch.num_rows
    except (pyarrow.ArrowException, OSError) as error:
        raise InputError(
            "cannot be read, the file is damaged; write it again", path=path
        ) from error


def cells_of(batch: Any, path: Path, at: int) -> list[Any]:
    """Return a column of a batch as Python's values; `InputError` where one is damaged."""
    try:
        cells: list[Any] = batch.column(at).to_pylist()
    except (UnicodeDecodeError, ValueError) as error:
        raise InputError(
            f"a cell of '{batch.schema.names[at]}' cannot be read ({error}); write the file again",
            path=path,
        ) from error
    return cells


def without_rows(schema: Any, columns: list[str]) -> Any:
    """Return a record batch of some columns of a schema that has no rows."""
    import pyarrow

    fields = [schema.field(at) for at, name in enumerate(schema.names) if name in columns]
    return pyarrow.RecordBatch.from_arrays(
        [pyarrow.nulls(0, field.type) for field in fields],
        schema=pyarrow.schema(fields, metadata=schema.metadata),
    )


def may_hold_text(type: Any) -> bool:
    """Whether cells of an Arrow type are texts or null."""
    import pyarrow

    types = pyarrow.types
    if types.is_dictionary(type):
        return may_hold_text(type.value_type)
    kinds = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(is_kind(type) for is_kind in kinds)


def holds_ids(type: Any) -> bool:
    """Whether all cells of an Arrow type are ids or null; a number with a fraction is none."""
    import pyarrow

    return may_hold_text(type) or bool(pyarrow.types.is_integer(type))


def _refuse_long_cell(cells: Any, column: str, path: Path, *, first_row: int) -> None:
    import pyarrow
    from pyarrow import compute

    has_lengths = pyarrow.types.is_string(cells.type) or pyarrow.types.is_large_string(cells.type)
    if not has_lengths or cells.nbytes <= LONGEST_LINE:
        return
    longest = compute.binary_length(cells).fill_null(0).to_numpy(zero_copy_only=False)
    if longest.max(initial=0) > LONGEST_LINE:
        raise InputError(
            f"the cell of '{column}' is longer than {LONGEST_LINE >> 20} MB; break it up",
            path=path,
            line=first_row + int(longest.argmax()),
        )
