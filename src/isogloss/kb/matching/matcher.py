"""Find names in folded texts, by the table of their prefixes (`isogloss.kb.matching.name_table`).

A text is searched from every place where a name could begin, one look-up per boundary, until no
longer name exists. A hit is compared unit by unit with the name, so the result is exact whatever
the hashes do. Where an ending may follow a name (`inflection`) there is a look-up more, for the
name that is left.
"""

from typing import Any

import numpy as np

from isogloss.compiled import compiled
from isogloss.kb.matching.inflection import ENDING
from isogloss.kb.matching.name_table import (
    NAME_SEED,
    SILENT,
    has_units,
    is_of_hash,
    longer_hash,
    n_units_of,
    place_in,
)
from isogloss.storage.hashing import home_of
from isogloss.text.folding import UPPER
from isogloss.text.scripts import BEGIN, END, MARK

MOST_HITS = 256  # names that begin at one place; none is longer
LOWER_TEXT, CAPITAL_TEXT, ACRONYM_TEXT = 0, 1, 2


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
    slots: Any, flat: Any, flat8: Any, flat16: Any,
) -> Any:  # fmt: skip
    """Return the name of which `units[first:stop]` is left before an ending, or -1.

    Also return where the name ends if it stands in the text letter by letter, or -1: where the
    ending took the place of letters of the name, or is a mark on its last.
    """
    n_letters = 0
    for i in range(first, stop):
        n_letters += kinds[i] != MARK
    # `rules` from `place` on: how many rules; of each the least letters before the ending, how many
    # units the name has in its place, and these.
    at = place + 1
    for _ in range(rules[place]):
        n_named, begin = rules[at + 1], at + 2
        if n_letters >= rules[at]:
            key = state
            for i in range(begin, begin + n_named):
                key = longer_hash(key, rules[i])
            name = _changed(
                key, units, first, stop, rules, begin, n_named, slots, flat, flat8, flat16
            )
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
    slots: Any, flat: Any, flat8: Any, flat16: Any,
) -> Any:  # fmt: skip
    """Return the name equal to `units[first:stop]` and `n_named` units of a rule, or -1."""
    at = home_of(key, slots.size)
    while slots[at] != 0:
        name = place_in(slots[at])
        if (
            is_of_hash(slots[at], key)
            and name >= 0
            and n_units_of(name, flat) == stop - first + n_named
            and has_units(name, 0, units, first, stop - first, flat, flat8, flat16)
            and has_units(name, stop - first, rules, begin, n_named, flat, flat8, flat16)
        ):
            return name
        at = at + 1 if at + 1 < slots.size else 0
    return np.int64(-1)


@compiled
def _search_text(
    text: Any, offsets: Any, units: Any, kinds: Any, case: Any, boundary: Any, covered: Any,
    slots: Any, flat: Any, flat8: Any, flat16: Any, is_active: Any, endings: Any, rules: Any,
    out: Any, n: Any, nested: Any,
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
        # `state` is the hash of units[i:j]; `longer` says that some name continues.
        state, j, longer = NAME_SEED, i, True
        while longer and j < last and n_hits + 1 < MOST_HITS:
            if covered is not None:  # noqa: SIM102  # so numba drops the branch
                if covered[j]:
                    break
            state = longer_hash(state, units[j])
            j += 1
            edge = boundary[j + text]  # a text has one boundary more than units, hence `+ text`
            if not edge:
                continue
            # Once for the name that an ending follows, then for the name as it stands.
            for is_whole in range(endings is None or not edge & ENDING, 2):
                name, end = np.int64(-1), j
                if is_whole:
                    if not edge & END:
                        continue
                    longer, at = False, home_of(state, slots.size)
                    while slots[at] != 0:
                        if is_of_hash(slots[at], state):
                            longer = longer or (slots[at] & np.uint64(1)) == 1
                            name = place_in(slots[at])
                            if name < 0 or (
                                n_units_of(name, flat) == j - i
                                and has_units(name, 0, units, i, j - i, flat, flat8, flat16)
                            ):
                                break
                            name = np.int64(-1)  # another name of this hash; its own comes later
                        at = at + 1 if at + 1 < slots.size else 0
                elif endings is not None:
                    name, end = _inflected(
                        endings[j], state, i, j, last, units, kinds, rules, slots, flat, flat8,
                        flat16,
                    )  # fmt: skip
                if name < 0:
                    continue
                row = flat[4 * name + _case_of_span(case, i, j)]
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
    texts: Any, slots: Any, records: Any, is_active: Any, covered: Any, endings: Any, rules: Any,
    nested: Any,
) -> Any:  # fmt: skip
    """Search folded texts; return the mentions of each text from left to right.

    Parameters
    ----------
    texts
        Arrays of `FoldedTexts` (offsets, units, kinds, case, boundary).
    slots, records
        The table of `build_table`; the records as `views_of` gives them.
    is_active
        Rows that may be linked.
    covered
        Units no name may touch, or ``None``.
    endings, rules
        Endings by unit (`isogloss.kb.matching.inflection.endings_in`) and their trie, or ``None``.
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
                text, offsets, units, kinds, case, boundary, covered, slots, records[0], records[1],
                records[2], is_active, endings, rules, out, mention_offsets[text], nested,
            )  # fmt: skip
            if n < 0:
                wider = np.empty((2 * out.shape[0], 3), np.int32)
                wider[: out.shape[0]] = out
                out = wider
        mention_offsets[text + 1] = n
    n = mention_offsets[offsets.size - 1]
    return mention_offsets, out[:n, 0].copy(), out[:n, 1].copy(), out[:n, 2].copy()
