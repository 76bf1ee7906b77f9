"""Near-duplicates: the same story in two languages, as texts that are each other's nearest.

Two texts of different languages are a pair when each is the nearest of the other among all texts of
its language, and their cosine reaches a threshold. Pairs that share a text are one story. Cosines
are computed once, a block at a time, for each two languages.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from isogloss.arrays import Floats1d, Floats2d, Ints1d
from isogloss.retrieve.search import NOTHING, SomeVectors, nearest_both

THRESHOLD = 0.9


@dataclass(frozen=True)
class DuplicatePair:
    """Two texts, by their rows, the first the smaller.

    Attributes
    ----------
    story
        Number of the story, from 1, the one with the best pair first.
    """

    story: int
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
        Lowest cosine of a pair; for how it was chosen see docs/search.md.
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
    cosines = np.array([pair[2] for pair in found])
    stories = _stories(firsts, seconds, cosines, len(vectors))
    order = np.lexsort((seconds, firsts, -cosines, stories))
    return [
        DuplicatePair(int(stories[at]), float(cosines[at]), int(firsts[at]), int(seconds[at]))
        for at in order
    ]


def _mutual(
    vectors: Floats2d, one: Ints1d, other: Ints1d, threshold: float
) -> Iterator[tuple[int, int, float]]:
    is_within = one is other
    both = nearest_both(
        SomeVectors(vectors, one), SomeVectors(vectors, other), without_self=is_within
    )
    there, back = both.of_sources.rows[:, 0], both.of_targets.rows[:, 0]
    places = np.arange(len(one))
    is_mutual = (there != NOTHING) & (back[there] == places)
    is_mutual &= both.of_sources.cosines[:, 0] >= threshold
    if is_within:
        is_mutual &= places < there
    for place in np.flatnonzero(is_mutual).tolist():
        rows = sorted((int(one[place]), int(other[there[place]])))
        yield rows[0], rows[1], float(both.of_sources.cosines[place, 0])


def _stories(firsts: Ints1d, seconds: Ints1d, cosines: Floats1d, n: int) -> Ints1d:
    """Return the number of each pair's story, in the order of their best pairs."""
    graph = coo_array((np.ones(len(firsts), bool), (firsts, seconds)), shape=(n, n))
    component = connected_components(graph, directed=False)[1][firsts]
    order = np.lexsort((firsts, -cosines))
    numbers = {part: number for number, part in enumerate(dict.fromkeys(component[order]), 1)}
    return np.array([numbers[part] for part in component], np.int64)
