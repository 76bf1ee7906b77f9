"""Find names in folded texts: a table of hashes of name prefixes, and the search through it.

A name is a row of folded units. Its prefixes at places where a name could end (the boundaries of
`isogloss.text.scripts`) are hashed into one open-addressing table; a text is searched from every
place where a name could begin, one look-up per boundary, until no longer name exists. A hit is
compared unit by unit with the name, so the result is exact whatever the hashes do. Where an ending
may follow a name (`inflection`) there is a look-up more, for the name that is left.

A slot is a hash and a number: ``2 * (name + 1) + longer``, name -1 for a bare prefix, `longer` when
some name goes on from here. A slot of hash 0 and number 0 is empty. One name may sit behind others
of the same hash, hence look-ups go on to the first empty slot.
"""

from typing import Any, TypeAlias

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.kb.inflection import ENDING
from isogloss.text.compiled import compiled, interrupts_wait
from isogloss.text.folding import UPPER
from isogloss.text.scripts import BEGIN, END, MARK, mark_boundaries

Hashes: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"
Units: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"

LOAD = 0.6
SILENT = -2  # row of a name that takes up its place and is not reported
MOST_HITS = 256  # names that begin at one place; none is longer
LOWER_TEXT, CAPITAL_TEXT, ACRONYM_TEXT = 0, 1, 2

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SEED = np.uint64(0xCBF29CE484222325)


def build_slots(units: Units, offsets: Ints1d, kinds: Bytes1d) -> tuple[Hashes, Units]:
    """Return the hash and number columns of the table over all names.

    Parameters
    ----------
    units, kinds
        Folded units of all names and their kinds.
    offsets
        Name i is `[offsets[i]:offsets[i + 1]]`; names differ from each other and are not empty.
    """
    with interrupts_wait():
        hashes, names, longer = _prefixes(units, offsets, kinds)
    n_slots = int(np.unique(hashes).size / LOAD) + 8
    with interrupts_wait():
        return _insert(hashes, names, longer, n_slots)


@compiled
def _step(state: Any, unit: Any) -> Any:
    mixed = (state ^ np.uint64(unit)) * _MULTIPLIER
    return mixed ^ (mixed >> np.uint64(29))


@compiled
def _home(key: Any, n_slots: Any) -> Any:
    """Map a hash to a slot by the high half of a product: no table size is a bad one."""
    high = (key * _MULTIPLIER) >> np.uint64(32)
    return np.int64((high * np.uint64(n_slots)) >> np.uint64(32))


@compiled
def _prefixes(units: Any, offsets: Any, kinds: Any) -> Any:
    hashes = np.empty(units.size, np.uint64)
    names = np.empty(units.size, np.int32)
    longer = np.empty(units.size, np.uint32)
    boundary = np.empty(units.size + 1, np.uint8)
    n = 0
    for name in range(offsets.size - 1):
        first, last = offsets[name], offsets[name + 1]
        mark_boundaries(kinds[first:last], boundary)
        state = _SEED
        for i in range(first, last):
            state = _step(state, units[i])
            is_end = i == last - 1
            if is_end or boundary[i - first + 1] & END:
                hashes[n] = state | np.uint64(1)
                names[n] = np.int32(name) if is_end else np.int32(-1)
                longer[n] = np.uint32(0) if is_end else np.uint32(1)
                n += 1
    return hashes[:n], names[:n], longer[:n]


@compiled
def _insert(hashes: Any, names: Any, longer: Any, n_slots: Any) -> Any:
    slot_hash = np.zeros(n_slots, np.uint64)
    slot_number = np.zeros(n_slots, np.uint32)
    for i in range(hashes.size):
        at = _home(hashes[i], n_slots)
        while slot_hash[at] != 0:
            is_same = slot_hash[at] == hashes[i]
            if is_same and (names[i] < 0 or slot_number[at] < 2):
                break
            at = at + 1 if at + 1 < n_slots else 0
        slot_hash[at] = hashes[i]
        slot_number[at] |= longer[i]
        if names[i] >= 0:
            slot_number[at] = np.uint32(2 * (names[i] + 1)) | (slot_number[at] & np.uint32(1))
    return slot_hash, slot_number


