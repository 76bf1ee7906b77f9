"""Scores of label sets: micro and macro F1, exact matches, and their bootstrap intervals.

Over the decisions of all documents and labels, with hits h, misses m and false alarms f:

    micro F1 = 2 Σh / Σ(2h + m + f)        macro F1 = mean over labels of 2h / (2h + m + f)

A label that training lacks is missed wherever it stands. A label that neither the documents nor
the answers hold has no F1 and no part in the mean. Documents are resampled whole, for all runs
that are compared alike.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Bools2d, Doubles1d, Doubles2d
from isogloss.statistics.bootstrap import Resampled, resampled
from isogloss.statistics.intervals import Interval, interval_of_draws, not_beyond, repeated
from isogloss.statistics.permutation import permutation_p
from isogloss.statistics.scores import n_documents


@dataclass(frozen=True)
class F1Intervals:
    """Micro and macro F1."""

    micro: Interval
    macro: Interval


@dataclass(frozen=True)
class ResampledF1:
    """Micro and macro F1 of runs, a column each, of all and of resampled documents."""

    micro: Resampled
    macro: Resampled


@dataclass(frozen=True)
class Decisions:
    """Which labels documents have, and which they were given: both (n_documents, n_labels)."""

    gold: Bools2d
    given: Bools2d

    @classmethod
    def of(
        cls, gold: Sequence[Sequence[Any]], given: Sequence[Sequence[Any]], classes: Sequence[Any]
    ) -> "Decisions":
        """Take label sets; labels beyond `classes` get columns of their own."""
        labels = dict.fromkeys([*classes, *(label for labels in gold for label in labels)])
        column = {label: index for index, label in enumerate(labels)}
        sides = [np.zeros((len(side), len(column)), dtype=bool) for side in (gold, given)]
        for matrix, sets in zip(sides, (gold, given), strict=True):
            for row, labels_of_row in zip(matrix, sets, strict=True):
                row[[column[label] for label in labels_of_row]] = True
        return cls(*sides)

    @property
    def exact(self) -> Bools1d:
        """Which documents were given exactly their labels: bool (n_documents,)."""
        matches: Bools1d = (self.gold == self.given).all(axis=1)
        return matches

    @property
    def counts(self) -> Doubles2d:
        """Hits, misses and false alarms: float64 (n_documents, 3 · n_labels)."""
        kinds = (self.gold & self.given, self.gold & ~self.given, ~self.gold & self.given)
        return np.hstack(kinds).astype(np.float64)

    def select(self, rows: Any) -> "Decisions":
        """Return those of some documents."""
        return Decisions(self.gold[rows], self.given[rows])


def f1_intervals(
    decisions: Decisions, ids: Sequence[str] | None = None, *, seed: int
) -> F1Intervals:
    """Return F1 with its percentile bootstrap interval over the documents of one language.

    No interval ends nearer to 1 than so many documents can show (`intervals.not_beyond`). Rows with
    the same id are one document.
    """
    return f1_intervals_of_mean({"": decisions}, {"": repeated(ids)}, seed=seed)


def f1_intervals_of_mean(
    decisions: Mapping[str, Decisions], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> F1Intervals:
    """Return the mean over languages of each language's F1, with its interval.

    Parameters
    ----------
    decisions
        Language to its decisions.
    ids
        As in `bootstrap.resampled`: documents with an id are drawn by id, jointly.
    """
    counts = {lang: held.counts for lang, held in decisions.items()}
    found = resampled(counts, ids, _f1, seed=seed)
    n = n_documents({lang: len(some) for lang, some in counts.items()}, ids)
    return F1Intervals(*(not_beyond(one, n) for one in _intervals(found)))


def f1_of_runs(
    runs: Mapping[str, Sequence[Decisions]], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> ResampledF1:
    """Return F1 of each run, the mean over languages.

    Parameters
    ----------
    runs
        Language to the decisions of each run, on the same documents.
    ids
        As in `f1_intervals_of_mean`.
    """
    counts = {lang: np.hstack([run.counts for run in held]) for lang, held in runs.items()}
    n_runs = len(next(iter(runs.values())))

    def measure(sums: Doubles2d) -> Doubles2d:
        parts = [_f1(part) for part in np.split(sums, n_runs, axis=1)]
        micro_then_macro = np.stack(parts, axis=2)  # (n, 2, n_runs)
        return micro_then_macro.reshape(len(sums), 2 * n_runs)

    found = resampled(counts, ids, measure, seed=seed)
    micro, macro = slice(n_runs), slice(n_runs, None)
    return ResampledF1(
        Resampled(found.values[micro], found.drawn[:, micro]),
        Resampled(found.values[macro], found.drawn[:, macro]),
    )


def micro_f1_of_runs(
    runs: Sequence[Decisions], ids: Sequence[str] | None = None, *, seed: int
) -> Resampled:
    """Return micro F1 of each run in one language, without the cost of every label's sums."""
    counts = np.hstack([_over_labels(run.counts) for run in runs])

    def measure(sums: Doubles2d) -> Doubles2d:
        return np.stack([_micro(part) for part in np.split(sums, len(runs), axis=1)], axis=1)

    return resampled({"": counts}, {"": repeated(ids)}, measure, seed=seed)


def swap_p(ours: Sequence[Decisions], theirs: Sequence[Decisions]) -> float:
    """Return the two-sided p-value of no difference in micro F1, the mean over runs.

    Approximate randomisation (Yeh 2000): the answers of the two sides are swapped, document by
    document and in all runs at once.
    """
    sides = [np.hstack([_over_labels(run.counts) for run in side]) for side in (ours, theirs)]
    differences, total = sides[0] - sides[1], (sides[0] + sides[1]).sum(axis=0)

    def gain(swapped: Doubles2d) -> Doubles1d:
        one, other = (
            np.mean([_micro(part) for part in np.split(sums, len(ours), axis=1)], axis=0)
            for sums in ((total + swapped) / 2, (total - swapped) / 2)
        )
        difference: Doubles1d = one - other
        return difference

    return permutation_p(differences, gain)


def _f1(sums: Doubles2d) -> Doubles2d:
    """Return micro and macro F1 of (n, 3 · n_labels) sums: (n, 2)."""
    return np.stack([_micro(sums), _macro(sums)], axis=1)


def _micro(sums: Doubles2d) -> Doubles1d:
    """Return micro F1 of (n, 3 · n_labels) sums: (n,); 0 where there is nothing to decide."""
    hits, misses, alarms = _over_labels(sums).T
    return 2 * hits / np.maximum(2 * hits + misses + alarms, 1.0)


def _macro(sums: Doubles2d) -> Doubles1d:
    """Return macro F1 of (n, 3 · n_labels) sums: (n,)."""
    hits, misses, alarms = np.split(sums, 3, axis=1)
    decided = 2 * hits + misses + alarms
    f1 = 2 * hits / np.maximum(decided, 1.0)
    mean: Doubles1d = f1.sum(axis=1) / np.maximum((decided > 0).sum(axis=1), 1)
    return mean


def _over_labels(counts: Doubles2d) -> Doubles2d:
    """Return hits, misses and false alarms of all labels of (n, 3 · n_labels) counts: (n, 3)."""
    return np.stack([part.sum(axis=1) for part in np.split(counts, 3, axis=1)], axis=1)


def _intervals(found: Resampled) -> list[Interval]:
    """Return each measure with its interval over documents."""
    return [
        interval_of_draws(float(value), found.drawn[:, column])
        for column, value in enumerate(found.values)
    ]
