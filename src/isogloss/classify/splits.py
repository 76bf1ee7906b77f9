"""Divide documents with label sets so that every part keeps the shares of the labels.

Drawing at random leaves parts without a single document of a rare label. Documents are given out
label by label, the rarest first, each to the part that lacks the label most: the iterative
stratification of Sechidis, Tsoumakas and Vlahavas (2011).
"""

from collections.abc import Sequence

import numpy as np

from isogloss.arrays import Bools2d, Doubles1d, Doubles2d, Ints1d


def stratified_parts(y: Bools2d, shares: Sequence[float], *, seed: int) -> Ints1d:
    """Return the part of each document: int64 (n_documents,), 0 to ``len(shares) - 1``.

    Parameters
    ----------
    y
        (n_documents, n_labels): which labels each has; none at all is allowed.
    shares
        Of the documents, for each part; positive, adding up to 1.
    seed
        Of the order in which documents are given out.

    Examples
    --------
    >>> y = np.array([[True, False], [True, True], [False, True], [False, False]] * 5)
    >>> np.bincount(stratified_parts(y, [0.8, 0.2], seed=0)).tolist()
    [16, 4]
    """
    portions = np.asarray(shares, dtype=np.float64)
    n_documents = len(y)
    wanted = portions * n_documents  # documents that each part still lacks
    wanted_with = portions[:, None] * y.sum(axis=0)  # the same by label: (n_parts, n_labels)
    part = np.full(n_documents, -1, dtype=np.int64)
    order = np.random.default_rng(seed).permutation(n_documents)
    remaining = y.sum(axis=0).astype(np.int64)
    while remaining.any():
        label = int(np.argmin(np.where(remaining > 0, remaining, n_documents + 1)))
        for row in order[y[order, label] & (part[order] < 0)]:
            chosen = _neediest(wanted_with, wanted, label)
            _give(part, int(row), chosen, y, wanted, wanted_with)
            remaining -= y[row]
    for row in order[part[order] < 0]:
        _give(part, int(row), int(np.argmax(wanted)), y, wanted, wanted_with)
    return part


def _neediest(wanted_with: Doubles2d, wanted: Doubles1d, label: int) -> int:
    """Return the part that lacks the label most; of equals the one that lacks most documents."""
    lacks = wanted_with[:, label]
    equal = np.flatnonzero(lacks >= lacks.max() - 1e-9)  # fractions: equal up to rounding
    return int(equal[np.argmax(wanted[equal])])


def _give(
    part: Ints1d, row: int, chosen: int, y: Bools2d, wanted: Doubles1d, wanted_with: Doubles2d
) -> None:
    part[row] = chosen
    wanted[chosen] -= 1
    wanted_with[chosen] -= y[row]
