"""Rows of a file as Parquet, with more columns behind them; columns of Parquet keep their types."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from isogloss.data.records import Records
from isogloss.data.row_files.added import Added, AddedCells, AddedKind
from isogloss.data.row_files.arrow_cells import arrow_column, plain_cells, type_of
from isogloss.data.row_files.cells import Kind
from isogloss.data.row_files.head import Head

ROWS_OF_GROUP = 1 << 16
BYTES_OF_GROUP = 1 << 26  # in memory; a group of rows is written when it has either

_KINDS: dict[AddedKind, Kind] = {"text": "text", "number": "number", "json": "text"}


class ParquetRows:
    """Writes rows as Parquet; a group of rows is in memory at a time."""

    def __init__(self, path: Path, head: Head, added: Sequence[Added]) -> None:
        import pyarrow
        from pyarrow import parquet

        self._head = head
        self._added = list(added)
        fields = list(head.schema or ()) or [
            pyarrow.field(name, type_of(kind))
            for name, kind in zip(head.names, head.kinds, strict=True)
        ]
        fields += [pyarrow.field(column.name, _type_of(column)) for column in added]
        metadata = None if head.schema is None else head.schema.metadata
        self._schema = pyarrow.schema(fields, metadata=metadata)
        self._writer = parquet.ParquetWriter(path, self._schema)
        self._waiting: list[Any] = []

    def write(self, records: Records, cells: AddedCells) -> None:
        """Write some rows, with a cell for each in every added column."""
        import pyarrow

        columns = (
            [
                arrow_column(plain_cells(records, at), kind)
                for at, kind in enumerate(self._head.kinds)
            ]
            if records.batch is None
            else list(records.batch.columns)
        )
        columns += [
            _column(values, column) for values, column in zip(cells, self._added, strict=True)
        ]
        self._waiting.append(pyarrow.RecordBatch.from_arrays(columns, schema=self._schema))
        n_rows = sum(one.num_rows for one in self._waiting)
        n_bytes = sum(one.nbytes for one in self._waiting)
        if n_rows >= ROWS_OF_GROUP or n_bytes >= BYTES_OF_GROUP:
            self._write_group()

    def add_to_footer(self, entries: Mapping[str, str]) -> None:
        """Add texts to the footer of the file, by name."""
        self._writer.add_key_value_metadata(dict(entries))

    def end(self) -> None:
        """Write what waits, and the end of the file."""
        self._write_group()
        self._writer.close()

    def close(self) -> None:
        """Let go of the file; one that was not ended will not be kept, and may be full."""
        import pyarrow

        with suppress(OSError, pyarrow.ArrowException):
            self._writer.close()

    def _write_group(self) -> None:
        import pyarrow

        if self._waiting:
            group = pyarrow.Table.from_batches(self._waiting, self._schema)
            self._writer.write_table(group, row_group_size=group.num_rows)
            self._waiting.clear()


def _type_of(column: Added) -> Any:
    import pyarrow

    if column.kind == "vector":
        return pyarrow.list_(pyarrow.float32(), column.width)
    return type_of(_KINDS[column.kind])


def _column(values: Any, column: Added) -> Any:
    import pyarrow

    if column.kind == "vector":
        flat = pyarrow.array(values.reshape(-1), pyarrow.float32())
        return pyarrow.FixedSizeListArray.from_arrays(flat, column.width)
    return arrow_column(values, _KINDS[column.kind])
