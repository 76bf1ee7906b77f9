"""Find names in folded texts: a table of hashes of name prefixes, and the search through it.

A name is a row of folded units. Its prefixes at places where a name could end (the boundaries of
`isogloss.text.scripts`) are hashed into one open-addressing table; a text is searched from every
place where a name could begin, one look-up per boundary, until no longer name exists. A hit is
compared unit by unit with the name, so the result is exact whatever the hashes do.

A slot is a hash and a number: ``2 * (name + 1) + longer``, name -1 for a bare prefix, `longer` when
some name goes on from here. A slot of hash 0 and number 0 is empty. One name may sit behind others
of the same hash, hence look-ups go on to the first empty slot.
"""

from typing import Any, TypeAlias

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.text.compiled import compiled, interrupts_wait
from isogloss.text.folding import UPPER
from isogloss.text.scripts import BEGIN, END, WORD, mark_boundaries

Hashes: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint64]]"
Units: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"

LOAD = 0.6
SILENT = -2  # row of a name that takes up its place and is not reported
MOST_HITS = 256  # names that begin at one place; none is longer
LOWER_TEXT, CAPITAL_TEXT, ACRONYM_TEXT = 0, 1, 2

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
_SEED = np.uint64(0xCBF29CE484222325)
_ALEF, _LAM, _WAW, _FEH, _BEH, _KEHEH = 0x627, 0x644, 0x648, 0x641, 0x628, 0x6A9

# Languages whose words may begin with an article or particle written to the word.
ARABIC_ARTICLE = 1
START_RULES = {"ar": ARABIC_ARTICLE, "arz": ARABIC_ARTICLE, "ary": ARABIC_ARTICLE}


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
    return hashes[:n].copy(), names[:n].copy(), longer[:n].copy()


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
def _probe(
    key: Any, units: Any, first: Any, stop: Any, slot_hash: Any, slot_number: Any,
    name_units: Any, name_offsets: Any,
) -> Any:  # fmt: skip
    """Return the name equal to `units[first:stop]` or -1, and whether a longer one exists."""
    found, longer = np.int64(-1), False
    at = _home(key, slot_hash.size)
    while slot_hash[at] != 0:
        if slot_hash[at] == key:
            number = slot_number[at]
            longer = longer or (number & np.uint32(1)) == 1
            name = np.int64(number >> np.uint32(1)) - 1
            if name >= 0 and found < 0:
                begin = name_offsets[name]
                if name_offsets[name + 1] - begin == stop - first:
                    is_equal = True
                    for k in range(stop - first):
                        if name_units[begin + k] != units[first + k]:
                            is_equal = False
                            break
                    if is_equal:
                        found = name
        at = at + 1 if at + 1 < slot_hash.size else 0
    return found, longer


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
def _mark_arabic_starts(units: Any, kinds: Any, boundary: Any) -> Any:
    """Also let a name begin after an Arabic article, and at the article after a conjunction.

    *al-* may follow *wa*, *fa*, *bi* or *ka*; *li* and *al-* together are written *ll*. Three
    letters of the word must be left.
    """
    n = units.size
    for i in range(n):
        if not boundary[i] & BEGIN or kinds[i] != WORD:
            continue
        at = i
        if at + 1 < n and (units[at] == _WAW or units[at] == _FEH):
            at += 1
        if at + 1 < n and (units[at] == _BEH or units[at] == _KEHEH):
            at += 1
        if at + 4 >= n or units[at + 1] != _LAM:
            continue
        is_word = kinds[at + 2] == WORD and kinds[at + 3] == WORD and kinds[at + 4] == WORD
        if is_word and units[at] == _ALEF:
            boundary[at] |= BEGIN
            boundary[at + 2] |= BEGIN
        elif is_word and units[at] == _LAM:
            boundary[at + 2] |= BEGIN


