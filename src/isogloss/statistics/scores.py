"""Scores of predictions, their bootstrap intervals, and paired differences of two models.

The definitions are the design's: accuracy is over all rows, and a label never seen in training
counts as wrong. Rows that are the same document in several languages (equal ids) are resampled
together, so that an interval of a mean over languages does not treat translations as new evidence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from isogloss.arrays import Bools1d, Doubles1d
from isogloss.statistics.bootstrap import numbered_ids, resampled_means
from isogloss.statistics.differences import interval_of_gains, interval_where_few_differ
from isogloss.statistics.intervals import Interval, interval_of_draws, not_beyond, repeated, sums_of


@dataclass(frozen=True)
class PairedDifference:
    """Accuracy of a model minus that of another on the same rows.

    The p-value is of the exact two-sided sign test over the documents in which one is right more
    often than the other (McNemar 1947).
    """

    difference: Interval  # of Tango
    p_value: float


def interval_of_mean(values: Doubles1d | Bools1d, *, seed: int) -> Interval:
    """Return the mean of (n,) values and its percentile bootstrap interval over the rows.

    An empty array gives NaN throughout.
    """
    return interval_of_language_mean({"": values}, {}, seed=seed)


def interval_of_language_mean(
    values: Mapping[str, Doubles1d | Bools1d], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> Interval:
    """Return the mean over languages of each language's mean, with its interval.

    Parameters
    ----------
    values
        Language to (n_rows,) values; a language without any has no part.
    ids
        As in `bootstrap.resampled`: rows with an id are drawn by id, jointly over the languages.
    """
    columns = {
        lang: np.asarray(column, dtype=np.float64)[:, None]
        for lang, column in values.items()
        if len(column)
    }
    if not columns:
        return Interval(np.nan, np.nan, np.nan)
    found = resampled_means(columns, ids, seed=seed)
    return interval_of_draws(float(found.values[0]), found.drawn[:, 0])


def interval_of_mean_accuracy(
    correct: Mapping[str, Bools1d], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> Interval:
    """Return the mean accuracy over languages, as `interval_of_language_mean` does of any values.

    Where nearly all is right resamples say too much: no interval ends nearer to 1 than so many
    different documents can show (`statistics.intervals.not_beyond`).
    """
    found = interval_of_language_mean(correct, ids, seed=seed)
    n = n_documents({lang: len(rows) for lang, rows in correct.items()}, ids)
    return not_beyond(found, n) if n else found


def n_documents(sizes: Mapping[str, int], ids: Mapping[str, Sequence[str] | None]) -> int:
    """Return how many different documents several languages have.

    Parameters
    ----------
    sizes
        Language to its number of rows.
    ids
        As in `bootstrap.resampled`: rows of the same id, in any language, are one document.
    """
    known = numbered_ids(some for lang in sizes if (some := ids.get(lang)) is not None)
    return len(known) + sum(n for lang, n in sizes.items() if ids.get(lang) is None)


def paired_difference(
    correct: Bools1d, other: Bools1d, *, ids: Sequence[str] | None = None
) -> PairedDifference:
    """Compare which rows of one language two models get right.

    Rows with the same id are one document, which wins or loses as a whole.
    """
    gains = np.asarray(correct, dtype=np.float64) - np.asarray(other, dtype=np.float64)
    groups = repeated(ids)
    of_documents = gains if groups is None else sums_of(groups, gains)
    wins, losses = int((of_documents > 0).sum()), int((of_documents < 0).sum())
    p_value = float(scipy.stats.binomtest(wins, wins + losses).pvalue) if wins + losses else 1.0
    return PairedDifference(interval_of_gains(gains, groups), p_value)


def mean_difference(
    correct: Mapping[str, Bools1d],
    others: Mapping[str, Bools1d],
    ids: Mapping[str, Sequence[str] | None],
    *,
    seed: int,
) -> Interval:
    """Return the mean over languages of the paired differences, its interval by the bootstrap.

    Where few documents differ, which a bootstrap makes too much of, it is Tango's (`differences`).
    """
    gains = {
        lang: np.asarray(right, dtype=np.float64)[:, None] - np.asarray(others[lang])[:, None]
        for lang, right in correct.items()
        if len(right)
    }
    if not gains:
        return Interval(np.nan, np.nan, np.nan)
    found = resampled_means(gains, ids, seed=seed)
    of_draws = interval_of_draws(float(found.values[0]), found.drawn[:, 0])
    return interval_where_few_differ(of_draws, found, gains, ids)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number by Holm's step-down method (1979).

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = np.argsort(p_values, kind="stable")
    corrected = np.empty(len(p_values))
    largest = 0.0
    for rank, index in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[index]))
        corrected[index] = largest
    return [float(value) for value in corrected]


def f1_scores(gold: Sequence[Any], predicted: Sequence[Any]) -> dict[str, float]:
    """Return ``macro_f1`` and ``micro_f1`` over the labels of `gold` and `predicted`.

    Labels are compared as given; micro F1 of one label a document equals the accuracy.
    """
    from sklearn.metrics import f1_score

    labels = {label: number for number, label in enumerate(dict.fromkeys([*gold, *predicted]))}
    numbers = [[labels[label] for label in side] for side in (gold, predicted)]
    if not numbers[0]:
        return {"macro_f1": np.nan, "micro_f1": np.nan}
    return {
        f"{average}_f1": float(f1_score(*numbers, average=average, zero_division=0))
        for average in ("macro", "micro")
    }
