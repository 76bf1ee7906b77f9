"""Names in one piece of memory: millions of strings that open at once and are found by bisection.

A Python list of the titles of a large Wikipedia takes seconds to make and a gigabyte to hold. Here
the UTF-8 bytes of all names are in one array, which may be a mapped file.
"""

import difflib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.errors import InputError
from isogloss.kb.stored.write import pack_strings, unpack_string

N_COMPARED_EACH_WAY = 200


class PackedStrings:
    """Strings by number.

    Parameters
    ----------
    data, offsets
        String i is the UTF-8 of ``data[offsets[i]:offsets[i + 1]]``.
    """

    def __init__(self, data: Bytes1d, offsets: Ints1d) -> None:
        self.data, self.offsets = data, offsets

    @classmethod
    def of(cls, strings: Iterable[str]) -> "PackedStrings":
        """Pack strings."""
        return cls(*pack_strings(list(strings)))

    def __len__(self) -> int:
        return self.offsets.size - 1

    def __getitem__(self, number: int) -> str:
        if not 0 <= number < len(self):
            raise IndexError(f"string {number} of {len(self)}")
        return unpack_string(self.data, self.offsets, number)

    def __iter__(self) -> Iterator[str]:
        return (self[number] for number in range(len(self)))


class Names(PackedStrings):
    """Strings that differ, by number, and numbers by string.

    Parameters
    ----------
    order
        The numbers of the strings, sorted by their bytes.

    Examples
    --------
    >>> names = Names.of(["東京", "Berlin", "Bern"])
    >>> names.find("Bern"), names.find("bern"), names[0]
    (2, -1, '東京')
    >>> names.close_to("Berlim", n=1)
    ['Berlin']
    """

    def __init__(self, data: Bytes1d, offsets: Ints1d, order: Ints1d) -> None:
        super().__init__(data, offsets)
        self.order = order

    @classmethod
    def of(cls, strings: Iterable[str]) -> "Names":
        """Pack strings.

        Raises
        ------
        InputError
            When one comes twice.
        """
        packed = PackedStrings.of(strings)
        order = byte_order(packed.data, packed.offsets)
        with interrupts_wait():
            twice = _first_double(packed.data, packed.offsets, order)
        if twice >= 0:
            raise InputError(f"the name '{packed[twice]}' comes twice; names must differ")
        return cls(packed.data, packed.offsets, order)

    def find(self, name: str) -> int:
        """Return the number of a name, or -1."""
        return int(self.find_all([name])[0])

    def find_all(self, names: Sequence[str]) -> Ints1d:
        """Return the numbers of names, -1 for those that are not there; int64 (len(names),)."""
        wanted, bounds = pack_strings(list(names))
        places, is_there = _bisect(self.data, self.offsets, self.order, wanted, bounds)
        if not len(self):
            return np.full(len(names), -1, np.int64)
        return np.where(is_there, self.order[np.minimum(places, len(self) - 1)], -1)

    def close_to(self, name: str, *, n: int = 3) -> list[str]:
        """Return names that look like one: the closest of those that begin like it."""
        spellings = {name, name.lower(), name[:1].upper() + name[1:], name.title()}
        wanted, bounds = pack_strings(sorted(spellings))
        places, _ = _bisect(self.data, self.offsets, self.order, wanted, bounds)
        around: dict[str, None] = {}
        for place in places.tolist():
            first, last = place - N_COMPARED_EACH_WAY, place + N_COMPARED_EACH_WAY
            for at in range(max(0, first), min(len(self), last)):
                around[self[int(self.order[at])]] = None
        return closest(name, around, n=n)


def closest(name: str, names: Iterable[str], *, n: int = 3) -> list[str]:
    """Return the names that look most like one, the likest first, in whatever letter case."""
    folded = {spelling.lower(): spelling for spelling in reversed(list(names))}
    close = difflib.get_close_matches(name.lower(), folded, n=n, cutoff=0.6)
    return [folded[spelling] for spelling in close]


def byte_order(data: Bytes1d, offsets: Ints1d) -> Ints1d:
    """Return the numbers of packed strings, sorted by their bytes; int64 (n,)."""
    with interrupts_wait():
        return _sorted(data, offsets)


@compiled
def _sorted(data: Any, offsets: Any) -> Any:
    """Merge ever longer runs of numbers; equal strings keep their order."""
    n = offsets.size - 1
    order, other = np.arange(n), np.empty(n, np.int64)
    length = 1
    while length < n:
        for low in range(0, n, 2 * length):
            middle, high = min(low + length, n), min(low + 2 * length, n)
            i, j = low, middle
            for k in range(low, high):
                takes_left = j == high
                if i < middle and j < high:
                    first, last = offsets[order[j]], offsets[order[j] + 1]
                    takes_left = _compare(data, offsets, order[i], data, first, last) <= 0
                if takes_left:
                    other[k] = order[i]
                    i += 1
                else:
                    other[k] = order[j]
                    j += 1
        order, other = other, order
        length *= 2
    return order


@compiled
def _first_double(data: Any, offsets: Any, order: Any) -> Any:
    """Return the number of a string that comes again, or -1."""
    for k in range(1, order.size):
        first, last = offsets[order[k]], offsets[order[k] + 1]
        if _compare(data, offsets, order[k - 1], data, first, last) == 0:
            return order[k - 1]
    return np.int64(-1)


@compiled
def _bisect(data: Any, offsets: Any, order: Any, wanted: Any, bounds: Any) -> Any:
    """Return the place of each wanted string among the sorted ones, and whether it does."""
    n = bounds.size - 1
    places, is_there = np.empty(n, np.int64), np.zeros(n, np.bool_)
    for i in range(n):
        low, high = 0, order.size
        while low < high:
            middle = (low + high) // 2
            if _compare(data, offsets, order[middle], wanted, bounds[i], bounds[i + 1]) < 0:
                low = middle + 1
            else:
                high = middle
        places[i] = low
        if low < order.size:
            is_there[i] = _compare(data, offsets, order[low], wanted, bounds[i], bounds[i + 1]) == 0
    return places, is_there


@compiled
def _compare(data: Any, offsets: Any, number: Any, wanted: Any, first: Any, last: Any) -> Any:
    """Return a number below, of or above 0 as a name is before, equal to or after another."""
    begin, end = offsets[number], offsets[number + 1]
    for k in range(min(end - begin, last - first)):
        difference = np.int64(data[begin + k]) - np.int64(wanted[first + k])
        if difference != 0:
            return difference
    return (end - begin) - (last - first)
