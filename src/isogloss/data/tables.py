"""Text with delimiters into rows of equal length, quoted or not.

There are two conventions: CSV quoting, where a field with a delimiter, a line break or a quote
is put in quotes and its own quotes are doubled; and none, where a line is a row and a quote
is a quote. `table_rows` tells them apart and warns when it cannot. `records` calls it; `documents`
selects the columns.
"""

import csv
import io
import re
import threading
import warnings
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Literal

from isogloss.data.lines import LONGEST_LINE
from isogloss.errors import InputError

Quoting = Literal["auto", "csv", "none"]
Line = tuple[int, str]  # its number, from 1, and the line with its end
# Its fields, and the line on which it begins. Tuples of strings are no work for the garbage
# collector, which lists of a million rows keep busy for as long as reading takes.
Row = tuple[tuple[str, ...], int]

_QUOTED = re.compile(r'"(?:[^"]|"")*"')
_SAID = re.compile(r'"?sep=([,;\t|])"?', re.IGNORECASE)
_NAMES = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
_limit_lock = threading.RLock()


def table_rows(
    lines: Iterable[Line], *, delimiter: str, quoting: Quoting, path: Path
) -> Iterator[Row]:
    """Yield the rows of a table, the header (if there is one) among them; see `some_rows`.

    With ``quoting="auto"`` lines are rows until one holds a quote. What follows is read whole, and
    both ways are tried; a way is possible when every row has as many fields as the first. Where
    both are possible and differ, the quotes decide: a quote inside a field that does not begin with
    one speaks against CSV quoting, a doubled quote inside a quoted field speaks for it. Where that
    leaves it open, CSV quoting is taken and a `UserWarning` says so.

    Raises
    ------
    InputError
        With the line of the first row that fits neither way, or not the one that was asked for.
    """
    if quoting == "csv":
        read, how = _csv_rows(lines, delimiter, path), " when read with CSV quoting"
    else:
        read, how = _plain_rows(lines, delimiter, path, is_sure=quoting == "none"), ""
    return _checked(read, path, how, delimiter)


def some_rows(rows: Iterator[Row], n: int | None) -> list[Row]:
    """Return the next `n` rows of a table, or all; long fields are allowed meanwhile.

    The limit of the csv module is global, and low.
    """
    with _limit_lock:
        before = csv.field_size_limit(LONGEST_LINE)
        try:
            return list(islice(rows, n))
        finally:
            csv.field_size_limit(before)


def said_delimiter(line: str) -> str | None:
    """Return the delimiter that Excel's own first line of a .csv file says, as ``sep=;``.

    Examples
    --------
    >>> said_delimiter("sep=;"), said_delimiter("id;text")
    (';', None)
    """
    found = _SAID.fullmatch(line.strip("\ufeff\r\n"))
    return None if found is None else found[1]


def guess_delimiter(header: str) -> str:
    r"""Return the delimiter of a .csv file: the most frequent of comma, semicolon and tab.

    Examples
    --------
    >>> guess_delimiter('id;text;"name, given, and family"')
    ';'
    """
    return max(",;\t", key=_QUOTED.sub("", header).count)


def other_delimiter(
    header: Sequence[str], path: Path, *, delimiter: str, name: str | None = None
) -> str:
    r"""Say how a table is read by the delimiter that it seems to have; "" where none fits better.

    Parameters
    ----------
    header
        Its first row, read by `delimiter`.
    name
        A column that is missed, which the other delimiter has to give; None: any.

    Examples
    --------
    >>> other_delimiter(["id|text"], Path("a.csv"), delimiter=",", name="text")
    'its delimiter seems to be a bar: write sep=| as its first line'
    >>> other_delimiter(["id,text"], Path("a.tsv"), delimiter="\t", name="text")
    'its delimiter seems to be a comma: let its name end in .csv'
    >>> other_delimiter(["id|texts"], Path("a.csv"), delimiter=",", name="text")
    ''
    """
    is_tsv = ".tsv" in path.suffixes[-2:]
    for other, spelt in _NAMES.items():
        fields = [field.strip().strip('"') for field in delimiter.join(header).split(other)]
        if other == delimiter or len(fields) < 2 or (name is not None and name not in fields):
            continue
        ways = ["let its name end in .csv"] if is_tsv else []
        ways += [f"write sep={other} as its first line"] if other == "|" or not is_tsv else []
        way = "let its name end in .tsv" if other == "\t" else " and ".join(ways)
        return f"its delimiter seems to be {spelt}: {way}"
    return ""


