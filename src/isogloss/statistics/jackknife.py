"""Intervals of statistics that must not meet a sentence twice: the delete-a-group jackknife.

The unbiased estimators of HSIC and of squared distances are sums over pairs of *different*
sentences. A bootstrap draws some sentences twice and takes them for different ones, which biases
such sums; leaving groups of sentences out does not. It also tells, and takes away, how far a
statistic depends on the number of sentences.
"""

import numpy as np
import numpy.typing as npt
import scipy

from isogloss.arrays import Ints1d
from isogloss.statistics.intervals import CONFIDENCE, Interval

N_GROUPS = 20


def groups_of(n: int, generator: np.random.Generator) -> Ints1d:
    """Return the number of the group of each of n sentences, of equal size as far as it goes."""
    return generator.permutation(np.arange(n) % min(N_GROUPS, n))


def jackknife_interval(value: float, left_out: npt.NDArray[np.float64]) -> Interval:
    """Return a value with its interval from its values without each group.

    With G groups and θ_g the value without group g, the variance is (G - 1) / G · Σ (θ_g - mean)²
    (Busing, Meijer and van der Leeden 1999, groups of one size); the interval is of Student's t
    with G - 1 degrees of freedom.

    Parameters
    ----------
    left_out
        θ_g; (n_groups,).
    """
    n = len(left_out)
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean()) ** 2).sum())
    reach = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, n - 1) * error)
    return Interval(value, value - reach, value + reach)


def debiased(value: float, left_out: npt.NDArray[np.float64]) -> float:
    """Return a value without that part of its bias which falls as 1 / n (Quenouille 1956).

    G θ - (G - 1) mean θ_g, with `left_out` as in `jackknife_interval`.
    """
    n = len(left_out)
    return float(n * value - (n - 1) * left_out.mean())
