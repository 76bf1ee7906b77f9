"""Near-duplicates: the same story in two languages, as texts that are each other's nearest.

Two texts of different languages are a pair when each is the nearest of the other among all texts of
its language, and their margin reaches a threshold: the cosine over the mean cosine of both with
their nearest of the other language (`margins`), which tells the same story from the same topic
better than the cosine itself. Pairs that share a text are one story. Cosines are computed once, a
block at a time, for each two languages.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Floats2d, Ints1d
from isogloss.retrieve.margins import N_NEIGHBOURS, margin_scores, mean_cosines
from isogloss.retrieve.search import NOTHING, SomeVectors, nearest_both

THRESHOLD = 1.04  # chosen by benchmarks/near_duplicates.py


@dataclass(frozen=True)
class DuplicatePair:
    """Two texts, by their rows, the first the smaller.

    Attributes
    ----------
    story
        Number of the story, from 1, the one with the best pair first.
    score
        The margin, a ratio.
    """

    story: int
    score: float
    cosine: float
    first: int
    second: int


def near_duplicates(
    vectors: Floats2d, langs: Ints1d, *, threshold: float = THRESHOLD, same_language: bool = False
) -> list[DuplicatePair]:
    """Return near-duplicates, story by story, the best pair of each first.

    Parameters
    ----------
    vectors
        Unit vectors, (n_texts, width); may be memory-mapped.
    langs
        Number of the language of each text, (n_texts,).
    threshold
        Lowest margin of a pair; how it was chosen is in docs/search.md.
    same_language
        Look for pairs within a language too.
    """
    groups = {lang: np.flatnonzero(langs == lang) for lang in np.unique(langs).tolist()}
    pairing = combinations_with_replacement if same_language else combinations
    found = [
        pair
        for one, other in pairing(groups.values(), 2)
        for pair in _mutual(vectors, one, other, threshold)
    ]
    if not found:
        return []
    firsts, seconds = (np.array([pair[at] for pair in found]) for at in (0, 1))
    scores = np.array([pair[2] for pair in found])
    stories = _stories(firsts, seconds, scores, len(vectors))
    order = np.lexsort((seconds, firsts, -scores, stories)).tolist()
    return [DuplicatePair(int(stories[at]), *found[at][2:], *found[at][:2]) for at in order]


def _mutual(
    vectors: Floats2d, one: Ints1d, other: Ints1d, threshold: float
) -> Iterator[tuple[int, int, float, float]]:
    """Yield two rows, margin and cosine of each pair of two languages, or of one."""
    is_within = one is other
    both = nearest_both(
        SomeVectors(vectors, one), SomeVectors(vectors, other), k=N_NEIGHBOURS,
        without_self=is_within,
    )  # fmt: skip
    means = mean_cosines(both.of_sources), mean_cosines(both.of_targets)
    scores = margin_scores(both.of_sources, means[0], means[1], "ratio")[:, 0]
    there, back = both.of_sources.rows[:, 0], both.of_targets.rows[:, 0]
    places = np.arange(len(one))
    is_mutual = (there != NOTHING) & (back[there] == places) & (scores >= threshold)
    if is_within:
        is_mutual &= places < there
    for place in np.flatnonzero(is_mutual).tolist():
        rows = sorted((int(one[place]), int(other[there[place]])))
        yield rows[0], rows[1], float(scores[place]), float(both.of_sources.cosines[place, 0])


def _stories(firsts: Ints1d, seconds: Ints1d, scores: Doubles1d, n: int) -> Ints1d:
    """Return the number of each pair's story, in the order of their best pairs."""
    graph = scipy.sparse.coo_array((np.ones(len(firsts), bool), (firsts, seconds)), shape=(n, n))
    component = scipy.sparse.csgraph.connected_components(graph, directed=False)[1][firsts]
    order = np.lexsort((firsts, -scores))
    numbers = {part: number for number, part in enumerate(dict.fromkeys(component[order]), 1)}
    return np.array([numbers[part] for part in component], np.int64)
