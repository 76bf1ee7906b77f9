"""Columns of Parquet as cells of other formats, and columns of other formats as Arrow's."""

from collections.abc import Sequence
from typing import Any

from isogloss.data.records import MISSING, Records
from isogloss.data.row_files.cells import Kind, text_of
from isogloss.errors import counted
from isogloss.totals import tell


def plain_cells(records: Records, at: int) -> Sequence[Any]:
    """Return a column as Python's values; times of Parquet as text, which keeps nanoseconds.

    A column that first comes in later records of JSON Lines is missing in all of these.
    """
    if at >= len(records.columns):
        return [MISSING] * len(records.lines)
    if records.batch is None:
        return records.values(at)
    import pyarrow

    column = records.batch.column(at)
    types = pyarrow.types
    if types.is_temporal(column.type) and not types.is_duration(column.type):
        cells: list[str | None] = column.cast(pyarrow.string()).to_pylist()
        return cells
    return records.values(at)


def type_of(kind: Kind) -> Any:
    """Return the Arrow type of a column."""
    import pyarrow

    return {
        "text": pyarrow.string(),
        "boolean": pyarrow.bool_(),
        "whole": pyarrow.int64(),
        "long": pyarrow.int64(),
        "number": pyarrow.float64(),
    }[kind]


def arrow_column(values: Sequence[Any], kind: Kind) -> Any:
    """Return cells as a column of a type; what is no text is text as in tables, None stays."""
    import pyarrow

    if kind != "text":
        cells = [value if isinstance(value, bool | int | float) else None for value in values]
        return pyarrow.array(cells, type_of(kind), from_pandas=False)
    texts = [text_of(value) if _is_there(value) else None for value in values]
    try:
        return pyarrow.array(texts, pyarrow.string())
    except UnicodeEncodeError:
        whole = [None if text is None else _whole(text) for text in texts]
        tell(_with_halves, sum(one != other for one, other in zip(whole, texts, strict=True)))
        return pyarrow.array(whole, pyarrow.string())


def _is_there(value: Any) -> bool:
    from isogloss.data.records import MISSING

    return value is not None and value is not MISSING


def _whole(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()


def _with_halves(n: int) -> str:
    return f"{counted(n, 'cell')} with half a character of UTF-16, written as its JSON escape"
