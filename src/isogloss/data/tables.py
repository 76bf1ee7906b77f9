"""Text with delimiters into rows of equal length, quoted or not.

There are two conventions: CSV quoting, where a field with a delimiter, a line break or a quote
is put in quotes and its own quotes are doubled; and none, where a line is a row and a quote
is a quote. `parse_table` tells them apart and warns when it cannot. `records` calls it; `documents`
selects the columns.
"""

import csv
import io
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from isogloss.data.lines import LONGEST_LINE
from isogloss.errors import InputError

Quoting = Literal["auto", "csv", "none"]

_limit_lock = threading.RLock()


@dataclass(frozen=True)
class Grid:
    """Rows of equal length, the header (if there is one) among them.

    Parameters
    ----------
    rows
        Fields of each row.
    lines
        Line of the file (1-based) on which each row begins.
    """

    rows: list[list[str]]
    lines: list[int]


def parse_table(text: str, *, delimiter: str, quoting: Quoting, path: Path) -> Grid:
    """Split text into rows and fields.

    With ``quoting="auto"`` both ways are tried; a way is possible when every row has as many
    fields as the first. Where both are possible and differ, the quotes decide: a quote inside a
    field that does not begin with one speaks against CSV quoting, a doubled quote inside a quoted
    field speaks for it. Where that leaves it open, CSV quoting is taken and a `UserWarning` says
    so.

    Raises
    ------
    InputError
        With the line of the first row that fits neither way, or not the one that was asked for.
    """
    if quoting == "none" or (quoting == "auto" and '"' not in text):
        return _parse_plain(text, delimiter, path)
    if quoting == "csv":
        return _parse_csv(text, delimiter, path)
    plain = _or_error(_parse_plain, text, delimiter, path)
    quoted = _or_error(_parse_csv, text, delimiter, path)
    if isinstance(plain, Grid) and isinstance(quoted, Grid):
        return plain if plain.rows == quoted.rows else _choose(plain, quoted, path)
    if isinstance(plain, Grid):
        return plain
    if isinstance(quoted, Grid):
        return quoted
    raise plain if (plain.line or 0) >= (quoted.line or 0) else quoted


def guess_delimiter(header: str) -> str:
    """Return the delimiter of a .csv file: the most frequent of comma, semicolon and tab."""
    return max(",;\t", key=header.count)


def _choose(plain: Grid, quoted: Grid, path: Path) -> Grid:
    fields = [field for row in plain.rows for field in row if '"' in field]
    stray = any(not field.startswith('"') for field in fields)
    doubled = any(field.startswith('"') and '""' in field[1:-1] for field in fields)
    same_rows = len(plain.rows) == len(quoted.rows)
    if same_rows and stray and not doubled:
        return plain
    if stray or not doubled or not same_rows:
        warnings.warn(
            f"{path}: quotes can be read as CSV quoting or as part of the text; taken as CSV "
            "quoting (say --quoting none or --quoting csv to settle it)",
            UserWarning,
            stacklevel=4,
        )
    return quoted


def _or_error(
    parse: Callable[[str, str, Path], Grid], text: str, delimiter: str, path: Path
) -> Grid | InputError:
    try:
        return parse(text, delimiter, path)
    except InputError as error:
        return error


def _parse_plain(text: str, delimiter: str, path: Path) -> Grid:
    r"""Split at ``\n`` and the delimiter only: other characters that break lines are text."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    rows = [line.removesuffix("\r").split(delimiter) for line in lines]
    return _checked(Grid(rows, list(range(1, len(rows) + 1))), path, "")


def _parse_csv(text: str, delimiter: str, path: Path) -> Grid:
    with long_fields():
        read = list(csv_rows(io.StringIO(text, newline=""), delimiter, path))
    rows, starts = [row for row, _ in read], [line for _, line in read]
    return _checked(Grid(rows, starts), path, " when read with CSV quoting")


def csv_rows(lines: Iterable[str], delimiter: str, path: Path) -> Iterator[tuple[list[str], int]]:
    r"""Yield rows with CSV quoting, and the line on which each begins; within `long_fields`.

    Parameters
    ----------
    lines
        With their ends; a lone ``\r`` ends one too.
    """
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    line = 1
    try:
        for row in reader:
            yield row or [""], line
            line = reader.line_num + 1
    except csv.Error as error:
        raise InputError(
            f"the row that begins here breaks CSV quoting ({error}); mend it, or say "
            "--quoting none if quotes are part of the text",
            path=path,
            line=line,
        ) from error


def _checked(grid: Grid, path: Path, how: str) -> Grid:
    """Drop blank lines at the end, and refuse rows of another length than the first."""
    width = len(grid.rows[0]) if grid.rows else 0
    while width > 1 and grid.rows[-1] == [""]:
        grid.rows.pop()
        grid.lines.pop()
    for row, line in zip(grid.rows, grid.lines, strict=True):
        if len(row) != width:
            raise wrong_width(len(row), width, path, line, how)
    return grid


def wrong_width(n_fields: int, width: int, path: Path, line: int, how: str = "") -> InputError:
    """Return the fault of a row of another length than the first; `how` it was read."""
    return InputError(
        f"has {n_fields} field(s){how}, but the first row has {width}; mend the row"
        + ("" if how else ", or say --quoting csv if a field holds line breaks"),
        path=path,
        line=line,
    )


@contextmanager
def long_fields() -> Iterator[None]:
    """Set the limit of the csv module, which is global and low, for a while."""
    with _limit_lock:
        before = csv.field_size_limit(LONGEST_LINE)
        try:
            yield
        finally:
            csv.field_size_limit(before)
