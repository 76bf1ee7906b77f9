"""Scores of label sets: micro and macro F1, exact matches, and their bootstrap intervals.

Over the decisions of all documents and labels, with hits h, misses m and false alarms f:

    micro F1 = 2 Σh / Σ(2h + m + f)        macro F1 = mean over labels of 2h / (2h + m + f)

A label that training lacks is missed wherever it stands. A label that neither the documents nor
the answers hold has no F1 and no part in the mean. Documents are resampled whole, for all runs
that are compared alike.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Bools2d, Doubles1d, Doubles2d
from isogloss.classify.scores import (
    N_RESAMPLES,
    N_RESAMPLES_AT_ONCE,
    Interval,
    interval_of_draws,
    numbered_ids,
)

N_PERMUTATIONS = 10_000
Measure = Callable[[Doubles2d], Doubles2d]  # of (n, n_sums) sums of counts: (n, n_measures)


@dataclass(frozen=True)
class F1Intervals:
    """Micro and macro F1."""

    micro: Interval
    macro: Interval


@dataclass(frozen=True)
class ComparedF1:
    """F1 of some runs, and its difference to that of others on the same documents."""

    f1: F1Intervals
    difference: F1Intervals


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
        """Which documents were given just their labels: bool (n_documents,)."""
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


def f1_intervals(decisions: Decisions, *, seed: int) -> F1Intervals:
    """Return F1 with its percentile bootstrap interval over the documents of one language."""
    return f1_intervals_of_mean({"": decisions}, {}, seed=seed)


def f1_intervals_of_mean(
    decisions: Mapping[str, Decisions], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> F1Intervals:
    """Return the mean over languages of each language's F1, with its interval.

    Parameters
    ----------
    decisions
        Language to its decisions.
    ids
        As in `scores.interval_of_language_mean`: documents with an id are drawn by id, jointly.
    """
    counts = {lang: held.counts for lang, held in decisions.items()}
    return F1Intervals(*_intervals(counts, ids, _f1, seed=seed))


def compared_f1(
    ours: Mapping[str, Sequence[Decisions]],
    theirs: Mapping[str, Sequence[Decisions]],
    ids: Mapping[str, Sequence[str] | None],
    *,
    seed: int,
) -> ComparedF1:
    """Compare runs with others, each F1 being the mean over languages of the mean over runs.

    Parameters
    ----------
    ours, theirs
        Language to the decisions of each run, on the same documents.
    ids
        As in `f1_intervals_of_mean`.
    """
    counts = {
        lang: np.hstack([run.counts for run in (*ours[lang], *theirs[lang])]) for lang in ours
    }
    n_ours, n_theirs = (len(next(iter(side.values()))) for side in (ours, theirs))

    def measure(sums: Doubles2d) -> Doubles2d:
        runs = [_f1(part) for part in np.split(sums, n_ours + n_theirs, axis=1)]
        mean: Doubles2d = np.mean(runs[:n_ours], axis=0)
        return np.hstack([mean, mean - np.mean(runs[n_ours:], axis=0)])

    micro, macro, micro_difference, macro_difference = _intervals(counts, ids, measure, seed=seed)
    return ComparedF1(F1Intervals(micro, macro), F1Intervals(micro_difference, macro_difference))


def swap_p(ours: Sequence[Decisions], theirs: Sequence[Decisions]) -> float:
    """Return the two-sided p-value of no difference in micro F1, the mean over runs.

    Approximate randomisation (Yeh 2000): the answers of the two sides are swapped, document by
    document and in all runs at once.
    """
    sides = [np.hstack([_over_labels(run.counts) for run in side]) for side in (ours, theirs)]
    differences, total = sides[0] - sides[1], (sides[0] + sides[1]).sum(axis=0)
    differing = differences[differences.any(axis=1)]
    if not len(differing):
        return 1.0

    def gain(swapped: Doubles2d) -> Doubles1d:
        one, other = (
            np.mean([_micro(part) for part in np.split(sums, len(ours), axis=1)], axis=0)
            for sums in ((total + swapped) / 2, (total - swapped) / 2)
        )
        difference: Doubles1d = one - other
        return difference

    target = abs(gain(differing.sum(axis=0)[None])[0]) - 1e-9
    generator, extreme = np.random.default_rng(0), 0
    for _ in range(N_PERMUTATIONS // 100):  # in parts: test sets may be large
        signs = generator.choice([-1.0, 1.0], size=(100, len(differing)))
        extreme += int((np.abs(gain(signs @ differing)) >= target).sum())
    return (1 + extreme) / (1 + N_PERMUTATIONS)


def mean_micro_f1(runs: Sequence[Decisions]) -> float:
    """Return the mean over runs of micro F1."""
    return float(np.mean([_micro(run.counts.sum(axis=0)[None])[0] for run in runs]))


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


def _intervals(
    counts: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    measure: Measure,
    *,
    seed: int,
) -> list[Interval]:
    """Return each measure's mean over languages, with its interval over documents."""
    totals = [measure(columns.sum(axis=0)[None])[0] for columns in counts.values()]
    drawn = _drawn(counts, ids, measure, np.random.default_rng(seed))
    return [
        interval_of_draws(float(value), drawn[:, column])
        for column, value in enumerate(np.mean(totals, axis=0))
    ]


def _drawn(
    counts: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    measure: Measure,
    generator: np.random.Generator,
) -> Doubles2d:
    """Return the measures of resampled documents, the mean over languages: (n_draws, n_measures).

    Documents with an id are drawn by id, jointly over the languages.
    """
    shared = [lang for lang in counts if ids.get(lang) is not None]
    by_id = _by_id({lang: counts[lang] for lang in shared}, ids)
    parts = [_draws_of(by_id, measure, generator)] if shared else []
    for lang, columns in counts.items():
        if lang not in shared:
            parts.append(_draws_of({lang: columns}, measure, generator))
    total: Doubles2d = np.sum(parts, axis=0) / len(counts)
    return total


def _draws_of(
    rows: Mapping[str, Doubles2d], measure: Measure, generator: np.random.Generator
) -> Doubles2d:
    """Draw rows, the same of every language, and add up their measures over the languages."""
    n_rows = len(next(iter(rows.values())))
    shares = np.full(n_rows, 1 / n_rows)
    if len(rows) == 1:
        # As for means, a resample is a multinomial draw over the distinct rows.
        ((lang, only),) = rows.items()
        distinct, times_met = np.unique(only, axis=0, return_counts=True)
        rows, shares = {lang: distinct}, times_met / n_rows
    drawn = []
    for _ in range(0, N_RESAMPLES, N_RESAMPLES_AT_ONCE):  # sums of many labels and runs are wide
        times = generator.multinomial(n_rows, shares, size=N_RESAMPLES_AT_ONCE)
        drawn.append(np.sum([measure(times @ columns) for columns in rows.values()], axis=0))
    return np.vstack(drawn)


def _by_id(
    counts: Mapping[str, Doubles2d], ids: Mapping[str, Sequence[str] | None]
) -> dict[str, Doubles2d]:
    """Return each language's counts by id, a row for every id of any language."""
    number = numbered_ids([ids[lang] or () for lang in counts])
    by_id = {lang: np.zeros((len(number), columns.shape[1])) for lang, columns in counts.items()}
    for lang, columns in counts.items():
        np.add.at(by_id[lang], [number[entry] for entry in ids[lang] or ()], columns)
    return by_id
