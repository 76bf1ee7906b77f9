"""Intervals of 95 %: of draws, and of shares of what is right, the accuracy of one language first.

Every accuracy of one language that isogloss shows has the interval of `interval_of_accuracy`. Means
over languages and paired differences have a bootstrap, which is elsewhere. How often each holds the
truth is in docs/comparing.md, and the long tests simulate it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Literal

import numpy as np
import scipy

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d

CONFIDENCE = 0.95
Verdict = Literal["above", "below", "open"]
QUANTILE = NormalDist().inv_cdf((1 + CONFIDENCE) / 2)


@dataclass(frozen=True)
class Interval:
    """A value with its interval at 95 %."""

    value: float
    low: float
    high: float

    def verdict(self, target: float) -> Verdict:
        """Say on which side of a target the whole interval is, or that this is open."""
        if self.low >= target:
            return "above"
        return "below" if self.high < target else "open"


def interval_of_draws(value: float, drawn: Doubles1d) -> Interval:
    """Return a value with the percentile interval of its bootstrap draws."""
    tail = (1 - CONFIDENCE) / 2
    low, high = np.quantile(drawn, [tail, 1 - tail])
    return Interval(value, float(low), float(high))


def interval_of_accuracy(
    correct: Bools1d | Doubles1d, ids: Sequence[str] | None = None
) -> Interval:
    """Return the accuracy in one language with its Wilson interval (1927).

    A bootstrap knows only what it was given: of 20 texts that are all right every resample is, and
    its interval is a point. Wilson's is [.84, 1]. Of all intervals that were tried its coverage is
    nearest to 95 % on average, and most often within 93 to 97 %.

    Parameters
    ----------
    correct
        (n,): which texts are right; or how far each is, 0 to 1, where several seeds answer.
    ids
        Texts with the same id are one document. Where ids repeat, documents are the units, and the
        interval is that of the number of texts that are worth as much (`interval_of_shares`).

    Returns
    -------
    NaN throughout where there is nothing.

    Examples
    --------
    >>> found = interval_of_accuracy(np.ones(20, dtype=bool))
    >>> round(found.low, 3), found.high
    (0.839, 1.0)
    """
    shares = np.asarray(correct, dtype=np.float64)
    if not len(shares):
        return Interval(np.nan, np.nan, np.nan)
    groups = repeated(ids)
    if groups is None:
        return interval_of_shares(shares)
    sizes = sums_of(groups, np.ones(len(shares)))
    return interval_of_shares(sums_of(groups, shares) / sizes, sizes)


def repeated(ids: Sequence[str] | None) -> Sequence[str] | None:
    """Return the ids of one language where some repeat; else None, as texts are the units then."""
    return ids if ids is not None and len(set(ids)) < len(ids) else None


def sums_of(ids: Sequence[str], values: Doubles1d) -> Doubles1d:
    """Return the sum of (n,) values of each different id."""
    _, group = np.unique(np.asarray(ids), return_inverse=True)
    sums: Doubles1d = np.bincount(group, values).astype(np.float64)
    return sums


def interval_of_share(n_right: int, n: int) -> Interval:
    """Return a share of whole units and its Wilson interval, which few units do not make a point.

    Nothing counted gives NaN throughout.
    """
    if n == 0:
        return Interval(np.nan, np.nan, np.nan)
    return wilson(n_right / n, n_effective=n, n_units=n)


def interval_of_shares(shares: Doubles1d, sizes: Doubles1d | None = None) -> Interval:
    """Return the mean of what is right of each unit, with an interval that no few units shrink.

    It is Wilson's, of the effective number of units (Kish 1965; Korn and Graubard 1998): how many
    that are each right or wrong would have a mean of the same variance. It is n where each is right
    or wrong, more where units are partly right, as sentences are in many languages, and less than
    the texts where these come in groups that are right or wrong together.

    However many these are, n units cannot show more than that all n are right: no interval ends
    nearer to 1 than n / (n + z²), Wilson's of n of n, or nearer to 0 than z² / (n + z²). So a
    share just below 1 has no narrower interval than 1 itself.

    Parameters
    ----------
    shares
        (n,), each 0 to 1 and none NaN; n of 1 or more.
    sizes
        (n,): how many texts each unit has, so that the mean is over texts. None: one each.
    """
    n = len(shares)
    weights = np.ones(n) if sizes is None else sizes / sizes.mean()
    share = float((weights * shares).mean())
    variance = float(((weights * (shares - share)) ** 2).mean()) / n
    # Fewer groups than texts: their variance is estimated, which takes a factor of n / (n - 1).
    variance *= n / (n - 1) if sizes is not None and n > 1 else 1.0
    of_wholes = share * (1 - share)  # of one unit that is right or wrong
    n_effective = of_wholes / variance if variance > 0 and of_wholes > 0 else float(n)
    return wilson(share, n_effective=n_effective, n_units=n)


def interval_over_divisions(shares: Doubles2d) -> Interval:
    """Return the mean over divisions of what is right of each unit, with its interval.

    The units are the same, divided again and again into those that a probe learns from and those
    it is tested on. With V the variance of the mean of n units, as in `interval_of_shares`, and s²
    that of the means of D divisions, the variance is V + s² / D. The interval is Wilson's of as
    many units as have it, and of Student's t with the degrees of freedom of Satterthwaite (1946),
    s² alone being uncertain.

    Parameters
    ----------
    shares
        (n_divisions, n), each 0 to 1 and none NaN.
    """
    n_divisions, n = shares.shape
    if n_divisions == 1:
        return interval_of_shares(shares[0])
    share = float(shares.mean())
    of_wholes = share * (1 - share)
    of_units = float(shares.mean(0).var()) / n or of_wholes / n
    of_divisions = float(shares.mean(1).var(ddof=1)) / n_divisions
    if not of_wholes > 0:
        return wilson(share, n_effective=n, n_units=n)
    variance = of_units + of_divisions
    freedom = (n_divisions - 1) * (variance / of_divisions) ** 2 if of_divisions > 0 else np.inf
    quantile = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
    return wilson(share, n_effective=of_wholes / variance, n_units=n, quantile=quantile)


def not_beyond(interval: Interval, n_units: int) -> Interval:
    """Return an interval of a share that ends no nearer to 0 or 1 than `n_units` can show.

    For bootstrap intervals of accuracies; see `interval_of_shares`.
    """
    farthest = n_units / (n_units + QUANTILE**2)
    low, high = min(interval.low, farthest), max(interval.high, 1 - farthest)
    return Interval(interval.value, low, high)


def wilson(
    share: float, *, n_effective: float, n_units: int, quantile: float = QUANTILE
) -> Interval:
    """Return Wilson's interval of a share that is worth `n_effective` units of `n_units`.

    Parameters
    ----------
    quantile
        z of the normal distribution; that of Student's t where the variance is an estimate.
    """
    square = quantile**2
    middle = (n_effective * share + square / 2) / (n_effective + square)
    of_wholes = share * (1 - share)
    reach = np.sqrt(square * (n_effective * of_wholes + square / 4)) / (n_effective + square)
    found = not_beyond(Interval(share, float(middle - reach), float(middle + reach)), n_units)
    return Interval(share, max(min(found.low, share), 0.0), min(max(found.high, share), 1.0))


def interval_of_strata(
    weights: Doubles1d, n_right: Doubles1d, n: Doubles1d, *, quantile: float = QUANTILE
) -> Interval:
    """Return the share of a whole that is known by a sample of each of its strata.

    The interval is that of Zou, Huang and Zhang (2009): with p the shares of the strata, l and u
    the ends of their Wilson intervals and w the weights, it reaches from the mean Σ w p down to
    √(Σ w² (p - l)²) and up to √(Σ w² (u - p)²) from it. Strata in which all or none are right do
    not shrink it to a point. Of a stratum of which nothing is known, the share is taken to be that
    of the others, and may be 0 to 1. With one stratum it is Wilson's.

    Parameters
    ----------
    weights
        (n_strata,): the size of each in the whole; their sum does not matter.
    n_right, n
        (n_strata,): how many units of the sample are right, and how many there are.

    Returns
    -------
    NaN throughout where nothing is known.

    Examples
    --------
    >>> found = interval_of_strata(np.array([0.9, 0.1]), np.array([20, 1]), np.array([20, 10]))
    >>> round(found.value, 3), round(found.low, 3), round(found.high, 3)
    (0.91, 0.765, 0.94)
    """
    is_known = n > 0
    if not is_known.any():
        return Interval(np.nan, np.nan, np.nan)
    shares = np.divide(n_right, n, out=np.zeros(len(n)), where=is_known)
    value = float(weights[is_known] @ shares[is_known] / weights[is_known].sum())
    shares[~is_known] = value
    ends = [
        wilson(share, n_effective=size, n_units=int(size), quantile=quantile) if size else None
        for share, size in zip(shares.tolist(), n.tolist(), strict=True)
    ]
    low = np.array([0.0 if end is None else end.low for end in ends])
    high = np.array([1.0 if end is None else end.high for end in ends])
    whole = weights / weights.sum()
    below = float(np.sqrt(((whole * (shares - low)) ** 2).sum()))
    above = float(np.sqrt(((whole * (high - shares)) ** 2).sum()))
    return Interval(value, max(0.0, value - below), min(1.0, value + above))
