"""Sheets of Excel workbooks (.xlsx) as rows of text, read by python-calamine.

`records` reads them as it reads tables. A workbook is a zip of XML, and calamine lays a sheet out
as one rectangle, from the first cell to the last: two cells in opposite corners would take all
memory, and so would a long text that is stored once and named by many cells, as calamine copies it
to each. So `_refuse_dangerous` first reads the archive as a stream, with sizes bounded.
"""

import datetime
import re
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.parsers import expat

from isogloss.compat import require
from isogloss.data.lines import opened
from isogloss.data.tables import Row
from isogloss.errors import InputError, counted, did_you_mean
from isogloss.progress import logger
from isogloss.totals import tell

LARGEST_WORKBOOK = 1 << 29  # bytes, unpacked
MOST_CELLS = 1 << 26  # of the rectangle that holds all of a sheet
MOST_TEXT = 1 << 28  # characters of the texts that a sheet's cells share, each as often as named

_OLD = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"  # of .xls, and of an encrypted workbook
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SHARED = "xl/sharedstrings.xml"  # calamine looks there, in any case
_PLACE = re.compile("([A-Z]{1,3})([0-9]{1,7})")
_BLOCK_BYTES = 1 << 20
_LARGEST_WHOLE = 1e15  # up to here a float holds every whole number of a spreadsheet
_DAMAGED = "is not an Excel workbook, or is damaged; save it again, or as .csv"


def workbook_rows(path: Path, sheet: str | None) -> Iterator[Row]:
    """Yield the rows of a sheet with their numbers, all of one length, empty ones at the end left.

    Cells are text: a number as it is stored, a date as ISO 8601 has it, TRUE or FALSE. An error
    such as #N/A is empty, and so is a formula that was never computed. Rows before the first cell
    and columns before it are no part of the table.

    Parameters
    ----------
    sheet
        Its name; None: the first one that is not hidden.

    Raises
    ------
    InputError
        When the file is no workbook, is damaged, encrypted, an .xls or too large; when there is no
        such sheet.
    """
    calamine = _calamine(path)
    _refuse_others(path)
    _refuse_dangerous(path)
    try:
        workbook = calamine.CalamineWorkbook.from_path(path)
        visible = calamine.SheetVisibleEnum.Visible
        is_visible = {
            one.name: one.visible == visible
            for one in workbook.sheets_metadata
            if one.typ == calamine.SheetTypeEnum.WorkSheet
        }
        name = _sheet(is_visible, sheet, path)
        rows = workbook.get_sheet_by_name(name).iter_rows()
    except calamine.CalamineError as error:
        raise InputError(_DAMAGED, path=path) from error
    yield from _without_empty_end(rows)


def _calamine(path: Path) -> Any:
    return require(
        "python_calamine", extra="excel", why=f"{path}: reading .xlsx",
        distribution="python-calamine",
    )  # fmt: skip


def _without_empty_end(rows: Iterator[list[Any]]) -> Iterator[Row]:
    """Yield the rows from the first with a cell to the last; columns without a name are kept."""
    waiting: list[Row] = []
    is_begun = False
    for number, cells in enumerate(rows, 1):
        fields = tuple(map(_text, cells))
        is_empty = not any(fields)
        if not is_empty or is_begun:
            waiting.append((fields, number))
        if not is_empty:
            is_begun = True
            yield from waiting
            waiting.clear()


def _text(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, float) and value.is_integer() and abs(value) < _LARGEST_WHOLE:
        return str(int(value))
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    return str(value)


def _sheet(is_visible: dict[str, bool], sheet: str | None, path: Path) -> str:
    """Return the name of the sheet to read, and say which it is where there are several."""
    if sheet is not None and sheet not in is_visible:
        raise InputError(f"has no sheet '{sheet}'; {did_you_mean(sheet, is_visible)}", path=path)
    if not is_visible:
        raise InputError("has no sheet with cells; save one as .csv", path=path)
    if sheet is not None:
        return sheet
    chosen = next((name for name, seen in is_visible.items() if seen), next(iter(is_visible)))
    others = tuple(f"'{name}'" for name in is_visible if name != chosen)
    tell(partial(_other_sheets, path, chosen), others, by=logger.info)
    return chosen


def other_sheets(path: Path) -> str:
    """Return the tail of an error sentence: which sheets a workbook has; "" of one, or no workbook.

    For a file that was read and lacks something, which another of its sheets may have.
    """
    if path.suffix != ".xlsx":
        return ""
    names = _calamine(path).CalamineWorkbook.from_path(path).sheet_names
    if len(names) < 2:
        return ""
    return f"; its sheets, for --sheet: {', '.join(names[:12])}"


def _other_sheets(path: Path, chosen: str, others: tuple[str, ...]) -> str:
    named = ", ".join(others[:12])
    return (
        f"{path}: sheet '{chosen}' is read; {counted(len(others), 'other')} with --sheet: {named}"
    )