@compiled
def _is_spelled(
    name: Any, units: Any, first: Any, stop: Any, name_units: Any, name_offsets: Any
) -> Any:
    """Say whether a name equals `units[first:stop]`."""
    begin = name_offsets[name]
    if name_offsets[name + 1] - begin != stop - first:
        return False
    for k in range(stop - first):  # noqa: SIM110  # compiled
        if name_units[begin + k] != units[first + k]:
            return False
    return True


@compiled
def _case_of_span(case: Any, first: Any, stop: Any) -> Any:
    """Return how a span is written: LOWER_TEXT, CAPITAL_TEXT or ACRONYM_TEXT."""
    n_cased, n_upper, begins_upper = 0, 0, False
    for i in range(first, stop):
        if case[i]:
            if n_cased == 0:
                begins_upper = case[i] == UPPER
            n_cased += 1
            n_upper += case[i] == UPPER
    if not begins_upper:
        return LOWER_TEXT
    return ACRONYM_TEXT if n_cased >= 2 and n_upper == n_cased else CAPITAL_TEXT


@compiled
def _inflected(
    place: Any, state: Any, first: Any, stop: Any, last: Any, units: Any, kinds: Any, rules: Any,
    slot_hash: Any, slot_number: Any, name_units: Any, name_offsets: Any,
) -> Any:  # fmt: skip
    """Return the name of which `units[first:stop]` is left before an ending, or -1.

    Also return where the name ends if it stands in the text letter by letter, or -1: where the
    ending took the place of letters of the name, or is a mark on its last.
    """
    n_letters = 0
    for i in range(first, stop):
        n_letters += kinds[i] != MARK
    at = place + 1
    for _ in range(rules[place]):
        n_named, begin = rules[at + 1], at + 2
        if n_letters >= rules[at]:
            key = state
            for i in range(begin, begin + n_named):
                key = _step(key, rules[i])
            name = _changed(
                key | np.uint64(1), units, first, stop, rules, begin, n_named, slot_hash,
                slot_number, name_units, name_offsets,
            )  # fmt: skip
            if name >= 0:
                end = stop
                for i in range(begin, begin + n_named):
                    if end >= last or units[end] != rules[i]:  # another text may follow
                        return name, np.int64(-1)
                    end += 1
                return name, np.int64(-1) if end < last and kinds[end] == MARK else end
        at = begin + n_named
    return np.int64(-1), np.int64(-1)


@compiled
def _changed(
    key: Any, units: Any, first: Any, stop: Any, rules: Any, begin: Any, n_named: Any,
    slot_hash: Any, slot_number: Any, name_units: Any, name_offsets: Any,
) -> Any:  # fmt: skip
    """Return the name equal to `units[first:stop]` and `n_named` units of a rule, or -1."""
    at = _home(key, slot_hash.size)
    while slot_hash[at] != 0:
        name = np.int64(slot_number[at] >> np.uint32(1)) - 1
        if slot_hash[at] == key and name >= 0:
            middle = name_offsets[name] + stop - first
            if name_offsets[name + 1] - middle == n_named:
                is_equal = True
                for k in range(stop - first):
                    if name_units[middle - stop + first + k] != units[first + k]:
                        is_equal = False
                        break
                for k in range(n_named):
                    is_equal = is_equal and name_units[middle + k] == rules[begin + k]
                if is_equal:
                    return name
        at = at + 1 if at + 1 < slot_hash.size else 0
    return np.int64(-1)


