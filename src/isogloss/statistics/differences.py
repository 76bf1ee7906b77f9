"""Intervals of paired differences: how much oftener one system is right than another, same texts.

A bootstrap knows only the texts it was given: where none of them differs every resample says 0, and
where a few do it says too little. The score interval of Tango (1998) does neither. Every difference
in one language has it; those of means, and over seeds that differ, have it where few documents
differ. How often it holds the truth is in docs/comparing.md, and the tests compute it.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d
from isogloss.statistics.bootstrap import Resampled, numbered_ids
from isogloss.statistics.intervals import QUANTILE, Interval, repeated, sums_of

FEW = 10  # differing documents, from which a bootstrap of a mean over languages does


def interval_of_gains(gains: Doubles1d, ids: Sequence[str] | None = None) -> Interval:
    """Return the mean gain in one language with Tango's interval.

    Parameters
    ----------
    gains
        (n,): 1 where one is right and the other wrong, -1 where it is the other way round, else 0;
        or what is between, where units are partly right.
    ids
        Texts with the same id are one document. Where ids repeat, documents are the units, and the
        interval is that of the number of texts that are worth as much, as that of an accuracy is
        (`intervals.interval_of_accuracy`).

    Returns
    -------
    NaN throughout where there is nothing.

    Examples
    --------
    >>> found = interval_of_gains(np.zeros(20))
    >>> round(found.low, 3), round(found.high, 3)
    (-0.161, 0.161)
    """
    if not len(gains):
        return Interval(np.nan, np.nan, np.nan)
    value, differing = float(gains.mean()), float(np.abs(gains).mean())
    groups = repeated(ids)
    units, n = gains - value, len(gains)
    if groups is not None:
        units = sums_of(groups, units)
        n = len(units)
        units *= n / len(gains)
    # As of an accuracy: the variance of groups, fewer than texts, is an estimate.
    n_less = n - 1 if groups is not None and n > 1 else n
    variance = float((units**2).sum()) / n / n_less
    return score_interval(value, differing, n_effective=_worth(value, differing, variance, n))


def interval_where_few_differ(
    interval: Interval,
    scores: Resampled,
    gains: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    *,
    quantile: float = QUANTILE,
    variance: float | None = None,
) -> Interval:
    """Return the interval of a mean gain, that of Tango where fewer than `FEW` documents differ.

    It is of as many texts as have the variance of the mean and, where no document differs, of all
    documents.

    Parameters
    ----------
    interval, scores
        Of the mean over languages of each seed, a column each.
    gains, ids
        Language to (n_documents, n_seeds), and to ids as in `bootstrap.resampled`.
    quantile, variance
        Of the mean over seeds, where these differ; of `scores` when None.
    """
    differ = _which_differ(gains, ids)
    if differ.sum() >= FEW or not len(differ):
        return interval
    value = float(scores.values.mean())
    differing = float(np.mean([np.abs(some).mean() for some in gains.values()]))
    variance = float(scores.drawn.mean(axis=1).var()) if variance is None else variance
    worth = _worth(value, differing, variance, len(differ))
    return score_interval(value, differing, n_effective=worth, quantile=quantile)


def not_certain(interval: Interval, n_documents: int) -> Interval:
    """Return the interval of a mean gain whose bootstrap found nothing that differs, made wider.

    For F1, whose documents are not won or lost: it is as wide as that of `n_documents` texts.
    """
    if interval.high > interval.low:
        return interval
    return score_interval(interval.value, abs(interval.value), n_effective=n_documents)


def score_interval(
    value: float, differing: float, *, n_effective: float, quantile: float = QUANTILE
) -> Interval:
    """Return Tango's interval: the differences δ that the score test does not refuse.

    With b of n texts won and c lost, the test compares b - c - n δ with its deviation under δ,
    √(n (2 q + δ (1 - δ))), in which q is the most likely share of lost texts under δ.

    Parameters
    ----------
    value, differing
        (b - c) / n and (b + c) / n.
    n_effective
        n; need not be whole.
    """
    win, loss = n_effective * (differing + value) / 2, n_effective * (differing - value) / 2
    high = _upper(win, loss, n_effective, quantile)
    return Interval(value, -_upper(loss, win, n_effective, quantile), high)


def _upper(win: float, loss: float, n: float, quantile: float) -> float:
    value = (win - loss) / n

    def beyond(difference: float) -> float:
        linear = (2 * n - win + loss) * difference - win - loss
        mixed = difference * (1 - difference)
        lost = (np.sqrt(max(linear**2 + 8 * n * loss * mixed, 0.0)) - linear) / (4 * n)
        of_test: float = n * (value - difference) ** 2 - quantile**2 * (2 * lost + mixed)
        return of_test

    start = value + 1e-9  # at the value itself the test of none that differ is 0 / 0
    if start >= 1 or beyond(1.0) <= 0:
        return 1.0
    return (
        max(value, float(scipy.optimize.brentq(beyond, start, 1.0))) if beyond(start) < 0 else value
    )


def _worth(value: float, differing: float, variance: float, n_units: int) -> float:
    """Return how many texts, each won, lost or neither, have this variance of their mean."""
    of_one = differing - value**2
    return of_one / variance if variance > 1e-15 and of_one > 1e-15 else float(n_units)


def _which_differ(
    gains: Mapping[str, Doubles2d], ids: Mapping[str, Sequence[str] | None]
) -> Bools1d:
    """Return which documents differ in any language or seed; equal ids are one document."""
    number = numbered_ids(own for lang in gains if (own := ids.get(lang)) is not None)
    by_id = np.zeros(len(number), dtype=bool)
    rows: list[Bools1d] = []
    for lang, some in gains.items():
        differ = (some != 0).any(axis=1)
        own = ids.get(lang)
        if own is None:
            rows.append(differ)
        else:
            np.logical_or.at(by_id, [number[one] for one in own], differ)
    return np.concatenate([by_id, *rows])
