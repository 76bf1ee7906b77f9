"""Nearest neighbours by cosine, exactly, a chunk of queries at a time.

Called by the benchmarks here, by mining and by search over an index. Memory is that of the vectors
and of one chunk of scores.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Floats2d, Ints2d

N_SCORES_AT_ONCE = 1 << 24


class Neighbours(NamedTuple):
    """The nearest rows of each query, the nearest first.

    Attributes
    ----------
    rows, cosines
        (n_queries, k): which rows of the index, and how near; of equals the first row.
    """

    rows: Ints2d
    cosines: Floats2d


def nearest(queries: Floats2d, index: Floats2d, *, k: int = 1) -> Neighbours:
    """Return the nearest rows of an index by cosine, found exactly.

    Parameters
    ----------
    queries, index
        Unit vectors, (n_queries, width) and (n_rows, width); either may be memory-mapped.
    k
        At most as many as the index has rows.
    """
    k = min(k, len(index))
    rows = np.empty((len(queries), k), np.int64)
    cosines = np.empty((len(queries), k), np.float32)
    for chunk, scores in _scores(queries, index):
        rows[chunk] = _best(scores, k)
        cosines[chunk] = np.take_along_axis(scores, rows[chunk], axis=1)
    return Neighbours(rows, cosines)


def _scores(queries: Floats2d, index: Floats2d) -> Iterator[tuple[slice, Floats2d]]:
    n_at_once = max(1, N_SCORES_AT_ONCE // max(1, len(index)))
    for start in range(0, len(queries), n_at_once):
        chunk = slice(start, start + n_at_once)
        scores: Floats2d = queries[chunk] @ index.T
        yield chunk, scores


def _best(scores: Floats2d, k: int) -> Ints2d:
    if k == 1:
        return scores.argmax(axis=1)[:, None]
    candidates = np.sort(np.argpartition(-scores, k - 1, axis=1)[:, :k], axis=1)
    chosen = np.take_along_axis(scores, candidates, axis=1)
    order = np.argsort(-chosen, axis=1, kind="stable")
    best: Ints2d = np.take_along_axis(candidates, order, axis=1)
    return best
