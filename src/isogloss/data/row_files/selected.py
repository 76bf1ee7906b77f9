"""Some of the columns of a file that is opened; its documents are read from all."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from isogloss.data.blocks import RowBlock
from isogloss.data.records import MISSING, Records
from isogloss.data.row_files.head import Head, OpenedRows
from isogloss.errors import InputError, did_you_mean


def with_columns(rows: OpenedRows, names: Sequence[str]) -> OpenedRows:
    """Return a file whose rows have these columns alone, in this order.

    Raises
    ------
    InputError
        When a column is not there, or is there twice.
    """
    for name in names:
        n_found = rows.head.names.count(name)
        if not n_found:
            raise InputError(
                f"no column '{name:.40}' to keep; {did_you_mean(name, rows.head.names)}",
                path=rows.path,
            )
        if n_found > 1:
            raise InputError(f"has {n_found} columns '{name}'; rename all but one", path=rows.path)
    blocks = (RowBlock(_selected(block.records, names), block.documents) for block in rows.blocks)
    return replace(rows, head=_head(rows.head, names), blocks=blocks)


def _head(head: Head, names: Sequence[str]) -> Head:
    schema = None
    if head.schema is not None:
        import pyarrow

        # Not its metadata: pandas' would name columns that are gone.
        schema = pyarrow.schema([head.schema.field(name) for name in names])
    return replace(
        head, names=list(names), kinds=[head.kinds[head.names.index(name)] for name in names],
        schema=schema, header=None if head.header is None else list(names),
    )  # fmt: skip


def _selected(records: Records, names: Sequence[str]) -> Records:
    return replace(
        records, columns=list(names), values=partial(_values, records, names),
        header=None if records.header is None else list(names),
        batch=None if records.batch is None else records.batch.select(names), json_lines=None,
    )  # fmt: skip


def _values(records: Records, names: Sequence[str], at: int) -> list[Any]:
    """Return a column; JSON objects may lack a field that later ones have."""
    if names[at] not in records.columns:
        return [MISSING] * len(records.lines)
    return records.values(records.columns.index(names[at]))
