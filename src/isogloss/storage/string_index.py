"""Numbers for byte strings: a compiled table from strings to their places, exact and compact.

Strings are flat, ``data[offsets[i]:offsets[i + 1]]``, and may be mapped files. The table holds
places alone, about seven bytes a string; a hit is compared byte for byte.
"""

from typing import Any, TypeAlias

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.storage.hashing import MULTIPLIER, home_of

Hashes: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"
Slots: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.int32]]"

LOAD = 0.6
_SEED = np.uint64(0xCBF29CE484222325)


def index_strings(data: Bytes1d, offsets: Ints1d) -> tuple[Slots, Ints1d]:
    """Return a table for `find_strings`, and for each string the place of the first equal one.

    Examples
    --------
    >>> data = np.frombuffer(b"abbaab", np.uint8)
    >>> slots, first = index_strings(data, np.array([0, 2, 4, 6]))
    >>> first
    array([0, 1, 0])
    >>> find_strings(slots, data, np.array([0, 2, 4, 6]), data, np.array([2, 4, 5]))
    array([ 1, -1])
    """
    with interrupts_wait():
        return _index(data, offsets, int((offsets.size - 1) / LOAD) + 8)


def find_strings(
    slots: Slots, data: Bytes1d, offsets: Ints1d, wanted: Bytes1d, wanted_offsets: Ints1d
) -> Ints1d:
    """Return the place of each wanted string among those indexed, -1 where there is none."""
    with interrupts_wait():
        return _find(slots, data, offsets, wanted, wanted_offsets)


def hash_strings(data: Bytes1d, offsets: Ints1d) -> Hashes:
    """Return a hash of each string."""
    with interrupts_wait():
        return _hash_all(data, offsets)


@compiled
def hash_of(data: Any, first: Any, last: Any) -> Any:
    """Return the hash of ``data[first:last]``."""
    state = _SEED ^ np.uint64(last - first)
    for i in range(first, last):
        state = (state ^ np.uint64(data[i])) * MULTIPLIER
        state ^= state >> np.uint64(29)
    return state


@compiled
def is_equal(left: Any, a: Any, right: Any, b: Any, size: Any) -> Any:
    """Say whether ``left[a:a + size]`` and ``right[b:b + size]`` are equal."""
    for i in range(size):  # noqa: SIM110  # compiled
        if left[a + i] != right[b + i]:
            return False
    return True


@compiled
def place_of(slots: Any, data: Any, offsets: Any, wanted: Any, first: Any, last: Any) -> Any:
    """Return the place of ``wanted[first:last]`` among the strings indexed, or -1."""
    size = last - first
    at = home_of(hash_of(wanted, first, last), slots.size)
    while slots[at] >= 0:
        row = np.int64(slots[at])
        other = offsets[row]
        if offsets[row + 1] - other == size and is_equal(wanted, first, data, other, size):
            return row
        at = at + 1 if at + 1 < slots.size else 0
    return np.int64(-1)


@compiled
def _index(data: Any, offsets: Any, n_slots: Any) -> Any:
    slots = np.full(n_slots, -1, np.int32)
    first_equal = np.empty(offsets.size - 1, np.int64)
    for row in range(offsets.size - 1):
        first, size = offsets[row], offsets[row + 1] - offsets[row]
        at = home_of(hash_of(data, first, first + size), n_slots)
        found = np.int64(row)
        while slots[at] >= 0:
            other = offsets[slots[at]]
            if offsets[slots[at] + 1] - other == size and is_equal(data, first, data, other, size):
                found = np.int64(slots[at])
                break
            at = at + 1 if at + 1 < n_slots else 0
        first_equal[row] = found
        if found == row:
            slots[at] = row
    return slots, first_equal


@compiled
def _find(slots: Any, data: Any, offsets: Any, wanted: Any, wanted_offsets: Any) -> Any:
    found = np.empty(wanted_offsets.size - 1, np.int64)
    for row in range(found.size):
        first, last = wanted_offsets[row], wanted_offsets[row + 1]
        found[row] = place_of(slots, data, offsets, wanted, first, last)
    return found


@compiled
def _hash_all(data: Any, offsets: Any) -> Any:
    hashes = np.empty(offsets.size - 1, np.uint64)
    for row in range(hashes.size):
        hashes[row] = hash_of(data, offsets[row], offsets[row + 1])
    return hashes
