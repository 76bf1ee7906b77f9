"""The sheet that a human fills in: a table for a spreadsheet, read back whatever saved it.

Columns are found by their names, rows by their numbers; another separator, order or quoting, a
byte-order mark and more columns change nothing. A text that a spreadsheet would compute or take for
a number gets an apostrophe before it.
"""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.data.records import MISSING, Reading, Records, read_records
from isogloss.data.spreadsheet_cells import MARK, with_apostrophe
from isogloss.errors import InputError, nearest

ROW, LANG, TEXT, LABEL, NOTE, ANSWER = "row", "lang", "text", "label", "note", "answer"
COLUMNS = (ROW, LANG, TEXT, LABEL, NOTE)
NEEDED = (ROW, LANG, TEXT, LABEL)
LONGEST_CELL = 30_000  # characters; spreadsheets cut at 32,767
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True)
class SheetRow:
    """A row of a sheet: what its cells hold, and its line in the file."""

    row: int
    lang: str
    text: str
    label: str  # "" where there is none
    line: int


def shown_text(text: str) -> str:
    """Return a text as a cell can hold it: not too long, half characters as their escapes."""
    return text[:LONGEST_CELL].encode("utf-8", "backslashreplace").decode()


def sheet_bytes(
    rows: Sequence[Sequence[str]],
    *,
    delimiter: str,
    with_answers: bool,
    labels: Mapping[int, str] | None = None,
) -> bytes:
    """Return a sheet: rows of row, lang, text and, `with_answers`, the model's answer.

    Parameters
    ----------
    labels
        Number of a row → what its label is already.
    """
    written = io.StringIO(newline="")
    writer = csv.writer(written, delimiter=delimiter, lineterminator="\n")
    writer.writerow([*COLUMNS, *([ANSWER] if with_answers else [])])
    for row, lang, text, *answer in rows:
        label = _protected((labels or {}).get(int(row), ""))
        writer.writerow([row, lang, _protected(text), label, "", *map(_protected, answer)])
    return (MARK + written.getvalue()).encode()


def possible_texts(cell: str) -> list[str]:
    """Return the texts that a cell may have been made of: an apostrophe may have been put."""
    return [cell, cell[1:]] if cell.startswith("'") else [cell]


def read_sheet(path: Path, *, encoding: str | None = None) -> list[SheetRow]:
    """Read the rows of a sheet; blank ones, as spreadsheets leave them, are passed over.

    Parameters
    ----------
    encoding
        As `records.Reading` has it.

    Raises
    ------
    InputError
        What the reader of tables says; a column is missing; a row without its number.
    """
    records = read_records(path, Reading(quoting="csv", encoding=encoding))
    columns = {name: _column(records, name, path) for name in NEEDED}
    values = {name: records.values(at) for name, at in columns.items()}
    rows = []
    for at, line in enumerate(records.lines):
        cells = {name: _cell(values[name][at]) for name in NEEDED}
        if not any(cells.values()):
            continue
        number = cells[ROW].removesuffix(".0")
        if not number.isascii() or not number.isdecimal() or len(number) > 12:
            raise InputError(
                f"the column '{ROW}' holds {cells[ROW]!r:.40}, not the number of a row; leave it "
                "as it was drawn",
                path=path, line=line,
            )  # fmt: skip
        rows.append(SheetRow(int(number), cells[LANG], cells[TEXT], cells[LABEL], line))
    return rows


def _protected(text: str) -> str:
    has_letters = not text or _LETTER.search(text) is not None  # else it may be a number or a date
    return with_apostrophe(text) if has_letters else f"'{text}"


def _cell(value: Any) -> str:
    if value is None or value is MISSING:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _column(records: Records, name: str, path: Path) -> int:
    folded = [column.strip().casefold() for column in records.columns]
    if folded.count(name) == 1:
        return folded.index(name)
    if name in folded:
        raise InputError(f"has {folded.count(name)} columns '{name}'; remove all but one",
                         path=path)  # fmt: skip
    near = nearest(name, records.columns)
    shown = ", ".join(column[:20] for column in records.columns[:8])
    advice = f"rename '{near:.20}'" if near else "put it back as it was drawn"
    raise InputError(f"has no column '{name}' among {shown}; {advice}", path=path)