def _plain_rows(
    lines: Iterable[Line], delimiter: str, path: Path, *, is_sure: bool
) -> Iterator[Row]:
    r"""Split at ``\n`` and the delimiter only: other characters that break lines are text."""
    header: list[Line] = []
    lines = iter(lines)
    for number, line in lines:
        if not is_sure and '"' in line:
            rest = [*header, (number, line), *lines]
            yield from _settled(rest, delimiter, path)[len(header) :]
            return
        header = header or [(number, line)]
        yield tuple(line.removesuffix("\n").removesuffix("\r").split(delimiter)), number


def _csv_rows(lines: Iterable[Line], delimiter: str, path: Path) -> Iterator[Row]:
    r"""Yield rows with CSV quoting; a lone ``\r`` ends a line too."""
    starts: list[int] = []  # lines of the row that is being read

    def fed() -> Iterator[str]:
        for number, line in lines:
            for part in io.StringIO(line, newline="") if "\r" in line else (line,):
                starts.append(number)
                yield part

    try:
        for row in csv.reader(fed(), delimiter=delimiter, strict=True):
            yield tuple(row) or ("",), starts[0]
            starts.clear()
    except csv.Error as error:
        raise InputError(
            f"the row that begins here breaks CSV quoting ({error}); mend it, or say "
            "--quoting none if quotes are part of the text",
            path=path,
            line=starts[0],
        ) from error


def _settled(lines: list[Line], delimiter: str, path: Path) -> list[Row]:
    """Return the rows of lines that can be read in two ways."""
    plain, quoted = (_rows_or_error(lines, delimiter, way, path) for way in ("none", "csv"))
    if isinstance(quoted, InputError):
        if isinstance(plain, InputError):
            raise plain if (plain.line or 0) >= (quoted.line or 0) else quoted
        return plain
    if isinstance(plain, InputError):
        return quoted
    if [row for row, _ in plain] == [row for row, _ in quoted]:
        return plain
    fields = [field for row, _ in plain for field in row if '"' in field]
    stray = any(not field.startswith('"') for field in fields)
    doubled = any(field.startswith('"') and '""' in field[1:-1] for field in fields)
    same_rows = len(plain) == len(quoted)
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


def _rows_or_error(
    lines: list[Line], delimiter: str, quoting: Quoting, path: Path
) -> list[Row] | InputError:
    try:
        return list(table_rows(lines, delimiter=delimiter, quoting=quoting, path=path))
    except InputError as error:
        return error


def _checked(read: Iterator[Row], path: Path, how: str, delimiter: str) -> Iterator[Row]:
    """Refuse rows of another length than the first; blank lines at the end are left out.

    Others are rows of empty cells, so that a file of rows can be written back with all of them.
    """
    first: tuple[str, ...] = ()
    blank: list[int] = []  # lines of those since the last row
    for fields, line in read:
        first = first or fields
        width = len(first)
        if len(fields) != width > 1 and not "".join(fields).strip():
            blank.append(line)
            continue
        yield from ((("",) * width, at) for at in blank)
        blank.clear()
        if len(fields) != width:
            advice = "" if how else ", or say --quoting csv if a field holds line breaks"
            if how and len(fields) > width > 1:
                advice = f" (a field with {_NAMES[delimiter]} in it is put in double quotes)"
            other = other_delimiter(first, path, delimiter=delimiter) if width == 1 else ""
            raise InputError(
                f"has {len(fields)} field(s){how}, but the first row has {width}; "
                + (other or f"mend the row{advice}"),
                path=path,
                line=line,
            )
        yield fields, line
