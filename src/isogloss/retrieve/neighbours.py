"""Sentence retrieval between languages: nearest neighbours by cosine, CSLS and L2, and hubs.

A hub is a sentence that is among the nearest of very many others, whatever they say. CSLS
(Conneau et al. 2018) takes from a cosine what both sentences have with their neighbours anyway:

    CSLS(x, y) = 2 cos(x, y) - r(x) - r(y)     r: mean cosine with the k nearest of the other side

Hubness is the skewness of N_k, how often a sentence is among the k nearest (Radovanović et al.
2010): 0 where no sentence is nearer than its share, large where few take all.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Doubles2d, Floats1d, Floats2d, Floats3d

Score = Literal["cosine", "CSLS", "L2"]


class Pair(NamedTuple):
    """Two languages, by number."""

    first: int
    second: int


@dataclass(frozen=True, eq=False)
class Searches:
    """What was found for each pair, forwards (0: from the first to the second) and back (1).

    Arrays are (n_pairs, 2, n_sentences).
    """

    hits: npt.NDArray[np.bool_]  # whether the nearest of a sentence is its translation
    # N_k of the sentences that were searched among; zeros where they were not counted
    occurrences: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, n_pairs: int, n_sentences: int) -> "Searches":
        """Return arrays to be filled."""
        shape = (n_pairs, 2, n_sentences)
        return cls(np.zeros(shape, np.bool_), np.zeros(shape, np.int64))


def search_pairs(
    vectors: Floats3d, pairs: Sequence[Pair], *, n_neighbours: int,
    scores: Collection[Score] = ("cosine", "CSLS"), counts_hubs: bool = True,
) -> dict[Score, Searches]:  # fmt: skip
    """Search the translation of each sentence among all, in both directions.

    Memory is that of some n_sentences² numbers.

    Parameters
    ----------
    vectors
        (n_langs, n_sentences, width).
    n_neighbours
        k, less than n_sentences.
    scores
        By which a sentence is the nearest.
    counts_hubs
        Whether occurrences are counted, which takes most of the time.
    """
    found = {score: Searches.empty(len(pairs), vectors.shape[1]) for score in scores}
    lengths = np.linalg.norm(vectors, axis=2, keepdims=True)
    units = np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)
    k_counted = n_neighbours if counts_hubs else 0
    for at, pair in enumerate(pairs):
        if "cosine" in found or "CSLS" in found:
            cosines: Floats2d = units[pair.first] @ units[pair.second].T
            if "cosine" in found:
                _keep(found["cosine"], at, cosines, k_counted)
            if "CSLS" in found:
                _keep(found["CSLS"], at, csls(cosines, n_neighbours), k_counted)
        if "L2" in found:
            _keep(found["L2"], at, _nearness(vectors[pair.first], vectors[pair.second]), k_counted)
    return found


def csls(cosines: Floats2d, n_neighbours: int) -> Floats2d:
    """Return CSLS of all pairs from their cosines, (n, n)."""
    of_rows, of_columns = (_mean_of_nearest(one, n_neighbours) for one in (cosines, cosines.T))
    scaled: Floats2d = 2 * cosines - of_rows[:, None] - of_columns[None]
    return scaled


def skewness(counts: npt.NDArray[np.int64], times: Doubles2d) -> Doubles2d:
    """Return the skewness of counts, for draws of the sentences.

    Parameters
    ----------
    counts
        (n_searches, n_sentences).
    times
        How often each sentence counts; (n_draws, n_sentences): ones for the skewness itself.

    Returns
    -------
    (n_draws, n_searches); NaN where all counts are equal.
    """
    doubles = counts.astype(np.float64).T
    n = times.sum(1, keepdims=True)
    first, second, third = (times @ doubles**power / n for power in (1, 2, 3))
    variance = second - first**2
    is_varied = variance > 1e-9
    moment = third - 3 * first * second + 2 * first**3
    return np.asarray(moment / np.where(is_varied, variance, np.nan) ** 1.5)


def _nearness(first: Floats2d, second: Floats2d) -> Floats2d:
    """Return minus half the squared distances of all pairs, (n, n)."""
    # Distances do not change when both sides move alike, and products of small vectors round less.
    middle = (first.mean(0, dtype=np.float64) + second.mean(0, dtype=np.float64)) / 2
    one, other = ((some - middle).astype(np.float32) for some in (first, second))
    squares = [(some.astype(np.float64) ** 2).sum(1).astype(np.float32) for some in (one, other)]
    near: Floats2d = one @ other.T - squares[0][:, None] / 2 - squares[1][None] / 2
    return near


def _mean_of_nearest(scores: Floats2d, n_neighbours: int) -> Floats1d:
    means: Floats1d = np.partition(scores, -n_neighbours, axis=1)[:, -n_neighbours:].mean(1)
    return means


def _keep(searches: Searches, at: int, scores: Floats2d, k_counted: int) -> None:
    for way, some in enumerate((scores, scores.T)):
        n = len(some)
        searches.hits[at, way] = some.argmax(1) == np.arange(n)
        if k_counted:
            nearest = np.argpartition(-some, k_counted - 1, axis=1)[:, :k_counted]
            searches.occurrences[at, way] = np.bincount(nearest.ravel(), minlength=n)
