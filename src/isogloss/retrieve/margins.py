"""The margin of a pair: its cosine against those of both sides' neighbours.

A cosine alone is high for texts that are near everything, and in some languages higher than in
others. The margin (Artetxe and Schwenk 2019) compares it with what both texts have with their k
nearest neighbours of the other side, NN(x) and NN(y):

    ratio     cos(x, y) / m(x, y)
    distance  cos(x, y) - m(x, y)
    m(x, y) = (Σ cos(x, z) over z in NN(x) + Σ cos(y, z) over z in NN(y)) / 2k
"""

from typing import Literal

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d
from isogloss.retrieve.search import Neighbours

Margin = Literal["ratio", "distance", "cosine"]
MARGINS: tuple[Margin, ...] = ("ratio", "distance", "cosine")
N_NEIGHBOURS = 4  # k, as Artetxe and Schwenk have it


def mean_cosines(found: Neighbours) -> Doubles1d:
    """Return the mean cosine of each query with its neighbours, those that there are."""
    is_there = np.isfinite(found.cosines)
    total = np.where(is_there, found.cosines, 0).sum(axis=1, dtype=np.float64)
    return np.asarray(total / np.maximum(1, is_there.sum(axis=1)))


def margin_scores(
    found: Neighbours, own: Doubles1d, others: Doubles1d, margin: Margin
) -> Doubles2d:
    """Return the margins of queries with their neighbours, (n_queries, k).

    Parameters
    ----------
    own, others
        `mean_cosines` of the queries and of the rows that were searched.
    margin
        ``"cosine"`` compares with nothing.
    """
    cosines = found.cosines.astype(np.float64)
    means = (own[:, None] + others[found.rows]) / 2
    if margin == "ratio":
        return np.asarray(cosines / np.maximum(means, 1e-9))
    return np.asarray(cosines - means) if margin == "distance" else cosines