@compiled
def _names_at(
    first: Any, last: Any, units: Any, case: Any, boundary: Any, shift: Any, covered: Any,
    slot_hash: Any, slot_number: Any, name_units: Any, name_offsets: Any, name_rows: Any,
    is_active: Any, hits: Any,
) -> Any:  # fmt: skip
    """Write end and row of every name that begins at `first`, shortest first; return how many.

    Arrays come one by one, not in tuples: taking a tuple apart counts references, which costs
    more than the search.
    """
    n, state, j = 0, _SEED, first
    while j < last and not covered[j] and n < hits.shape[0]:
        state = _step(state, units[j])
        j += 1
        if not boundary[j + shift] & END:
            continue
        name, longer = _probe(
            state | np.uint64(1), units, first, j, slot_hash, slot_number, name_units, name_offsets
        )
        if name >= 0:
            row = name_rows[name, _case_of_span(case, first, j)]
            if row == SILENT or (row >= 0 and is_active[row]):
                hits[n, 0], hits[n, 1] = j, row
                n += 1
        if not longer:
            break
    return n


@compiled
def _search_text(
    text: Any, offsets: Any, units: Any, case: Any, boundary: Any, covered: Any, slot_hash: Any,
    slot_number: Any, name_units: Any, name_offsets: Any, name_rows: Any, is_active: Any,
    hits: Any, out: Any, n: Any, nested: Any,
) -> Any:  # fmt: skip
    """Write the mentions of one text from row `n` of `out` on; return the next row, -1 if full."""
    origin, last = offsets[text], offsets[text + 1]
    i = origin
    while i < last:
        n_hits = 0
        if boundary[i + text] & BEGIN:
            n_hits = _names_at(
                i, last, units, case, boundary, text, covered, slot_hash, slot_number,
                name_units, name_offsets, name_rows, is_active, hits,
            )  # fmt: skip
        if n + n_hits > out.shape[0]:
            return -1
        for hit in range(0 if nested else max(n_hits - 1, 0), n_hits):
            if hits[hit, 1] != SILENT:
                out[n, 0], out[n, 1] = i - origin, hits[hit, 0] - origin
                out[n, 2] = hits[hit, 1]
                n += 1
        i = hits[n_hits - 1, 0] if n_hits and not nested else i + 1
    return n


@compiled
def find_names(
    texts: Any, slots: Any, names: Any, name_rows: Any, is_active: Any, covered: Any, rule: Any,
    nested: Any,
) -> Any:  # fmt: skip
    """Search folded texts; return the mentions of each text from left to right.

    Parameters
    ----------
    texts, slots, names
        Arrays of `FoldedTexts` (offsets, units, kinds, case, boundary); of the table; of the names.
    name_rows, is_active
        Row of candidates by name and case, -1 for none or `SILENT`; rows that may be linked.
    covered
        Units no name may touch.
    rule, nested
        One of `START_RULES` or 0; whether to report names inside longer ones too.

    Returns
    -------
    Mention offsets by text; first unit, unit after the last, and row of each mention.
    """
    offsets, units, kinds, case, boundary = texts
    out = np.empty((units.size // 4 + MOST_HITS, 3), np.int32)
    hits = np.empty((MOST_HITS, 2), np.int32)
    mention_offsets = np.zeros(offsets.size, np.int64)
    for text in range(offsets.size - 1):
        origin, last = offsets[text], offsets[text + 1]
        if rule == ARABIC_ARTICLE:
            edges = boundary[origin + text : last + text + 1]
            _mark_arabic_starts(units[origin:last], kinds[origin:last], edges)
        n = -1
        while n < 0:
            n = _search_text(
                text, offsets, units, case, boundary, covered, slots[0], slots[1], names[0],
                names[1], name_rows, is_active, hits, out, mention_offsets[text], nested,
            )  # fmt: skip
            if n < 0:
                wider = np.empty((2 * out.shape[0], 3), np.int32)
                wider[: out.shape[0]] = out
                out = wider
        mention_offsets[text + 1] = n
    n = mention_offsets[offsets.size - 1]
    return mention_offsets, out[:n, 0].copy(), out[:n, 1].copy(), out[:n, 2].copy()
