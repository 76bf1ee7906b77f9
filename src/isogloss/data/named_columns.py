"""Columns of a file by the names that a user gave, or a sentence on why one is not there.

``--text message --text body`` reads one file by ``message`` and another by ``body``; the choice is
logged, with the other columns. What is advised where a column is missed depends on who chose its
name, on what the columns are called, and on whether another delimiter would give it. `documents`
selects its columns with it.
"""

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

from isogloss.data.records import Records
from isogloss.data.tables import other_delimiter
from isogloss.data.workbooks import other_sheets
from isogloss.errors import InputError, nearest

Columns = TypeVar("Columns", str, tuple[str, ...], str | tuple[str, ...])
logger = logging.getLogger(__name__)

_TABLES = (".csv", ".tsv")


def find_column(
    records: Records, name: str, option: str, path: Path, *, is_asked: bool = True,
    fixed_by: str | None = None, has_label: bool = True,
) -> int:  # fmt: skip
    """Return the position of a column.

    Parameters
    ----------
    option
        What names the column.
    is_asked
        Whether the user named it; else it is the usual one.
    fixed_by
        The option that names the file, where none names its columns.
    has_label
        Whether the command reads labels, for the advice.

    Raises
    ------
    InputError
        When it is not there, or several are called so.
    """
    positions = [at for at, column in enumerate(records.columns) if column == name]
    if len(positions) == 1:
        return positions[0]
    if positions:
        raise InputError(f"has {len(positions)} columns '{name}'; rename all but one", path=path)
    named = [column for column in records.columns if column]
    if records.columns and not named:
        raise InputError(
            "begins with a blank line; write the names of its columns there", path=path, line=1
        )
    shown = [column if len(column) <= 40 else column[:39] + "…" for column in named]
    near = nearest(name, records.columns)
    if other := delimiter_in_truth(records, path, name):
        advice = other
    elif fixed_by is not None:
        advice = f"of {fixed_by} it has this name; " + (
            f"rename '{near}'" if near is not None else "write it into the first line"
        )
    elif near is not None:
        advice = f"did you mean '{near}'?" + ("" if is_asked else f" say {option} {near}")
    elif name.isdecimal():
        advice = (
            f"give {option} a name, or a number up to {len(records.columns)} if there is no header"
        )
    else:
        advice = f"name one with {option}"
        if records.header is not None:  # of a table
            numbers = "--text 2 --label 1" if has_label else f"{option} 2"
            advice += f", or give numbers if there is no header: {numbers}"
    advice += other_sheets(path)
    raise InputError(f"no column '{name:.40}' among {', '.join(shown[:12])}; {advice}", path=path)


def delimiter_in_truth(records: Records, path: Path, name: str | None = None) -> str:
    """Say which delimiter a table seems to have; "" where none fits better.

    Parameters
    ----------
    name
        A column that is missed; None: any. A table of one column may have any other.
    """
    if not {*path.suffixes[-2:]} & {*_TABLES}:
        return ""
    first: Sequence[str] = records.header or [
        str(records.values(at)[0]) for at in range(len(records.columns)) if records.lines
    ]
    missed = None if len(first) == 1 else name
    return other_delimiter(first, path, delimiter=records.delimiter, name=missed)


def first_there(
    alternatives: Sequence[Columns], columns: Collection[str], *, option: str, path: Path
) -> Columns:
    """Return the first alternative whose `columns` are all in a file.

    An alternative is a column, or several that belong together; `option` is what named them.

    Raises
    ------
    InputError
        When there are several, and the file has none of them. One alone is returned unseen: who
        reads it says what is wrong.
    """
    if len(alternatives) == 1:
        return alternatives[0]
    there = [one for one in alternatives if set(_names(one)) <= set(columns)]
    if not there:
        named = [name for one in alternatives for name in _names(one)]
        near = [one for name in named if (one := nearest(name, columns)) is not None]
        advice = f"did you mean '{near[0]}'?" if near else f"name another {option} for this file"
        raise InputError(
            f"none of the columns {', '.join(map(_shown, alternatives))} of {option} is among "
            f"{', '.join(list(columns)[:12])}; {advice}",
            path=path,
        )
    more = "".join(f"; {_shown(one)} is there too" for one in there[1:])
    logger.info("%s: %s is %s%s", path, option, _shown(there[0]), more)
    return there[0]


def _names(columns: str | tuple[str, ...]) -> tuple[str, ...]:
    return (columns,) if isinstance(columns, str) else columns


def _shown(columns: str | tuple[str, ...]) -> str:
    return f"'{','.join(_names(columns))}'"
