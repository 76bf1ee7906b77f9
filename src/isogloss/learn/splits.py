"""Divide documents with label sets so that every part keeps the shares of the labels.

Drawing at random leaves parts without a single document of a rare label. Documents are given out
label by label, the rarest first, each to the part that lacks the label most: the iterative
stratification of Sechidis, Tsoumakas and Vlahavas (2011). Where parts lack less than one document
of a label, the one furthest below its share of all documents gets it: many small classes, of
which a small part lacks a fraction each, would else leave that part empty.
"""

from collections.abc import Sequence

import numpy as np

from isogloss.arrays import Bools1d, Bools2d, Doubles1d, Doubles2d, Ints1d

ROUNDING = 1e-9  # shares of whole numbers are equal up to this


def stratified_parts(y: Bools2d, shares: Sequence[float], *, seed: int) -> Ints1d:
    """Return the part of each document: int64 (n_documents,), 0 to ``len(shares) - 1``.

    Parameters
    ----------
    y
        (n_documents, n_labels): which labels each has; none at all is allowed.
    shares
        Of the documents, for each part; positive, adding up to 1. A label's only document goes to
        the largest.
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
    n_with = y.sum(axis=0).astype(np.int64)
    remaining = n_with.copy()
    while remaining.any():
        label = int(np.argmin(np.where(remaining > 0, remaining, n_documents + 1)))
        for row in order[y[order, label] & (part[order] < 0)]:
            lacks = wanted_with[:, label]
            if lacks.max() > 1 - ROUNDING or remaining[label] == n_with[label]:
                chosen = _neediest(lacks, wanted)
            else:
                chosen = _furthest_below(lacks, wanted, portions)
            _give(part, int(row), chosen, y, wanted, wanted_with)
            remaining -= y[row]
    for row in order[part[order] < 0]:
        _give(part, int(row), int(np.argmax(wanted)), y, wanted, wanted_with)
    return part


def held_out(y: Bools2d, share: float, *, seed: int) -> Bools1d | None:
    """Return which documents are held out, a share of 0 to below 1 of them: bool (n_documents,).

    None for 0, and where documents are too few.
    """
    if share == 0.0:
        return None
    part = stratified_parts(y, [1 - share, share], seed=seed)
    return None if not part.any() or part.all() else part == 1


def _neediest(lacks: Doubles1d, wanted: Doubles1d) -> int:
    """Return the part that lacks the label most; of equals the one that lacks most documents."""
    equal = np.flatnonzero(lacks >= lacks.max() - ROUNDING)
    return int(equal[np.argmax(wanted[equal])])


def _furthest_below(lacks: Doubles1d, wanted: Doubles1d, portions: Doubles1d) -> int:
    """Return, of the parts that lack some of the label, the one furthest below its share of all.

    A part that lacks less than half a document is as near as whole documents come.
    """
    some = np.flatnonzero((lacks > ROUNDING) & (wanted >= 0.5))
    if not len(some):
        return _neediest(lacks, wanted)
    return int(some[np.argmax(wanted[some] / portions[some])])


def _give(
    part: Ints1d, row: int, chosen: int, y: Bools2d, wanted: Doubles1d, wanted_with: Doubles2d
) -> None:
    part[row] = chosen
    wanted[chosen] -= 1
    wanted_with[chosen] -= y[row]
