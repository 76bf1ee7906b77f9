"""Nearest neighbours by cosine, exactly, a block of cosines at a time.

Called by the benchmarks here, by mining and by search over an index. Memory is that of one block
and of what is found; vectors may be memory-mapped, on both sides. Of equals the first row is taken,
so that the size of a block changes nothing but the rounding of a product.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Floats1d, Floats2d, Ints1d, Ints2d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.progress import progress

N_SCORES_AT_ONCE = 1 << 24  # cosines of a block: 64 MB
N_QUERIES_AT_ONCE = 1 << 13
N_ROWS_AT_ONCE = 1 << 16  # of an index, of which some rows are copied where not all are searched
NOTHING = -1  # row, where there are fewer neighbours than asked for
_LONG_WORK = 1 << 34  # cosines, after which progress is shown


class Neighbours(NamedTuple):
    """The nearest rows of each query, the nearest first.

    Attributes
    ----------
    rows, cosines
        (n_queries, k): which rows of the index, and how near; of equals the first row.
    """

    rows: Ints2d
    cosines: Floats2d


class BothNeighbours(NamedTuple):
    """The nearest targets of each source, and the nearest sources of each target."""

    of_sources: Neighbours
    of_targets: Neighbours


@dataclass(frozen=True, eq=False)
class SomeVectors:
    """Some rows of vectors, taken when they are asked for: those of one language in an index.

    Attributes
    ----------
    vectors
        (n_vectors, width); may be memory-mapped.
    rows
        Which of them, ascending.
    """

    vectors: Floats2d
    rows: Ints1d

    def __len__(self) -> int:
        return len(self.rows)

    def __getitem__(self, part: slice) -> Floats2d:
        return self.vectors[self.rows[part]]

    def rows_of(self, places: Ints2d) -> Ints2d:
        """Return the rows of places among these, `NOTHING` where there is none."""
        found: Ints2d = np.where(places == NOTHING, NOTHING, self.rows[places])
        return found


Vectors = Floats2d | SomeVectors


def nearest(queries: Vectors, index: Vectors, *, k: int = 1) -> Neighbours:
    """Return the nearest rows of an index by cosine, found exactly.

    Parameters
    ----------
    queries, index
        Unit vectors, (n_queries, width) and (n_rows, width); either may be memory-mapped.
    k
        At most as many as the index has rows.
    """
    found = _Found.nothing(len(queries), min(k, len(index)))
    with _shown(len(queries), len(index)) as advance:
        for one, other in _blocks(len(queries), len(index)):
            scores = _product(queries[one], index[other])
            found.add(one, scores, np.arange(other.start, other.stop))
            advance(scores.size)
    return found.neighbours


def nearest_both(
    sources: Vectors, targets: Vectors, *, k: int = 1, without_self: bool = False
) -> BothNeighbours:
    """Return the nearest rows of two sets in both directions; each cosine is computed once.

    Parameters
    ----------
    sources, targets
        Unit vectors, (n_sources, width) and (n_targets, width); either may be memory-mapped.
    k
        At most as many as the other set has rows.
    without_self
        Row i of one is row i of the other, and no neighbour of itself: its row is `NOTHING` where
        there are too few others.
    """
    of_sources = _Found.nothing(len(sources), min(k, len(targets)))
    of_targets = _Found.nothing(len(targets), min(k, len(sources)))
    with _shown(len(sources), len(targets)) as advance:
        for one, other in _blocks(len(sources), len(targets)):
            scores = _product(sources[one], targets[other])
            if without_self:
                _blank_diagonal(scores, one, other)
            of_sources.add(one, scores, np.arange(other.start, other.stop))
            of_targets.add(other, scores.T, np.arange(one.start, one.stop))
            advance(scores.size)
    return BothNeighbours(of_sources.neighbours, of_targets.neighbours)


class _Found:
    """The best of each query so far."""

    def __init__(self, rows: Ints2d, cosines: Floats2d) -> None:
        self.neighbours = Neighbours(rows, cosines)

    @classmethod
    def nothing(cls, n_queries: int, k: int) -> "_Found":
        rows = np.full((n_queries, k), NOTHING, np.int64)
        return cls(rows, np.full((n_queries, k), -np.inf, np.float32))

    def add(self, queries: slice, scores: Floats2d, columns: Ints1d) -> None:
        """Take in the cosines of some queries, (n_queries, n_columns), with columns that follow."""
        rows, cosines = self.neighbours
        if not rows.shape[1]:
            return
        with interrupts_wait():
            if scores.flags.c_contiguous:
                _keep_best(scores, columns, rows[queries], cosines[queries])
            else:
                lowest: Floats1d = cosines[queries, -1].copy()
                _keep_best_of_columns(scores.T, columns, lowest, rows[queries], cosines[queries])


def _blocks(n_rows: int, n_columns: int) -> Iterator[tuple[slice, slice]]:
    """Yield the blocks of a matrix, those of the first rows first."""
    n_down = max(1, min(n_rows, N_QUERIES_AT_ONCE))
    n_across = max(1, min(n_columns, N_ROWS_AT_ONCE, N_SCORES_AT_ONCE // n_down))
    for top in range(0, n_rows, n_down):
        for left in range(0, n_columns, n_across):
            yield (
                slice(top, min(top + n_down, n_rows)),
                slice(left, min(left + n_across, n_columns)),
            )


def _product(queries: Floats2d, index: Floats2d) -> Floats2d:
    scores: Floats2d = np.ascontiguousarray(queries, np.float32) @ np.asarray(index, np.float32).T
    return scores


def _blank_diagonal(scores: Floats2d, one: slice, other: slice) -> None:
    both = np.arange(max(one.start, other.start), min(one.stop, other.stop))
    scores[both - one.start, both - other.start] = -np.inf


def _shown(n_rows: int, n_columns: int) -> Any:
    """Return what shows progress of long work."""
    n = n_rows * n_columns
    return progress("comparing", n, "pairs") if n >= _LONG_WORK else _Silent()


class _Silent:
    def __enter__(self) -> Any:
        return lambda n: None

    def __exit__(self, *_: object) -> None:
        return


@compiled
def _put(rows: Any, cosines: Any, row: Any, score: Any) -> Any:
    """Put a score into one query's list, behind those that are at least as high."""
    at = rows.size - 1
    while at > 0 and cosines[at - 1] < score:
        rows[at], cosines[at] = rows[at - 1], cosines[at - 1]
        at -= 1
    rows[at], cosines[at] = row, score


@compiled
def _keep_best(scores: Any, columns: Any, rows: Any, cosines: Any) -> Any:
    for i in range(scores.shape[0]):
        lowest = cosines[i, -1]
        for j in range(scores.shape[1]):
            if scores[i, j] > lowest:
                _put(rows[i], cosines[i], columns[j], scores[i, j])
                lowest = cosines[i, -1]


@compiled
def _keep_best_of_columns(scores: Any, columns: Any, lowest: Any, rows: Any, cosines: Any) -> Any:
    """Do the same for the columns of a block, row by row as it lies in memory."""
    for i in range(scores.shape[0]):
        for j in range(scores.shape[1]):
            if scores[i, j] > lowest[j]:
                _put(rows[j], cosines[j], columns[i], scores[i, j])
                lowest[j] = cosines[j, -1]
