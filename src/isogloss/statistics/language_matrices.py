"""Whether two matrices of pairs of languages go together: a permutation test of languages.

Pairs of languages are no independent observations: each language is in many of them. So languages
are exchanged, not pairs (Mantel 1967): in a square matrix rows together with columns, else rows and
columns apart. The pair of a language with itself is left out wherever it comes to lie.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import factorial

import numpy as np
import scipy

from isogloss.arrays import Bools2d, Doubles2d, Ints1d

N_PERMUTATIONS = 9_999  # drawn at random, where there are more


@dataclass(frozen=True)
class MatrixCorrelation:
    """Spearman's rank correlation of two matrices over pairs of languages.

    Attributes
    ----------
    value
        NaN where there are fewer than three pairs, or one matrix has equal values throughout.
    p_value
        Two-sided; no smaller than one by the number of permutations.
    """

    value: float
    p_value: float
    n_pairs: int
    n_permutations: int  # the one that was measured among them


def matrix_correlation(
    first: Doubles2d, second: Doubles2d, *, are_same: bool, seed: int
) -> MatrixCorrelation:
    """Correlate two matrices of the same languages.

    Parameters
    ----------
    first, second
        (n_rows, n_columns); NaN: no value, as of a language with itself.
    are_same
        Whether rows and columns are the same languages in the same order.
    """
    ranks = [_ranks(one) for one in (first, second)]
    value = _correlation(*ranks)
    n_pairs = int((np.isfinite(first) & np.isfinite(second)).sum())
    if not np.isfinite(value):
        return MatrixCorrelation(np.nan, np.nan, n_pairs, 0)
    target, n_extreme, n_all = abs(value) - 1e-9, 0, 0
    for rows, columns in _orders(*first.shape, are_same=are_same, seed=seed):
        # NaN: too few pairs are left to tell; it counts against what was measured.
        found = abs(_correlation(ranks[0], ranks[1][rows][:, columns]))
        n_extreme += not found < target
        n_all += 1
    return MatrixCorrelation(value, n_extreme / n_all, n_pairs, n_all)


def _orders(
    n_rows: int, n_columns: int, *, are_same: bool, seed: int
) -> Iterator[tuple[Ints1d, Ints1d]]:
    """Yield orders of rows and columns: all, or that which there is and many at random."""
    n_all = factorial(n_rows) * (1 if are_same else factorial(n_columns))
    if n_all <= N_PERMUTATIONS + 1:
        of_columns = [None] if are_same else [*permutations(range(n_columns))]
        for rows, columns in product(permutations(range(n_rows)), of_columns):
            yield np.array(rows), np.array(rows if columns is None else columns)
        return
    generator = np.random.default_rng(seed)
    yield np.arange(n_rows), np.arange(n_columns)
    for _ in range(N_PERMUTATIONS):
        drawn = generator.permutation(n_rows)
        yield drawn, drawn if are_same else generator.permutation(n_columns)


def _ranks(matrix: Doubles2d) -> Doubles2d:
    """Return the rank of each value among all, NaN where there is none."""
    ranks = np.full(matrix.shape, np.nan)
    has_value: Bools2d = np.isfinite(matrix)
    ranks[has_value] = scipy.stats.rankdata(matrix[has_value])
    return ranks


def _correlation(first: Doubles2d, second: Doubles2d) -> float:
    """Return the correlation over pairs that have both values."""
    has_both = np.isfinite(first) & np.isfinite(second)
    if has_both.sum() < 3:
        return np.nan
    centred = [one[has_both] - one[has_both].mean() for one in (first, second)]
    lengths = [float(np.sqrt(one @ one)) for one in centred]
    if min(lengths) <= 1e-9:
        return np.nan
    return float(centred[0] @ centred[1]) / (lengths[0] * lengths[1])
