"""Rows of a file as CSV, TSV or JSON Lines, with more columns behind them."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import BinaryIO

from isogloss.data.records import Records
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.data.row_files.arrow_cells import plain_cells
from isogloss.data.row_files.cells import json_of, strict, text_of
from isogloss.data.row_files.head import Head
from isogloss.data.spreadsheet_cells import MARK, with_apostrophe
from isogloss.errors import InputError, counted
from isogloss.progress import logger
from isogloss.totals import tell


@dataclass(frozen=True)
class TableForm:
    """How a table is spelled.

    Parameters
    ----------
    delimiter
        Between fields.
    quotes
        Whether fields are quoted as in CSV where they must be; if not, such a field is refused.
    excel
        Write a byte-order mark, and an apostrophe before cells that a spreadsheet would compute.
    """

    delimiter: str
    quotes: bool = True
    excel: bool = False


class TableRows:
    """Writes rows as a table of text, its header first."""

    def __init__(
        self, stream: BinaryIO, head: Head, added: Sequence[Added], form: TableForm
    ) -> None:
        self._stream, self._form, self._n_columns = stream, form, len(head.names)
        self._special = re.compile(f'[{re.escape(form.delimiter)}"\r\n]')
        self._no_field = re.compile(f"[{re.escape(form.delimiter)}\r\n]")
        if form.excel:
            stream.write(MARK.encode())
        self._write([[*(head.header or head.names), *(column.name for column in added)]], [1])

    def write(self, records: Records, cells: AddedCells) -> None:
        """Write some rows, with a cell for each in every added column."""
        columns = [plain_cells(records, at) for at in range(self._n_columns)]
        rows = zip(*(map(text_of, column) for column in (*columns, *cells)), strict=True)
        self._write(rows, records.lines)

    def _write(self, rows: Iterable[Sequence[str]], lines: Sequence[int]) -> None:
        n_apostrophes = 0
        for row, line in zip(rows, lines, strict=True):
            fields = list(row)
            if self._form.excel:
                fields = [with_apostrophe(field) for field in row]
                n_apostrophes += sum(len(a) != len(b) for a, b in zip(fields, row, strict=True))
            if self._form.quotes:
                fields = [self._quoted(field) for field in fields]
            elif broken := next(filter(self._no_field.search, fields), None):
                raise InputError(
                    f"row {line} has the cell {broken!r:.40}, which a table without quoting cannot "
                    "hold; leave --quoting none out"
                )
            self._stream.write(encoded(f"{self._form.delimiter.join(fields)}\n"))
        tell(_with_apostrophes, n_apostrophes, by=logger.info)

    def _quoted(self, field: str) -> str:
        if self._special.search(field):
            return '"' + field.replace('"', '""') + '"'
        return field


class JsonRows:
    """Writes rows as JSON Lines; those of JSON Lines stay as they are written."""

    def __init__(self, stream: BinaryIO, head: Head, added: Sequence[Added]) -> None:
        self._stream = stream
        self._names = head.names
        self._added = [column.name for column in added]

    def write(self, records: Records, cells: AddedCells) -> None:
        """Write some rows, with a cell for each in every added column."""
        lines = records.json_lines
        if lines is None:
            columns = [plain_cells(records, at) for at in range(len(records.columns))]
            lines = [
                json_of(dict(zip(self._names, map(strict, row), strict=True)))
                for row in zip(*columns, strict=True)
            ]
        for line, row in zip(lines, zip(*cells, strict=True), strict=True):
            added = json_of(dict(zip(self._added, row, strict=True)))
            self._stream.write(encoded(f"{line[:-1].rstrip()}, {added[1:]}\n"))


def encoded(line: str) -> bytes:
    r"""Return a line as UTF-8; half a character of UTF-16, as JSON may hold, is spelled out."""
    try:
        return line.encode()
    except UnicodeEncodeError:
        tell(_with_halves, 1)
        return line.encode("utf-8", "backslashreplace")


def _with_halves(n: int) -> str:
    return f"{counted(n, 'row')} with half a character of UTF-16, written as its JSON escape"


def _with_apostrophes(n: int) -> str:
    return f"an apostrophe put before {counted(n, 'cell')} that a spreadsheet would compute"
