"""Columns that are put behind those of a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from isogloss.data.row_files.head import Head
from isogloss.errors import InputError

AddedKind = Literal["text", "number", "json", "vector"]


@dataclass(frozen=True)
class Added:
    """A column; its cells are texts, numbers, or what JSON holds, each perhaps None.

    Vectors are an array of float32 (n_rows, width), for Parquet alone.
    """

    name: str
    kind: AddedKind
    width: int = 0


AddedCells = Sequence[Any]  # a sequence of each added column in turn, one cell a row


def refuse_taken(head: Head, added: Sequence[Added], path: Path) -> None:
    """Raise `InputError` where a file has a column of that name, or two would have one."""
    names = [column.name for column in added]
    taken = [name for name in names if name in head.names]
    if taken:
        shown = ", ".join(f"'{name}'" for name in taken[:4])
        columns = "a column" if len(taken) == 1 else "columns"
        raise InputError(
            f"has {columns} {shown} already; name the new columns with --prefix, such as "
            "--prefix iso_",
            path=path,
        )
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InputError(f"two new columns would be named '{twice}'; leave --scores out")