def _refuse_others(path: Path) -> None:
    """Refuse what is no zip; say of Excel's own older and encrypted forms what they are."""
    with opened(path) as stream:
        start = stream.read(len(_OLD))
        if start == _OLD:
            rest = stream.read(LARGEST_WORKBOOK)
            if _ENCRYPTED in rest:
                raise InputError("is encrypted; save it without a password, or as .csv", path=path)
            raise InputError(
                "is a workbook of Excel 97 to 2003 (.xls); save it as .xlsx or .csv", path=path
            )
    if not start.startswith(b"PK"):
        raise InputError(_DAMAGED, path=path)


def _refuse_dangerous(path: Path) -> None:
    """Read the whole archive once, in bounded memory; refuse what is damaged or too large."""
    try:
        with zipfile.ZipFile(path) as archive:
            parts = archive.infolist()
            if sum(part.file_size for part in parts) > LARGEST_WORKBOOK:
                raise InputError(
                    f"holds more than {LARGEST_WORKBOOK >> 20} MB; save the sheet as .csv",
                    path=path,
                )
            shared: list[int] = []
            # Texts that cells share come first: a cell only names one by its number.
            for part in sorted(parts, key=lambda one: one.filename.lower() != _SHARED):
                _Cells(path, shared).read(archive, part)
    except (
        zipfile.BadZipFile, zlib.error, EOFError, expat.ExpatError, NotImplementedError,
        RuntimeError, ValueError, OSError,
    ) as error:  # fmt: skip
        if isinstance(error, InputError):
            raise
        raise InputError(_DAMAGED, path=path) from error


class _Cells:
    """The rectangle of one part's cells, found as calamine finds it; parts without cells have none.

    A part that is no XML may not be one that holds a sheet.

    Parameters
    ----------
    shared
        Lengths of the texts that cells share, to which those of this part are added.
    """

    def __init__(self, path: Path, shared: list[int]) -> None:
        self._path, self._shared = path, shared
        self._n_characters = 0  # of shared texts, in cells so far
        self._named = False  # whether this cell holds the number of a shared text
        self._number = ""
        self._row = self._column = 0  # where the cell before was, from 1
        self._least: tuple[int, int] | None = None
        self._most = (0, 0)

    def read(self, archive: zipfile.ZipFile, part: zipfile.ZipInfo) -> None:
        """Read the part to its end; its checksum is compared on the way."""
        is_xml = part.filename.lower().endswith((".xml", ".rels"))
        parser = expat.ParserCreate("UTF-8")
        parser.StartElementHandler = self._begin
        if part.filename.lower() == _SHARED:
            parser.CharacterDataHandler = self._lengthen
        else:
            parser.CharacterDataHandler = self._take
            parser.EndElementHandler = self._end
        before = b""
        with archive.open(part) as stream:
            while block := stream.read(_BLOCK_BYTES):
                if is_xml:
                    parser.Parse(block, False)
                elif b"sheetData" in before + block:
                    raise ValueError("cells in a part that is not named .xml")
                before = block[-16:]
        if is_xml:
            parser.Parse(b"", True)

    def _begin(self, tag: str, attributes: dict[str, str]) -> None:
        kind = tag.rpartition(":")[2] if ":" in tag else tag
        if kind == "row":
            self._row = int(attributes["r"]) if "r" in attributes else self._row + 1
            self._column = 0
        elif kind == "c":
            self._at(attributes.get("r"))
            self._named = attributes.get("t") == "s"
        elif kind == "v":
            self._number = ""
        elif kind == "si":
            self._shared.append(0)

    def _lengthen(self, text: str) -> None:
        if self._shared:
            self._shared[-1] += len(text)

    def _take(self, text: str) -> None:
        if self._named:
            self._number += text.strip()

    def _end(self, tag: str) -> None:
        if not self._named or tag.rpartition(":")[2] != "c":
            return
        self._named = False
        number = int(self._number) if self._number.isdecimal() else len(self._shared)
        self._n_characters += self._shared[number] if number < len(self._shared) else 0
        if self._n_characters > MOST_TEXT:
            raise InputError(
                f"holds more than {MOST_TEXT:,} characters in its cells; save the sheet as .csv",
                path=self._path,
            )

    def _at(self, place: str | None) -> None:
        if place is None:
            self._column += 1
        else:
            found = _PLACE.fullmatch(place)
            if found is None:
                raise ValueError(f"a cell is at {place!r}")
            self._row, self._column = int(found[2]), _number(found[1])
        here = (self._row, self._column)
        least = here if self._least is None else self._least
        self._least = (min(least[0], here[0]), min(least[1], here[1]))
        self._most = (max(self._most[0], here[0]), max(self._most[1], here[1]))
        height, width = (self._most[i] - self._least[i] + 1 for i in (0, 1))
        if height * width > MOST_CELLS:
            raise InputError(
                f"has cells so far apart that its table would have {height:,} rows of {width:,} "
                "columns; remove what lies outside the table",
                path=self._path,
            )


def _number(letters: str) -> int:
    """Return the number of a column, from 1: of A 1, of AA 27."""
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number
