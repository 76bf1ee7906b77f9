"""What chance makes of a score over several seeds: that of its documents and that of its seeds.

The score of S seeds is their mean. Resampled documents, the same for all seeds, give the
covariances of the seeds' scores. With c the mean covariance of two seeds, e² what documents explain
of the variance between seeds (mean variance less c), and s² the sample variance of their scores:

    V = max(c, 0) + max(s², e²) / S        df = (S - 1) (S V / s²)²

and (score - truth) / √V follows Student's t. This is the variance of Obuchowski and Rockette
(1995), whose readers are our seeds and whose cases our documents, with the degrees of freedom of
Hillis (2007), which are Satterthwaite's (1946) with s² alone uncertain. Unlike theirs it is never
less than what documents alone make of it, and df is never below S - 1. A bootstrap of S seeds
would be too narrow by √((S - 1) / S), and at 3 seeds has no percentiles to speak of.
"""

import numpy as np
from scipy.stats import t

from isogloss.classify.resampling import Resampled
from isogloss.classify.scores import CONFIDENCE, Interval, interval_of_draws


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
    half = float(t.ppf((1 + CONFIDENCE) / 2, freedom)) * error
    return Interval(value, max(value - half, least), min(value + half, 1.0))


def p_over_seeds(gains: Resampled) -> float | None:
    """Return the two-sided p-value of a mean gain of 0; None where all seeds agree.

    Parameters
    ----------
    gains
        A column a seed.
    """
    if _agree(gains):
        return None
    error, freedom = _error(gains)
    value = abs(float(gains.values.mean()))
    return float(2 * t.sf(value / error, freedom)) if error else float(value < 1e-9)


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
    of_seeds = scores.values.var(ddof=1)
    variance = max(between_two, 0.0) + max(of_seeds, explained) / n_seeds
    share = of_seeds / n_seeds / variance if variance else 0.0
    return float(np.sqrt(variance)), (n_seeds - 1) / share**2 if share else np.inf
