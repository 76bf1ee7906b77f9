"""A table of byte strings that compiled code can look up: tags, entities, prefixes, URL schemes.

One open-addressing table holds several families of words, told apart by a byte in front of each.
A hit is compared byte by byte, so the result is exact whatever the hashes do.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from isogloss.arrays import Bytes1d
from isogloss.compiled import compiled
from isogloss.storage.hashing import MULTIPLIER, home_of

Slots: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"
Entries: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.int64]]"

_LOAD = 0.5
_START = np.uint64(0xCBF29CE484222325)


class WordTable(NamedTuple):
    """Words and their numbers; compiled code takes it as it is.

    Attributes
    ----------
    hashes
        Hash per slot, 0 in an empty one.
    entries
        First byte, byte after the last, and number of each slot's word; shape (n_slots, 3).
    letters
        The bytes of all words, each with its family in front.
    """

    hashes: Slots
    entries: Entries
    letters: Bytes1d

    @classmethod
    def of(cls, families: Mapping[str, Mapping[bytes, int]]) -> "WordTable":
        """Build the table.

        Parameters
        ----------
        families
            By one-letter name of the family: words (ASCII letters in lower case where they are
            looked up in any case) and their numbers, 0 or more.
        """
        words = [
            (family.encode() + word, number)
            for family, members in families.items()
            for word, number in members.items()
        ]
        joined = np.frombuffer(b"".join(word for word, _ in words), np.uint8)
        ends = np.cumsum([len(word) for word, _ in words]).astype(np.int64)
        numbers = np.array([number for _, number in words], np.int64)
        hashes, entries = _built(joined, ends, numbers, int(len(words) / _LOAD) + 8)
        return cls(hashes, entries, joined)


@compiled
def _folded(byte: Any, any_case: Any) -> Any:
    if any_case:
        if 0x41 <= byte <= 0x5A:
            return np.uint8(byte + 32)
        if byte == 0x5F:  # an underscore is a space in titles
            return np.uint8(0x20)
    return np.uint8(byte)


@compiled
def _hash(family: Any, source: Any, first: Any, stop: Any, any_case: Any) -> Any:
    key = (_START ^ np.uint64(family)) * MULTIPLIER
    for i in range(first, stop):
        key = (key ^ np.uint64(_folded(source[i], any_case))) * MULTIPLIER
        key ^= key >> np.uint64(29)
    return key | np.uint64(1)


@compiled
def _built(words: Any, ends: Any, numbers: Any, n_slots: Any) -> Any:
    hashes = np.zeros(n_slots, np.uint64)
    entries = np.zeros((n_slots, 3), np.int64)
    begin = 0
    for word in range(ends.size):
        key = _hash(words[begin], words, begin + 1, ends[word], False)
        slot = home_of(key, n_slots)
        while hashes[slot] != 0:
            slot = slot + 1 if slot + 1 < n_slots else 0
        hashes[slot] = key
        entries[slot, 0], entries[slot, 1], entries[slot, 2] = begin, ends[word], numbers[word]
        begin = ends[word]
    return hashes, entries


@compiled
def find_word(family: Any, source: Any, first: Any, stop: Any, any_case: Any, words: Any) -> Any:
    """Return the number of the word `source[first:stop]` of a family, or -1.

    With `any_case`, ASCII capitals are taken as small letters and underscores as spaces.
    """
    hashes, entries, letters = words
    key = _hash(family, source, first, stop, any_case)
    slot = home_of(key, hashes.size)
    while hashes[slot] != 0:
        begin = entries[slot, 0]
        if hashes[slot] == key and entries[slot, 1] - begin == stop - first + 1:
            is_equal = letters[begin] == family
            for i in range(stop - first):
                if letters[begin + 1 + i] != _folded(source[first + i], any_case):
                    is_equal = False
                    break
            if is_equal:
                return entries[slot, 2]
        slot = slot + 1 if slot + 1 < hashes.size else 0
    return np.int64(-1)
