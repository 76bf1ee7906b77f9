"""The table in which names are looked up: hashes of their prefixes, and a record of each name.

A name is a row of folded units. Its prefixes at places where a name could end (the boundaries of
`isogloss.text.scripts`) are hashed into one open-addressing table. A slot is 64 bits, so that a
look-up fetches one line of memory: the high half of the hash, and the number ``2 * (place + 1) +
longer``. Place is that of the name's record, -1 for a bare prefix; `longer` says that some name
continues from here. A slot of 0 is empty. Names of one half hash follow each other, so look-ups
continue to the first empty slot; every hit is compared with the name, so the answer is exact.

A record begins with a block of 16 bytes: its rows of candidates for the three ways of writing it
(int32 each; -1: none, `SILENT`: it takes up its place and is not reported), and
``8 * number of units + bytes a unit``. The units follow, in as few bytes as hold them (1, 2 or 4),
up to the end of a block.
"""

from typing import Any, TypeAlias

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.errors import InputError
from isogloss.storage.hashing import MULTIPLIER, home_of
from isogloss.text.scripts import END, mark_boundaries

Slots: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"
Units: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"
Records: TypeAlias = "np.ndarray[tuple[int, int], np.dtype[np.int32]]"

LOAD = 0.6
MOST_BLOCKS = (1 << 31) - 1  # a slot has 31 bits for the place of a record
SILENT = -2
NAME_SEED = np.uint64(0xCBF29CE484222325)  # the hash of no units


def build_table(
    units: Units, offsets: Ints1d, kinds: Bytes1d, name_rows: Any
) -> tuple[Slots, Records]:
    """Return the slots over all prefixes of names, and the names' records.

    Parameters
    ----------
    units, kinds
        Folded units of all names and their kinds.
    offsets
        Name i is `[offsets[i]:offsets[i + 1]]`; names differ from each other and are not empty.
    name_rows : int32 array, (n_names, 3)
        Rows of candidates by how the name is written in a text.

    Returns
    -------
    Slots (uint64); blocks of the records (int32, (n_blocks, 4)).

    Raises
    ------
    InputError
        More names than a slot can number; 34 GB of them.
    """
    with interrupts_wait():
        width, places = _placed(units, offsets)
    if places[-1] > MOST_BLOCKS:
        raise InputError(
            f"the names take {places[-1]:,} blocks of 16 bytes; at most {MOST_BLOCKS:,} can be "
            "looked up: leave languages or rare names out"
        )
    with interrupts_wait():
        records = np.zeros((int(places[-1]), 4), np.int32)
        _fill(*views_of(records), units, offsets, name_rows, width, places)
        hashes, names, longer = _prefixes(units, offsets, kinds)
    n_slots = int(np.unique(hashes).size / LOAD) + 8
    with interrupts_wait():
        return _insert(hashes, names, longer, places, n_slots), records


def views_of(records: Records) -> tuple[Any, Any, Any]:
    """Return the records as int32, uint8 and uint16 arrays of one dimension: no copies."""
    flat = records.reshape(-1)
    return flat, flat.view(np.uint8), flat.view(np.uint16)


