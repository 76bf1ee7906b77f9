"""Bitext mining: which sentences of two languages are translations (Artetxe and Schwenk 2019).

Candidates are the best of each sentence in both directions, by the margin (`retrieve.margins`); a
sentence is in one pair at most, the better one first. Cosines are computed a block at a time, each
once for both directions.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Doubles1d, Floats2d, Ints1d
from isogloss.errors import InputError, did_you_mean
from isogloss.retrieve.margins import (
    MARGINS,
    N_NEIGHBOURS,
    Margin,
    margin_scores,
    mean_cosines,
)
from isogloss.retrieve.search import BothNeighbours, nearest_both

Search = Callable[..., BothNeighbours]


class MinedPairs(NamedTuple):
    """Pairs, the best first.

    Attributes
    ----------
    sources, targets
        int64 (n_pairs,): places in the two lists; none occurs twice.
    scores
        float64 (n_pairs,): the margin.
    """

    sources: Ints1d
    targets: Ints1d
    scores: Doubles1d

    def above(self, threshold: float) -> "MinedPairs":
        """Return the pairs with at least this score."""
        n = int(np.searchsorted(-self.scores, -threshold, side="right"))
        return MinedPairs(self.sources[:n], self.targets[:n], self.scores[:n])


def mine_pairs(
    sources: Floats2d,
    targets: Floats2d,
    *,
    margin: Margin = "ratio",
    n_neighbours: int = N_NEIGHBOURS,
    search: Search = nearest_both,
) -> MinedPairs:
    """Return the pairs of two sets of sentences.

    Parameters
    ----------
    sources, targets
        Unit vectors, (n_sources, width) and (n_targets, width); either may be memory-mapped.
    margin
        ``"ratio"``, ``"distance"``, or ``"cosine"``, which compares with nothing.
    n_neighbours
        k.
    search
        What finds the neighbours: exactly, or `approximate.nearest_both_by_faiss`.

    Raises
    ------
    InputError
        For an unknown margin.
    """
    if margin not in MARGINS:
        raise InputError(f"margin is '{margin}'; {did_you_mean(str(margin), MARGINS)}")
    if not len(sources) or not len(targets):
        return MinedPairs(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    forwards, back = search(sources, targets, k=n_neighbours)
    means = mean_cosines(forwards), mean_cosines(back)
    scored = [
        margin_scores(forwards, means[0], means[1], margin),
        margin_scores(back, means[1], means[0], margin),
    ]
    best = [scores.argmax(axis=1) for scores in scored]
    rows = [np.arange(len(sources)), np.arange(len(targets))]
    firsts = np.concatenate([rows[0], back.rows[rows[1], best[1]]])
    seconds = np.concatenate([forwards.rows[rows[0], best[0]], rows[1]])
    values = np.concatenate([scored[0][rows[0], best[0]], scored[1][rows[1], best[1]]])
    is_found = np.isfinite(values)  # an approximate search may find nothing for a sentence
    return _one_each(firsts[is_found], seconds[is_found], values[is_found])


def _one_each(sources: Ints1d, targets: Ints1d, scores: Doubles1d) -> MinedPairs:
    """Take candidates from the best on, each sentence once."""
    order = np.lexsort((targets, sources, -scores))
    is_taken = [np.zeros(int(side.max(initial=-1)) + 1, bool) for side in (sources, targets)]
    kept = []
    for place in order.tolist():
        source, target = sources[place], targets[place]
        if not (is_taken[0][source] or is_taken[1][target]):
            is_taken[0][source] = is_taken[1][target] = True
            kept.append(place)
    chosen = np.array(kept, np.int64)
    return MinedPairs(sources[chosen], targets[chosen], scores[chosen])
