"""Accuracy from a few labels and from how sure a model is of many rows without one.

Prediction-powered inference (Angelopoulos et al. 2023), tuned for power (PPI++, Angelopoulos, Duchi
and Zrnic 2023): with Y whether a labelled answer is right and f how likely the model says it is,

    mean(Y) + λ (mean of f over the other rows − mean of f over the labelled)

is right on average whatever f says, and varies less than mean(Y) where f goes with Y. λ is the
slope of Y on f, times 1 / (1 + n / N); 0 where f tells nothing, and then it is mean(Y).

The interval of the papers is the normal one, which few labels or an accuracy near 1 make too short.
Here it is Wilson's, of as many labels as would have the variance: benchmarks/audit_coverage.py.
"""

from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d
from isogloss.statistics.intervals import Interval, interval_of_share, wilson

FEWEST = 30  # labels; of fewer the slope is too uncertain


@dataclass(frozen=True)
class Moments:
    """What is known of f over the rows without a label."""

    n: int
    mean: float
    variance: float

    @classmethod
    def of(cls, values: Doubles1d) -> "Moments":
        """Take the moments of (n,) values; of none they are 0."""
        return cls(len(values), float(values.mean()), float(values.var())) if len(values) else cls(
            0, 0.0, 0.0
        )  # fmt: skip


def assisted_interval(right: Bools1d, said: Doubles1d, others: Moments) -> Interval:
    """Return the accuracy with its interval at 95 %.

    Parameters
    ----------
    right
        (n,): which answers are right, of a random sample.
    said
        (n,): f of these.
    others
        f of the rest of the rows.

    Returns
    -------
    `interval_of_share` of the labels alone where f tells nothing, there is no other row, or there
    are fewer labels than `FEWEST`.
    """
    n, share = len(right), float(right.mean()) if len(right) else np.nan
    alone = interval_of_share(int(right.sum()), n)
    if n < FEWEST or not others.n:
        return alone
    y = right.astype(np.float64)
    weight = _slope(y, said, others) / (1 + n / others.n)
    value = min(max(share + weight * (others.mean - float(said.mean())), 0.0), 1.0)
    variance = float((y - weight * said).var()) / n + weight**2 * others.variance / others.n
    of_wholes = value * (1 - value)
    if weight == 0 or not of_wholes > 0 or not variance > 0:
        return alone
    return wilson(value, n_effective=of_wholes / variance, n_units=n)


def _slope(y: Doubles1d, said: Doubles1d, others: Moments) -> float:
    """Return the slope of Y on f, 0 to 1: covariance of the labelled, variance of all."""
    n, n_all = len(y), len(y) + others.n
    between = n * others.n / n_all**2 * (float(said.mean()) - others.mean) ** 2
    variance = (n * float(said.var()) + others.n * others.variance) / n_all + between
    if not variance > 0:
        return 0.0
    return float(np.clip(np.cov(y, said)[0, 1] / variance, 0.0, 1.0))
