"""Sentence retrieval between languages: nearest neighbours by cosine and by CSLS, and hubs.

A hub is a sentence that is among the nearest of very many others, whatever they say. CSLS
(Conneau et al. 2018) takes from a cosine what both sentences have with their neighbours anyway:

    CSLS(x, y) = 2 cos(x, y) - r(x) - r(y)     r: mean cosine with the k nearest of the other side

Hubness is the skewness of N_k, how often a sentence is among the k nearest (Radovanović et al.
2010): 0 where no sentence is nearer than its share, large where few take all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Doubles2d, Floats1d, Floats2d, Floats3d, Ints1d

Score = Literal["cosine", "CSLS"]


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
    occurrences: npt.NDArray[np.int64]  # N_k of the sentences that were searched among


class _Nearest(NamedTuple):
    """Of each query: k nearest, their mean score, and the nearest; (n, k), (n,), (n,)."""

    k_nearest: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"
    means: Floats1d
    first: Ints1d


def search_pairs(
    vectors: Floats3d, pairs: Sequence[Pair], *, n_neighbours: int
) -> dict[Score, Searches]:
    """Search the translation of each sentence among all, in both directions.

    Vectors are (n_langs, n_sentences, width); k, `n_neighbours`, is less than n_sentences.
    """
    lengths = np.linalg.norm(vectors, axis=2, keepdims=True)
    units = np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)
    shape = (len(pairs), 2, vectors.shape[1])
    found: dict[Score, Searches] = {
        score: Searches(np.empty(shape, np.bool_), np.empty(shape, np.int64))
        for score in ("cosine", "CSLS")
    }
    for at, pair in enumerate(pairs):
        cosines: Floats2d = units[pair.first] @ units[pair.second].T
        forwards, back = _nearest(cosines, n_neighbours), _nearest(cosines.T, n_neighbours)
        scaled: Floats2d = 2 * cosines - forwards.means[:, None] - back.means[None]
        _keep(found["cosine"], at, forwards, back)
        _keep(found["CSLS"], at, _nearest(scaled, n_neighbours), _nearest(scaled.T, n_neighbours))
    return found


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


def _nearest(scores: Floats2d, n_neighbours: int) -> _Nearest:
    k_nearest = np.argpartition(-scores, n_neighbours - 1, axis=1)[:, :n_neighbours]
    means = np.take_along_axis(scores, k_nearest, axis=1).mean(1)
    return _Nearest(k_nearest, means, scores.argmax(1))


def _keep(searches: Searches, at: int, forwards: _Nearest, back: _Nearest) -> None:
    for way, nearest in enumerate((forwards, back)):
        n = len(nearest.first)
        searches.hits[at, way] = nearest.first == np.arange(n)
        searches.occurrences[at, way] = np.bincount(nearest.k_nearest.ravel(), minlength=n)