@compiled
def _search_text(
    text: Any, offsets: Any, units: Any, kinds: Any, case: Any, boundary: Any, covered: Any,
    slot_hash: Any, slot_number: Any, name_units: Any, name_offsets: Any, name_rows: Any,
    is_active: Any, endings: Any, rules: Any, out: Any, n: Any, nested: Any,
) -> Any:  # fmt: skip
    """Write the mentions of one text from row `n` of `out` on; return the next row, -1 if full.

    Of the names that begin at one place the last found is the best: the longest, and without an
    ending where there are two. All in one function, with arrays one by one: passing on a dozen
    arrays for each word, or a tuple of them, takes longer than the search.
    """
    origin, last, i = offsets[text], offsets[text + 1], offsets[text]
    while i < last:
        if not boundary[i + text] & BEGIN:
            i += 1
            continue
        if n + MOST_HITS > out.shape[0]:
            return -1
        n_hits, best_end, best_row = 0, i + 1, SILENT
        state, j, longer = _SEED, i, True
        while longer and j < last and n_hits + 1 < MOST_HITS:
            if covered is not None:  # noqa: SIM102  # so numba drops the branch
                if covered[j]:
                    break
            state = _step(state, units[j])
            j += 1
            edge = boundary[j + text]
            if not edge:
                continue
            for is_whole in range(endings is None or not edge & ENDING, 2):
                name, end = np.int64(-1), j
                if is_whole:
                    if not edge & END:
                        continue
                    key, longer = state | np.uint64(1), False
                    at = _home(key, slot_hash.size)
                    while slot_hash[at] != 0:
                        if slot_hash[at] == key:
                            number = slot_number[at]
                            longer = longer or (number & np.uint32(1)) == 1
                            name = np.int64(number >> np.uint32(1)) - 1
                            if name < 0 or _is_spelled(name, units, i, j, name_units, name_offsets):
                                break
                            name = np.int64(-1)  # another name of this hash; its own comes later
                        at = at + 1 if at + 1 < slot_hash.size else 0
                elif endings is not None:
                    name, end = _inflected(
                        endings[j], state, i, j, last, units, kinds, rules, slot_hash, slot_number,
                        name_units, name_offsets,
                    )  # fmt: skip
                if name < 0:
                    continue
                row = name_rows[name, _case_of_span(case, i, j)]
                if not (row == SILENT and is_whole) and (row < 0 or not is_active[row]):
                    continue
                if end < 0:
                    end = j
                    while not boundary[end + text] & END:
                        end += 1
                n_hits, best_end, best_row = n_hits + 1, end, row
                if nested and row != SILENT:
                    out[n, 0], out[n, 1], out[n, 2] = i - origin, end - origin, row
                    n += 1
        if not nested and best_row != SILENT:
            out[n, 0], out[n, 1], out[n, 2] = i - origin, best_end - origin, best_row
            n += 1
        i = i + 1 if nested else best_end
    return n


@compiled
def find_names(
    texts: Any, slots: Any, names: Any, name_rows: Any, is_active: Any, covered: Any,
    endings: Any, rules: Any, nested: Any,
) -> Any:  # fmt: skip
    """Search folded texts; return the mentions of each text from left to right.

    Parameters
    ----------
    texts, slots, names
        Arrays of `FoldedTexts` (offsets, units, kinds, case, boundary); of the table; of the names.
    name_rows, is_active
        Row of candidates by name and case, -1 for none or `SILENT`; rows that may be linked.
    covered
        Units no name may touch, or ``None``.
    endings, rules
        Endings by unit (`isogloss.kb.inflection.endings_in`) and their trie, or ``None``.
    nested
        Whether to report names inside longer ones too.

    Returns
    -------
    Mention offsets by text; first unit, unit after the last, and row of each mention.
    """
    offsets, units, kinds, case, boundary = texts
    out = np.empty((units.size // 4 + MOST_HITS, 3), np.int32)
    mention_offsets = np.zeros(offsets.size, np.int64)
    for text in range(offsets.size - 1):
        n = -1
        while n < 0:
            n = _search_text(
                text, offsets, units, kinds, case, boundary, covered, slots[0], slots[1], names[0],
                names[1], name_rows, is_active, endings, rules, out, mention_offsets[text], nested,
            )  # fmt: skip
            if n < 0:
                wider = np.empty((2 * out.shape[0], 3), np.int32)
                wider[: out.shape[0]] = out
                out = wider
        mention_offsets[text + 1] = n
    n = mention_offsets[offsets.size - 1]
    return mention_offsets, out[:n, 0].copy(), out[:n, 1].copy(), out[:n, 2].copy()
