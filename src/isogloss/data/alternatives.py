"""Columns that differ from file to file: of several that are named, the first that a file has.

``--text message --text body`` reads one file by ``message`` and another by ``body``. The choice is
logged, with the other columns.
"""

import logging
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TypeVar

from isogloss.errors import InputError, nearest

Columns = TypeVar("Columns", str, tuple[str, ...], str | tuple[str, ...])
logger = logging.getLogger(__name__)


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
