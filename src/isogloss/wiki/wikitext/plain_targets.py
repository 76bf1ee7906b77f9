"""Targets of links that are titles as they stand, but for their first letter: nearly all.

Told apart in compiled code, so that only the others go through the rules for titles.
"""

import string
from collections.abc import Callable
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait

_LONGEST = 200  # bytes
_SAFE = string.ascii_letters + string.digits + " (),'-"  # no marks that the rules for titles know


def capitals(title_of: Callable[[str], str]) -> Bytes1d:
    """Return what each letter or digit is at the beginning of a title; 0: look at the title.

    Parameters
    ----------
    title_of
        The rules.
    """
    table = np.zeros(256, np.uint8)
    for letter in string.ascii_letters + string.digits:
        title = title_of(f"{letter}a")
        if len(title) == 2 and title.isascii():
            table[ord(letter)] = ord(title[0])
    return table


def begin_plain_targets(
    targets: Bytes1d, offsets: Ints1d, rows: Ints1d, capital: Bytes1d
) -> tuple[Bytes1d, Bools1d]:
    """Return the targets with a capital where they are plain, and which of some are.

    Examples
    --------
    >>> targets = np.frombuffer(b"new Yorka_b", np.uint8)
    >>> data, is_plain = begin_plain_targets(
    ...     targets, np.array([0, 8, 11]), np.array([0, 1]), capitals(str.capitalize))
    >>> data.tobytes(), is_plain
    (b'New Yorka_b', array([ True, False]))
    """
    safe = np.zeros(256, np.bool_)
    safe[list(_SAFE.encode())] = True
    with interrupts_wait():
        return _begin(targets, offsets, rows, capital, safe)


@compiled
def _begin(targets: Any, offsets: Any, rows: Any, capital: Any, safe: Any) -> Any:
    data = targets.copy()
    is_plain = np.zeros(rows.size, np.bool_)
    for i in range(rows.size):
        first, last = offsets[rows[i]], offsets[rows[i] + 1]
        if first == last or last - first > _LONGEST or not capital[targets[first]]:
            continue
        found = targets[last - 1] != 0x20
        for k in range(first, last):
            is_double = targets[k] == 0x20 and targets[k - 1] == 0x20
            if not safe[targets[k]] or is_double:
                found = False
                break
        if found:
            data[first] = capital[targets[first]]
            is_plain[i] = True
    return data, is_plain