def names_of(records: Records) -> tuple[list[str], Any]:
    """Return the names of all records, as they are folded, and their rows (int32, (n_names, 3))."""
    flat, *_ = views_of(records)
    names: list[str] = []
    rows: list[Any] = []
    at = 0
    while at < flat.size:
        n_units, width = divmod(int(flat[at + 3]), 8)
        rows.append(flat[at : at + 3])
        n_bytes = n_units * width
        data = flat[at + 4 : at + 4 + -(-n_bytes // 4)].tobytes()[:n_bytes]
        units = np.frombuffer(data, f"<u{width}").astype("<u4")
        names.append(units.tobytes().decode("utf-32-le", "surrogatepass"))
        at += 4 + 4 * -(-n_bytes // 16)
    return names, np.array(rows, np.int32).reshape(-1, 3)


@compiled
def longer_hash(state: Any, unit: Any) -> Any:
    """Return the hash of a prefix with one unit more."""
    mixed = (state ^ np.uint64(unit)) * MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@compiled
def is_of_hash(slot: Any, key: Any) -> Any:
    """Say whether a slot holds a prefix of this hash, by the half of it that is kept."""
    return slot >> np.uint64(32) == key >> np.uint64(32)


@compiled
def place_in(slot: Any) -> Any:
    """Return the place of the record that a slot leads to, -1 for a bare prefix."""
    return np.int64((slot & np.uint64(0xFFFFFFFF)) >> np.uint64(1)) - 1


@compiled
def has_units(place: Any, begin: Any, units: Any, first: Any, n: Any, flat: Any, flat8: Any,
              flat16: Any) -> Any:  # fmt: skip
    """Say whether the name has `units[first:first + n]` from its own unit `begin` on."""
    width = flat[4 * place + 3] & 7
    if width == 1:
        at = 16 * (place + 1) + begin
        for k in range(n):
            if flat8[at + k] != units[first + k]:
                return False
    elif width == 2:
        at = 8 * (place + 1) + begin
        for k in range(n):
            if flat16[at + k] != units[first + k]:
                return False
    else:
        at = 4 * (place + 1) + begin
        for k in range(n):
            if flat[at + k] != units[first + k]:
                return False
    return True


@compiled
def n_units_of(place: Any, flat: Any) -> Any:
    """Return how many units a name has."""
    return np.int64(flat[4 * place + 3] >> 3)


@compiled
def _placed(units: Any, offsets: Any) -> Any:
    """Return the bytes a unit of each name, and its place in blocks; last the number of blocks."""
    n_names = offsets.size - 1
    width, places = np.empty(n_names, np.uint8), np.zeros(n_names + 1, np.int64)
    for name in range(n_names):
        largest = np.uint32(0)
        for i in range(offsets[name], offsets[name + 1]):
            largest = max(largest, units[i])
        width[name] = 1 if largest < 1 << 8 else 2 if largest < 1 << 16 else 4
        n_bytes = width[name] * (offsets[name + 1] - offsets[name])
        places[name + 1] = places[name] + 1 + (n_bytes + 15) // 16
    return width, places


@compiled
def _fill(flat: Any, flat8: Any, flat16: Any, units: Any, offsets: Any, name_rows: Any, width: Any,
          places: Any) -> None:  # fmt: skip
    for name in range(offsets.size - 1):
        place, begin = places[name], offsets[name]
        n_units = offsets[name + 1] - begin
        for written in range(3):
            flat[4 * place + written] = name_rows[name, written]
        flat[4 * place + 3] = 8 * n_units + width[name]
        for k in range(n_units):
            if width[name] == 1:
                flat8[16 * (place + 1) + k] = units[begin + k]
            elif width[name] == 2:
                flat16[8 * (place + 1) + k] = units[begin + k]
            else:
                flat[4 * (place + 1) + k] = units[begin + k]


@compiled
def _prefixes(units: Any, offsets: Any, kinds: Any) -> Any:
    """Return of every prefix its hash, its name where it is one (else -1), whether more follows."""
    hashes = np.empty(units.size, np.uint64)
    names = np.empty(units.size, np.int32)
    longer = np.empty(units.size, np.uint8)
    boundary = np.empty(units.size + 1, np.uint8)
    n = 0
    for name in range(offsets.size - 1):
        first, last = offsets[name], offsets[name + 1]
        mark_boundaries(kinds[first:last], boundary)
        state = NAME_SEED
        for i in range(first, last):
            state = longer_hash(state, units[i])
            is_end = i == last - 1
            if is_end or boundary[i - first + 1] & END:
                hashes[n] = state
                names[n] = np.int32(name) if is_end else np.int32(-1)
                longer[n] = not is_end
                n += 1
    return hashes[:n], names[:n], longer[:n]


@compiled
def _insert(hashes: Any, names: Any, longer: Any, places: Any, n_slots: Any) -> Any:
    slots = np.zeros(n_slots, np.uint64)
    for i in range(hashes.size):
        at = home_of(hashes[i], n_slots)
        while slots[at] != 0:
            if is_of_hash(slots[at], hashes[i]) and (names[i] < 0 or place_in(slots[at]) < 0):
                break
            at = at + 1 if at + 1 < n_slots else 0
        number = (slots[at] & np.uint64(0xFFFFFFFF)) | np.uint64(longer[i])
        if names[i] >= 0:
            number |= np.uint64(2 * (places[names[i]] + 1))
        slots[at] = (hashes[i] >> np.uint64(32)) << np.uint64(32) | number
    return slots
