"""Checks of arrays from files before compiled code, which has no bounds of its own, reads them.

Each reads its arrays once, from the first to the last value. The checks of a language's arrays
are in `kb.checked_arrays`; files of vectors use the small ones too.
"""

import codecs
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait

_BYTES_AT_ONCE = 1 << 24


def check_offsets(what: str, offsets: Ints1d, n: int, *, least: int = 0) -> None:
    """Check that offsets go from 0 to `n`, in steps of at least `least`.

    Raises
    ------
    ValueError
        Says what is wrong; for `damage_in_one_sentence`.
    """
    with interrupts_wait():
        is_sound = _is_ascending(offsets, n, least)
    if not is_sound:
        raise ValueError(f"{what} are out of order")


def check_within(what: str, values: Any, low: int, high: int) -> None:
    """Check that all values are at least `low` and below `high`; raises as `check_offsets`."""
    if values.size and not (values.min() >= low and values.max() < high):
        raise ValueError(f"{what} are out of range")


def check_probabilities(what: str, values: Any) -> None:
    """Check that all values are in 0 to 1; raises as `check_offsets`."""
    with np.errstate(invalid="ignore"):
        is_sound = not values.size or (values.min() >= 0 and values.max() <= 1)  # false for a NaN
    if not is_sound:
        raise ValueError(f"{what} are not in 0 to 1")


def check_strings(what: str, data: Bytes1d, offsets: Ints1d) -> None:
    """Check packed strings: their offsets, and that each of them is UTF-8.

    Lone surrogates are let pass, as `pack_strings` writes them. Raises as `check_offsets`.
    """
    check_offsets(f"the offsets of {what}", offsets, data.size)
    decoder = codecs.getincrementaldecoder("utf-8")("surrogatepass")
    for first in range(0, data.size, _BYTES_AT_ONCE):
        decoder.decode(data[first : first + _BYTES_AT_ONCE].tobytes())  # raises a ValueError
    decoder.decode(b"", final=True)
    if data.size and not _begins_characters(data, offsets):
        raise ValueError(f"the offsets of {what} cut a character")


@compiled
def _is_ascending(offsets: Any, n: Any, least: Any) -> Any:
    """Say whether offsets begin with 0, never fall, and end with `n`."""
    if offsets.size == 0 or offsets[0] != 0 or offsets[-1] != n:
        return False
    is_sound = True
    for i in range(1, offsets.size):
        # All lie below `n`, so the sum cannot overflow unless an earlier one has failed.
        is_sound &= (offsets[i] <= n) & (offsets[i] >= offsets[i - 1] + least)
    return is_sound


@compiled
def _begins_characters(data: Any, offsets: Any) -> Any:
    """Say whether no string begins with a byte that continues a character."""
    for i in range(offsets.size):
        at = offsets[i]
        if at < data.size and data[at] & 0xC0 == 0x80:
            return False
    return True
