"""Search texts for the names of one language, and put the results of several together.

Works on flat arrays throughout; `linker` decides which languages to search and what is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Bytes1d, Floats1d, Ints1d, SmallInts1d
from isogloss.compiled import interrupts_wait
from isogloss.kb.base import KnowledgeBase
from isogloss.kb.matching.inflection import Inflection, endings_in, inflection_of, mark_starts
from isogloss.kb.matching.matcher import find_names
from isogloss.kb.matching.name_table import views_of
from isogloss.text.folding import TURKIC, FoldedTexts, fold_texts


@dataclass(frozen=True)
class Found:
    """Mentions of texts: how many each text has, their places, rows and languages."""

    n_mentions: Ints1d
    start: SmallInts1d
    end: SmallInts1d
    row: SmallInts1d
    language: Bytes1d


class Search:
    """The names of one language, ready to be looked for."""

    def __init__(
        self,
        knowledge_base: KnowledgeBase,
        language: str,
        number: int,
        min_link_prob: float,
        min_commonness: float,
        nested: bool,
        inflection: bool,
    ) -> None:
        arrays = knowledge_base.names_in(language)
        base = language.partition("-")[0]
        self.number = number
        self.turkic = base in TURKIC
        self.inflection = inflection_of(language) if inflection else Inflection(None, None)
        self.nested = nested
        self.min_commonness = np.float32(min_commonness)
        self.offsets = arrays["row_offsets"]
        self.entity = arrays["candidate_entity"]
        self.commonness = arrays["candidate_commonness"]
        self.link_prob = arrays["row_link_prob"]
        self.slots = arrays["slots"]
        self.records = views_of(arrays["records"])
        self.is_active = self._active(np.float32(min_link_prob))

    def _active(self, min_link_prob: np.float32) -> Bools1d:
        """Say of each row whether its name may be linked, and keeps a candidate."""
        active = self.link_prob >= min_link_prob
        if active.size:
            common = np.maximum.reduceat(self.commonness, self.offsets[:-1])
            active &= common >= self.min_commonness
        return active

    def run(self, texts: Sequence[str], covered: Bytes1d | None, origin: Ints1d) -> Found:
        """Search texts; `covered` marks characters of all texts, text i from `origin[i]` on."""
        folded = fold_texts(texts, turkic=self.turkic)
        hidden = None
        if covered is not None:
            owner = np.repeat(origin[:-1], np.diff(folded.offsets))
            hidden = covered[owner + folded.start] if owner.size else np.zeros(0, np.uint8)
        with interrupts_wait():
            endings = self._mark(folded)
            offsets, first, stop, row = find_names(
                _as_tuple(folded), self.slots, self.records, self.is_active, hidden, endings,
                self.inflection.endings, self.nested,
            )  # fmt: skip
        n_mentions = np.diff(offsets)
        at = np.repeat(folded.offsets[:-1], n_mentions)
        return Found(
            n_mentions=n_mentions,
            start=folded.start[at + first],
            end=folded.end[at + stop - 1],
            row=row,
            language=np.full(row.size, self.number, np.uint8),
        )

    def _mark(self, folded: FoldedTexts) -> SmallInts1d | None:
        """Mark in `folded` where prefixes end; return where endings begin, if there are any."""
        endings, prefixes = self.inflection.endings, self.inflection.prefixes
        found = None
        if endings is not None:
            found = endings_in(folded.offsets, folded.units, folded.boundary, endings)
        if prefixes is not None:
            mark_starts(folded.offsets, folded.units, folded.kinds, folded.boundary, prefixes)
        return found


class Candidates:
    """The candidates of the mentions of one language."""

    def __init__(self, found: Found, search: Search) -> None:
        mentions = np.flatnonzero(found.language == search.number)
        rows = found.row[mentions]
        begin = search.offsets[rows]
        size = search.offsets[rows + 1] - begin
        shift = np.repeat(begin - (np.cumsum(size) - size), size)
        place = np.arange(int(size.sum())) + shift
        common = search.commonness[place]
        keep = common >= search.min_commonness
        self.mention = np.repeat(mentions, size)[keep]
        self.entity = search.entity[place][keep]
        self.link = np.repeat(search.link_prob[rows], size)[keep]
        self.common = common[keep]


def _as_tuple(folded: FoldedTexts) -> tuple[Any, ...]:
    return folded.offsets, folded.units, folded.kinds, folded.case, folded.boundary


def cover(covered: Bytes1d, found: Found, origin: Ints1d) -> None:
    """Mark the characters of mentions as taken."""
    shift = np.repeat(origin[:-1], found.n_mentions)
    edges = np.zeros(covered.size + 1, np.int32)
    np.add.at(edges, shift + found.start, 1)
    np.add.at(edges, shift + found.end, -1)
    covered |= np.cumsum(edges[:-1]) > 0


def merged(found: "list[Found]", n_texts: int) -> Found:
    """Merge the languages' mentions of the same texts into the order of the texts."""
    if not found:
        none = np.zeros(0, np.int32)
        return Found(np.zeros(n_texts, np.int64), none, none, none, np.zeros(0, np.uint8))
    owner = np.concatenate([np.repeat(np.arange(n_texts), part.n_mentions) for part in found])
    start = np.concatenate([part.start for part in found])
    end = np.concatenate([part.end for part in found])
    language = np.concatenate([part.language for part in found])
    order = np.lexsort((language, end, start, owner))
    return Found(
        n_mentions=np.bincount(owner, minlength=n_texts).astype(np.int64),
        start=start[order],
        end=end[order],
        row=np.concatenate([part.row for part in found])[order],
        language=language[order],
    )


def concatenated(parts: "list[Found]") -> Found:
    """Put the blocks of texts one after another."""
    if not parts:
        return merged([], 0)
    if len(parts) == 1:
        return parts[0]
    return Found(
        n_mentions=np.concatenate([part.n_mentions for part in parts]),
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        row=np.concatenate([part.row for part in parts]),
        language=np.concatenate([part.language for part in parts]),
    )


def interleaved(
    parts: "list[Candidates]",
) -> tuple[Ints1d, SmallInts1d, Floats1d, Floats1d]:
    """Return mention, entity, link probability and commonness, by mention and then by entity."""
    if len(parts) == 1:
        return parts[0].mention, parts[0].entity, parts[0].link, parts[0].common
    if not parts:
        none = np.zeros(0, np.float32)
        return np.zeros(0, np.int64), np.zeros(0, np.int32), none, none
    mention = np.concatenate([part.mention for part in parts])
    order = np.argsort(mention, kind="stable")
    return (
        mention[order],
        np.concatenate([part.entity for part in parts])[order],
        np.concatenate([part.link for part in parts])[order],
        np.concatenate([part.common for part in parts])[order],
    )
