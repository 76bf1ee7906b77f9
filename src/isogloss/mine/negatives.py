"""Hard negatives: of each source the nearest targets that do not translate it.

A target that is as near as the translation, or nearer, is often one too: pairs are noisy, and a
corpus says the same thing twice. So those are taken that stay below the cosine of the pair by a
margin (positive-aware mining, Moreira et al. 2024), and none that some pair names as a translation.
"""

from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bools2d, Floats1d, Floats2d, Ints1d, Ints2d
from isogloss.retrieve.search import nearest

DEPTH = 128  # nearest targets that are looked at; a pair that is behind them all is hardly one
N_SOURCES_AT_ONCE = 8192


class HardNegatives(NamedTuple):
    """The hard negatives of pairs, those of the first pair first, the nearest first.

    Attributes
    ----------
    rows
        int64 (n_negatives,): the pair whose target the negative is.
    counts
        int64 (n_pairs,): how many each pair has.
    """

    rows: Ints1d
    counts: Ints1d


def hard_negatives(
    sources: Floats2d, targets: Floats2d, *, numbers: Ints2d, n: int, margin: float
) -> HardNegatives:
    """Return up to `n` negatives for each pair, all found among the targets.

    Memory is that of the vectors and of the neighbours of some sources at a time.

    Parameters
    ----------
    sources, targets
        Unit vectors of pairs of one language, (n_pairs, width).
    numbers
        int64 (2, n_pairs): equal numbers for sentences that are equal, on whichever side.
    margin
        A negative is less near than the translation by at least this cosine.
    """
    first = np.unique(numbers[1], return_index=True)[1]  # pairs whose targets are all there are
    index = targets[first]
    base = int(numbers.max(initial=0)) + 1
    known = np.unique(numbers[0] * base + numbers[1])
    rows, counts = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, len(sources), N_SOURCES_AT_ONCE):
        chunk = slice(start, start + N_SOURCES_AT_ONCE)
        found = nearest(sources[chunk], index, k=n + DEPTH)
        of_targets = numbers[1][first[found.rows]]  # (n_sources, k)
        own = numbers[0][chunk, None]
        is_same = np.isin(own * base + of_targets, known) | (of_targets == own)
        own_cosines: Floats1d = np.einsum("ij,ij->i", sources[chunk], targets[chunk])
        is_near = found.cosines > (own_cosines - margin)[:, None]
        taken = _first_of_each(~(is_same | is_near), n)
        rows.append(first[found.rows[taken]])
        counts.append(taken.sum(axis=1, dtype=np.int64))
    return HardNegatives(np.concatenate(rows), np.concatenate(counts))


def _first_of_each(may_be: Bools2d, n: int) -> Bools2d:
    """Return the first `n` in each row of those that may be taken."""
    taken: Bools2d = may_be & (np.cumsum(may_be, axis=1) <= n)
    return taken
