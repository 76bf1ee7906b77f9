"""How good a ranking of training languages is: regret and NDCG@3 (Lin et al. 2019, LangRank).

A ranking gives each language a number, the higher the better. Where it gives several the same, any
of them might be taken: regret and NDCG are means over all orders of those.
"""

from collections.abc import Sequence

import numpy as np
import scipy

from isogloss.arrays import Doubles1d

N_RELEVANT = 10  # of the best, in the truth: relevance 10 of the best, 9 of the second, …
N_RANKED = 3


def regret(scores: Doubles1d, ranking: Doubles1d) -> float:
    """Return how much better the best language is than the one that is ranked first.

    Parameters
    ----------
    scores
        What was measured with each language as training language; (n,).
    ranking
        The numbers to rank them by; (n,).

    Examples
    --------
    >>> round(regret(np.array([0.5, 0.9, 0.7]), np.array([1.0, 2.0, 3.0])), 3)
    0.2
    """
    _check(scores, ranking)
    return float(scores.max() - scores[ranking == ranking.max()].mean())


def ndcg_at_3(scores: Doubles1d, ranking: Doubles1d) -> float:
    """Return NDCG@3 with the relevances of LangRank: 10 for the best language, 9, …, 1.

    DCG = Σ (2^relevance - 1) / log₂(place + 1) over the first three places. One language alone is
    ranked right: 1. Parameters are those of `regret`.
    """
    _check(scores, ranking)
    if len(scores) == 1:
        return 1.0
    from sklearn.metrics import ndcg_score

    relevance = np.maximum(N_RELEVANT + 1 - scipy.stats.rankdata(-scores, "min"), 0.0)
    gains = 2.0**relevance - 1
    return float(ndcg_score(gains[None], ranking[None], k=N_RANKED))


def agreed(numbers: Sequence[Doubles1d]) -> Doubles1d:
    """Return the mean of several rankings: of the ranks in each, 0 for the lowest; (n,)."""
    ranks = [scipy.stats.rankdata(one, "average") - 1.0 for one in numbers]
    return np.asarray(np.mean(ranks, axis=0), np.float64)


def _check(scores: Doubles1d, ranking: Doubles1d) -> None:
    if not len(scores) or len(scores) != len(ranking):
        raise ValueError(f"{len(scores)} scores and {len(ranking)} numbers to rank by")
    if not (np.isfinite(scores).all() and np.isfinite(ranking).all()):
        raise ValueError("scores and rankings are finite numbers")
