"""A file of rows that is written, by the ending of its name: the formats that are read.

CSV and TSV, JSON Lines, each also as .gz or .zst, and Parquet. A CSV file made of another has its
delimiter. What is written has its place when all is there; `storage.atomic` sees to that.
"""

import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from isogloss.compat import require
from isogloss.data.lines import COMPRESSED
from isogloss.data.records import Records
from isogloss.data.row_files.added import Added, AddedCells, refuse_taken
from isogloss.data.row_files.head import Head, OpenedRows
from isogloss.data.row_files.parquet_rows import ParquetRows
from isogloss.data.row_files.text_rows import JsonRows, TableForm, TableRows
from isogloss.errors import InputError

ENDINGS = (".csv", ".tsv", ".jsonl", ".ndjson", ".parquet")
TABLES = (".csv", ".tsv")


class RowWriter(Protocol):
    """Writes rows of a file, with more columns behind them."""

    def write(self, records: Records, cells: AddedCells) -> None:
        """Write some rows, with a cell for each in every added column."""
        ...


@dataclass(frozen=True)
class RowTarget:
    """A file of rows to make.

    Parameters
    ----------
    path
        Its name ends in one of `ENDINGS`, each save .parquet also with .gz or .zst.
    quotes
        Of .tsv: whether fields are quoted as in CSV where they must be.
    excel
        Of .csv and .tsv: for spreadsheets, see `text_rows.TableForm`.

    Raises
    ------
    InputError
        For another ending, or `excel` of a file that no spreadsheet opens.
    """

    path: Path
    quotes: bool = True
    excel: bool = False

    def __post_init__(self) -> None:
        ending, path = self.ending, self.path
        if ending not in ENDINGS or (ending == ".parquet" and path.suffix != ending):
            advice = "; for Excel write .csv with --excel" if ending in (".xlsx", ".xls") else ""
            raise InputError(
                f"rows are written to a name that ends in one of {', '.join(ENDINGS)}, with .gz "
                f"or .zst to compress it (not .parquet){advice}",
                path=path,
            )
        if self.excel and path.suffix not in TABLES:
            raise InputError("--excel is for .csv and .tsv; leave it out", path=path)

    @property
    def ending(self) -> str:
        """The ending that tells the format."""
        path = self.path
        return Path(path.stem).suffix if path.suffix in COMPRESSED else path.suffix

    def refuse_misfit(self, rows: OpenedRows, added: Sequence[Added]) -> None:
        """Raise `InputError` where the rows of a file cannot be written here."""
        refuse_taken(rows.head, added, rows.path)
        names = rows.head.names
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None and self.ending not in TABLES:
            raise InputError(
                f"has {names.count(twice)} columns '{twice}', which a {self.ending} file cannot "
                "have; rename all but one, or write .csv",
                path=rows.path,
            )

    @contextmanager
    def opened(self, path: Path, head: Head, added: Sequence[Added]) -> Iterator[RowWriter]:
        """Yield the writer of this file, which is made at `path` for the time being."""
        if self.ending == ".parquet":
            rows = ParquetRows(path, head, added)
            with closing(rows):
                yield rows
                rows.end()
            return
        with _stream(path, self.path.suffix) as stream:
            if self.ending in TABLES:
                delimiter = "\t" if self.ending == ".tsv" else head.delimiter
                quotes = self.quotes or self.ending == ".csv"
                yield TableRows(stream, head, added, TableForm(delimiter, quotes, self.excel))
            else:
                yield JsonRows(stream, head, added)


@contextmanager
def _stream(path: Path, ending: str) -> Iterator[BinaryIO]:
    """Open a file to write bytes, compressed as its ending says, and the same for the same rows."""
    with path.open("wb") as file:
        if ending == ".gz":
            packed = gzip.GzipFile("", "wb", fileobj=file, mtime=0)
            with packed, io.BufferedWriter(cast("io.RawIOBase", packed)) as stream:
                yield stream
        elif ending == ".zst":
            zstandard = require("zstandard", extra="zstd", why="writing .zst")
            packed = zstandard.ZstdCompressor().stream_writer(file, closefd=False)
            with packed, io.BufferedWriter(packed) as stream:
                yield stream
        else:
            yield file
