"""Variance of a score across test documents and random seeds.

The score of S seeds is their mean. Resampled documents, the same for all seeds, give the
covariances of the seeds' scores. With c the mean covariance of two seeds, e² what documents explain
of the variance between seeds (mean variance less c), s² the sample variance of their scores and m
the median of χ² with S - 1 degrees of freedom:

    V = max(c, 0) + max(k s², e²) / S        k = (S - 1) / m        df = (S - 1) (S V₁ / s²)²

and (score - truth) / √V follows Student's t. This is the variance of Obuchowski and Rockette
(1995), whose readers are our seeds and whose cases our documents, with the degrees of freedom of
Hillis (2007), which are Satterthwaite's (1946) with s² alone uncertain. Unlike theirs it is never
less than what documents alone make of it, and df is never below S - 1. And theirs takes k = 1, as
V₁ here still does: s² of three seeds is below the truth in 63 of 100 cases, the degrees of freedom
are then too many as well, and intervals are too narrow. With k, which makes s² as often too large
as too small (1.44 at 3 seeds, 1.19 at 5, 1.08 at 10), they are not (docs/comparing.md). A bootstrap
of S seeds would be too narrow by √((S - 1) / S), and at 3 seeds has no percentiles to speak of.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from isogloss.arrays import Doubles2d
from isogloss.statistics.bootstrap import Resampled, resampled_means
from isogloss.statistics.differences import interval_of_gains, interval_where_few_differ
from isogloss.statistics.intervals import (
    CONFIDENCE,
    Interval,
    interval_of_accuracy,
    interval_of_draws,
    repeated,
    wilson,
)


def interval_over_seeds(scores: Resampled, *, least: float) -> Interval:
    """Return the mean over seeds with its interval.

    Parameters
    ----------
    scores
        A column a seed. Where all seeds agree, one seed included, the interval is the percentile
        interval over documents.
    least
        The least value there is, 0 for a score and -1 for a difference; the largest is 1.
    """
    value = float(scores.values.mean())
    if _agree(scores):
        return interval_of_draws(value, scores.drawn.mean(axis=1))
    error, freedom = _error(scores)
    half = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    return Interval(value, max(value - half, least), min(value + half, 1.0))


def difference_over_seeds(
    gains: Mapping[str, Doubles2d], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> Interval:
    """Return the mean paired difference over languages and seeds, with its interval.

    That of `interval_over_seeds`, and Tango's (`statistics.differences`) in one language whose
    seeds agree, and where few documents differ.

    Parameters
    ----------
    gains
        Language to what each seed gains, -1 to 1: (n_documents, n_seeds).
    ids
        As in `bootstrap.resampled`.
    """
    scores = resampled_means(gains, ids, seed=seed)
    found = interval_over_seeds(scores, least=-1)
    if not _agree(scores):
        error, freedom = _error(scores)
        quantile = float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, freedom))
        return interval_where_few_differ(
            found, scores, gains, ids, quantile=quantile, variance=error**2
        )
    if len(gains) == 1:
        ((lang, only),) = gains.items()
        return interval_of_gains(only[:, 0], ids.get(lang))
    return interval_where_few_differ(found, scores, gains, ids)


def accuracy_over_seeds(right: Doubles2d, ids: Sequence[str] | None, *, seed: int) -> Interval:
    """Return the accuracy in one language, the mean over seeds, with its interval.

    It is Wilson's (`statistics.intervals`), of as many documents as have the variance V, and of
    Student's t where seeds differ.

    Parameters
    ----------
    right
        Which documents each seed gets right, 0 or 1: (n_documents, n_seeds).
    ids
        Of the documents, or None; documents with the same id are one.
    """
    groups = repeated(ids)
    scores = resampled_means({"": right}, {"": groups}, seed=seed)
    if _agree(scores):
        return interval_of_accuracy(right[:, 0], groups)
    value = float(scores.values.mean())
    error, freedom = _error(scores)
    return wilson(
        value,
        n_effective=value * (1 - value) / error**2,
        n_units=len(set(groups)) if groups else len(right),
        quantile=float(scipy.stats.t.ppf((1 + CONFIDENCE) / 2, freedom)),
    )


def p_over_seeds(gains: Resampled) -> float | None:
    """Return the two-sided p-value of a mean gain of 0, a column a seed; None: all seeds agree."""
    if _agree(gains):
        return None
    error, freedom = _error(gains)
    value = abs(float(gains.values.mean()))
    return float(2 * scipy.stats.t.sf(value / error, freedom)) if error else float(value < 1e-9)


def deviation_over_seeds(scores: Resampled) -> float | None:
    """Return the sample standard deviation over seeds, a column each; one seed has none."""
    return float(scores.values.std(ddof=1)) if len(scores.values) > 1 else None


def _agree(scores: Resampled) -> bool:
    """Return whether seeds make no difference, to no document."""
    return bool(np.allclose(scores.drawn, scores.drawn[:, :1], rtol=0, atol=1e-12))


def _error(scores: Resampled) -> tuple[float, float]:
    """Return the standard error √V of the mean over seeds, and its degrees of freedom."""
    n_seeds = len(scores.values)
    covariances = np.cov(scores.drawn, rowvar=False)
    between_two = covariances[~np.eye(n_seeds, dtype=bool)].mean()
    explained = np.diag(covariances).mean() - between_two
    of_documents, of_seeds = max(between_two, 0.0), scores.values.var(ddof=1)
    uncorrected = of_documents + max(of_seeds, explained) / n_seeds
    share = of_seeds / n_seeds / uncorrected if uncorrected else 0.0
    freedom = (n_seeds - 1) / share**2 if share else np.inf
    of_seeds *= (n_seeds - 1) / scipy.stats.chi2.median(n_seeds - 1)
    return float(np.sqrt(of_documents + max(of_seeds, explained) / n_seeds)), freedom
