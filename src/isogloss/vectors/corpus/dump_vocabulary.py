"""The words and entities of a dump that get a vector, and what is known of the others."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, SmallInts1d
from isogloss.storage.array_file import Arrays, map_arrays, taken
from isogloss.storage.string_index import Slots, find_strings, index_strings
from isogloss.vectors.names import Names, byte_order
from isogloss.vectors.vocabulary import Counted, Vocabulary
from isogloss.wiki.counts.runs import merge_runs
from isogloss.wiki.dump.extract import REDIRECT


@dataclass(frozen=True)
class DumpVocabulary:
    """A vocabulary, and the entity of each title of the wiki.

    Parameters
    ----------
    number_of_title
        int32, of each title that is an entity: its number, or -1 - its number among the rare ones;
        for other titles `NO_ENTITY`.
    """

    vocabulary: Vocabulary
    number_of_title: SmallInts1d

    @cached_property
    def _slots(self) -> Slots:
        words = self.vocabulary.words
        return index_strings(words.data, words.offsets)[0]

    def numbers_of_words(self, run: Arrays) -> SmallInts1d:
        """Return the number of each word of a part's run, -1 for a rare one."""
        words = self.vocabulary.words
        found = find_strings(
            self._slots, words.data, words.offsets, run["names"], run["name_offsets"]
        )
        return found.astype(np.int32)


NO_ENTITY = np.iinfo(np.int32).min


def count_names(
    words: Sequence[Path],
    parts: Sequence[Path],
    titles: Arrays,
    merged: Path,
    min_word_count: int,
    min_entity_count: int,
) -> DumpVocabulary:
    """Add up the words and links of all parts.

    Parameters
    ----------
    words, parts
        The runs and numbers of `isogloss.vectors.corpus.dump_pages.read_part`.
    titles
        The table of titles (`isogloss.wiki.counts.titles`).
    merged
        A file to make on the way, removed at the end.
    """
    merge_runs(words, merged)
    run = map_arrays(merged)[0]
    kept, rare, _ = _ranked(run["names"], run["name_offsets"], run["n_links"], min_word_count)
    merged.unlink()
    n_titles = titles["page_id"].size
    counts = np.zeros(n_titles, np.int64)
    for part in parts:
        linked, n_times = np.unique(map_arrays(part)[0]["link_entity"], return_counts=True)
        counts[linked] += n_times
    entities = np.flatnonzero(titles["entity"] == np.arange(n_titles))
    data, offsets = taken(titles["titles"], titles["title_offsets"], entities)
    kept_entities, rare_entities, order = _ranked(data, offsets, counts[entities], min_entity_count)
    n_kept = len(kept_entities.names)
    number = np.full(n_titles, NO_ENTITY, np.int32)
    number[entities[order[:n_kept]]] = np.arange(n_kept)
    number[entities[order[n_kept:]]] = -1 - np.arange(order.size - n_kept)
    vocabulary = Vocabulary(
        kept.names, kept_entities.names, kept.counts, kept_entities.counts,
        redirects=_redirects(titles, number), rare_words=rare, rare_entities=rare_entities,
        min_word_count=min_word_count, min_entity_count=min_entity_count,
    )  # fmt: skip
    return DumpVocabulary(vocabulary, number)


def _ranked(
    data: Bytes1d, offsets: Ints1d, counts: Ints1d, minimum: int
) -> tuple[Counted, Counted, Ints1d]:
    """Return names that are frequent enough, the others, and the order: the most frequent first."""
    rank = np.empty(counts.size, np.int64)
    rank[byte_order(data, offsets)] = np.arange(counts.size)
    order = np.lexsort((rank, -counts))
    n_kept = int((counts >= max(minimum, 1)).sum())
    kept, rare = (
        Counted(Names(*taken(data, offsets, rows), np.argsort(rank[rows])), counts[rows])
        for rows in (order[:n_kept], order[n_kept:])
    )
    return kept, rare, order


def _redirects(titles: Arrays, number: SmallInts1d) -> Counted:
    """Return the titles of redirects that lead to an entity, with its number."""
    rows = np.flatnonzero((titles["flags"] & REDIRECT != 0) & (titles["entity"] >= 0))
    data, offsets = taken(titles["titles"], titles["title_offsets"], rows)
    found = find_strings(titles["slots"], titles["titles"], titles["title_offsets"], data, offsets)
    is_first = found == rows  # a title may be given twice
    data, offsets = taken(titles["titles"], titles["title_offsets"], rows[is_first])
    target = number[titles["entity"][rows[is_first]]].astype(np.int64)
    return Counted(Names(data, offsets, byte_order(data, offsets)), target)
