"""Changes between two samples of other units: of a share, and of a mean, with interval and test.

Of paired differences, where both answer the same texts, see `differences`.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
import scipy

from isogloss.arrays import Ints2d
from isogloss.statistics.intervals import CONFIDENCE, Interval, interval_of_share

FEWEST = 10  # units of a sample, from which its mean is tested
_ALIKE = 10_000  # units expected in each cell, from which both tests of a share say the same


@dataclass(frozen=True)
class Change:
    """A difference, later minus earlier, its interval at 95 %, and its two-sided p-value."""

    interval: Interval
    p: float


@dataclass(frozen=True)
class Sample:
    """What is known of the numbers of one sample: how many, their mean and standard deviation."""

    n: int
    mean: float
    deviation: float


def change_of_share(n_before: int, of_before: int, n_now: int, of_now: int) -> Change:
    """Return the change of a share of whole units.

    The test is Fisher's exact one, so that it holds however few units there are, and also where
    the two samples are one that was divided at random; where 10,000 units are expected in each
    cell it is chi-squared with Yates' correction, which says the same. The interval is the hybrid
    score interval of Newcombe (1998, method 10), made of Wilson's of both shares.

    Parameters
    ----------
    n_before, of_before
        How many units have it, of how many: 1 or more.
    n_now, of_now
        The same of the later sample.

    Examples
    --------
    >>> found = change_of_share(30, 100, 50, 100)
    >>> round(found.interval.low, 3), round(found.interval.high, 3), round(found.p, 4)
    (0.064, 0.326, 0.0059)
    """
    table = np.array([[n_before, of_before - n_before], [n_now, of_now - n_now]])
    before, now = interval_of_share(n_before, of_before), interval_of_share(n_now, of_now)
    value = now.value - before.value
    low = value - sqrt((now.value - now.low) ** 2 + (before.high - before.value) ** 2)
    high = value + sqrt((now.high - now.value) ** 2 + (before.value - before.low) ** 2)
    return Change(Interval(value, low, high), _p_of_share(table))


def _p_of_share(table: Ints2d) -> float:
    """Return Fisher's p, or that of chi-squared where the exact one takes minutes and is equal."""
    expected = scipy.stats.contingency.expected_freq(table)
    if expected.min() < _ALIKE:
        return float(scipy.stats.fisher_exact(table).pvalue)
    return float(scipy.stats.chi2_contingency(table).pvalue)


def change_of_mean(before: Sample, now: Sample) -> Change | None:
    """Return the change of a mean by Welch's test (1947); None: a sample is below `FEWEST`.

    Parameters
    ----------
    before, now
        Their deviations are those of the units themselves, divided by n and not by n - 1.

    Examples
    --------
    >>> found = change_of_mean(Sample(50, 0.7, 0.2), Sample(50, 0.6, 0.2))
    >>> found is not None and round(found.p, 3)
    0.015
    """
    if min(before.n, now.n) < FEWEST:
        return None
    parts = [one.deviation**2 / (one.n - 1) for one in (before, now)]  # variances of the means
    value, error = now.mean - before.mean, sqrt(sum(parts))
    if not error:
        return Change(Interval(value, value, value), float(before.mean == now.mean))
    freedom = sum(parts) ** 2 / sum(
        part**2 / (one.n - 1) for part, one in zip(parts, (before, now), strict=True)
    )
    reach = error * float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
    p = 2 * float(scipy.stats.t.sf(abs(value) / error, freedom))
    return Change(Interval(value, value - reach, value + reach), p)
