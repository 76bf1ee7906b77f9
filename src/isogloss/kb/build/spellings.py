"""The spellings of the names of one language: folded, each once, in the order of their characters.

Works through blocks of names and keeps packed bytes, so that millions of names fit into memory.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.kb.build.gathered import PackedNames
from isogloss.kb.matching.blocking import (
    ACRONYM_NAME,
    CAPITAL_NAME,
    LOWER_NAME,
    blocked_names,
    silent_words,
)
from isogloss.kb.stored.write import pack_strings
from isogloss.storage.array_file import taken
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.text.folding import TURKIC, UPPER, FoldedTexts, fold_texts


@dataclass(frozen=True)
class Spellings:
    """Which names are looked for, and how they are spelled.

    Attributes
    ----------
    kept : int64 array, (n_kept,)
        Names that are looked for.
    key : int64 array, (n_kept,)
        The spelling of each, as a row of `data`.
    written : uint8 array, (n_kept,)
        `LOWER_NAME`, `CAPITAL_NAME` or `ACRONYM_NAME`.
    data, offsets
        All spellings, UTF-8, ascending, each once.
    silent
        Function words that take up their place in a text, and are no spelling.
    """

    kept: Ints1d
    key: Ints1d
    written: Bytes1d
    data: Bytes1d
    offsets: Ints1d
    silent: list[str]

    @property
    def n_keys(self) -> int:
        """Number of spellings."""
        return int(self.offsets.size) - 1


def spellings_of(names: PackedNames, language: str) -> Spellings:
    """Fold names by the rules of their language, leave blocked ones out, and number the rest."""
    turkic = language.partition("-")[0] in TURKIC
    kept, written, sizes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint8)], [np.zeros(1, np.int64)]
    parts = [np.zeros(0, np.uint8)]
    n_before = 0
    for block in names.blocks():
        folded = fold_texts(block, turkic=turkic)
        strings, how = folded.strings(), how_written(folded)
        rows = np.flatnonzero(~blocked_names(folded, strings, how, language))
        packed, bounds = pack_strings([strings[i] for i in rows.tolist()])
        kept.append(rows + n_before)
        written.append(how[rows])
        parts.append(packed)
        sizes.append(np.diff(bounds))
        n_before += len(block)
    data, offsets = np.concatenate(parts), np.cumsum(np.concatenate(sizes))
    del parts, sizes
    slots, first = index_strings(data, offsets)
    words = sorted(set(silent_words(language)))
    place = find_strings(slots, data, offsets, *pack_strings(words))
    data, offsets, key = _numbered(data, offsets, first)
    return Spellings(
        kept=np.concatenate(kept),
        key=key,
        written=np.concatenate(written),
        data=data,
        offsets=offsets,
        silent=[word for word, at in zip(words, place.tolist(), strict=True) if at < 0],
    )


def how_written(names: FoldedTexts) -> Bytes1d:
    """Return for each name whether it asks for a capital, or for capitals throughout."""
    n_names = names.offsets.size - 1
    owner = np.repeat(np.arange(n_names), np.diff(names.offsets))
    cased = np.flatnonzero(names.case)
    first = np.full(n_names, -1, np.int64)
    first[owner[cased][::-1]] = cased[::-1]
    n_cased = np.bincount(owner[cased], minlength=n_names)
    n_upper = np.bincount(owner[names.case == UPPER], minlength=n_names)
    begins_upper = np.zeros(n_names, bool)
    has_case = first >= 0
    begins_upper[has_case] = names.case[first[has_case]] == UPPER
    written = np.where(begins_upper, CAPITAL_NAME, LOWER_NAME)
    written[begins_upper & (n_cased >= 2) & (n_upper == n_cased)] = ACRONYM_NAME
    return written.astype(np.uint8)


def _numbered(data: Bytes1d, offsets: Ints1d, first: Ints1d) -> tuple[Bytes1d, Ints1d, Ints1d]:
    """Return the distinct strings in order, and of each string its place among them."""
    rows = np.flatnonzero(first == np.arange(first.size))
    distinct, bounds = taken(data, offsets, rows)
    order = _in_order(distinct, bounds)
    rank = np.empty(first.size, np.int64)
    rank[rows[order]] = np.arange(rows.size)
    return *taken(distinct, bounds, order), rank[first]


def _in_order(data: Bytes1d, offsets: Ints1d) -> Ints1d:
    """Return the order of distinct strings by their bytes, which is that of their characters.

    By seven bytes at a time, each time only among those that were equal so far.
    """
    order = np.arange(offsets.size - 1)
    place, group, at = order.copy(), np.zeros(order.size, np.int64), 0
    while place.size:
        rows = order[place]
        with interrupts_wait():
            words = _words(data, offsets, rows, at)
        by = np.lexsort((words, group))
        order[place] = rows[by]
        words = words[by]
        same = (words[1:] == words[:-1]) & (group[1:] == group[:-1])
        tied = np.append(same, False) | np.append(False, same)
        group = np.cumsum(np.append(True, ~same))[tied]
        place = place[tied]
        at += 7
    return order


@compiled
def _words(data: Any, offsets: Any, rows: Any, at: Any) -> Any:
    """Return seven bytes of each string as the high bytes of a number, how many are left below."""
    words = np.empty(rows.size, np.uint64)
    for i in range(rows.size):
        first, last = offsets[rows[i]] + at, offsets[rows[i] + 1]
        word = np.uint64(0)
        for k in range(first, first + 7):
            word = (word << np.uint64(8)) | np.uint64(data[k] if k < last else 0)
        words[i] = (word << np.uint64(8)) | np.uint64(min(last - first, 8))
    return words
