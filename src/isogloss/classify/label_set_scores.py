"""Scores of label sets: micro and macro F1, exact matches, and their bootstrap intervals.

Over the decisions of all documents and labels, with hits h, misses m and false alarms f:

    micro F1 = 2 Σh / Σ(2h + m + f)        macro F1 = mean over labels of 2h / (2h + m + f)

A label that training lacks is missed wherever it stands. A label that neither the documents nor
the answers hold has no F1 and no part in the mean. Documents are resampled whole.
"""

from collections.abc import Mapping, Sequence
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


@dataclass(frozen=True)
class F1Intervals:
    """Micro and macro F1."""

    micro: Interval
    macro: Interval


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
    counts = decisions.counts
    drawn = _drawn_sums(counts, np.random.default_rng(seed))
    micro, macro = _micro(drawn), _macro(drawn)
    total = counts.sum(axis=0)[None]
    return F1Intervals(
        interval_of_draws(float(_micro(total)[0]), micro),
        interval_of_draws(float(_macro(total)[0]), macro),
    )


def f1_intervals_of_mean(
    decisions: Mapping[str, Decisions], ids: Mapping[str, Sequence[str] | None], *, seed: int
) -> F1Intervals:
    """Return the mean over languages of each language's F1, with its interval.

    Parameters
    ----------
    decisions
        Language to its decisions, all over the same labels.
    ids
        As in `scores.interval_of_language_mean`: documents with an id are drawn by id, jointly.
    """
    counts = {lang: held.counts for lang, held in decisions.items()}
    shared = [lang for lang in counts if ids.get(lang) is not None]
    generator = np.random.default_rng(seed)
    drawn = _joint_sums({lang: counts[lang] for lang in shared}, ids, generator)
    for lang in counts:
        if lang not in shared:
            drawn[lang] = _drawn_sums(counts[lang], generator)
    totals = [column.sum(axis=0)[None] for column in counts.values()]
    return F1Intervals(
        *(
            interval_of_draws(
                float(np.mean([f1(total)[0] for total in totals])),
                np.mean([f1(sums) for sums in drawn.values()], axis=0),
            )
            for f1 in (_micro, _macro)
        )
    )


def _micro(sums: Doubles2d) -> Doubles1d:
    """Return micro F1 of (n, 3 · n_labels) sums: (n,); 0 where there is nothing to decide."""
    hits, misses, alarms = (part.sum(axis=1) for part in np.split(sums, 3, axis=1))
    return 2 * hits / np.maximum(2 * hits + misses + alarms, 1.0)


def _macro(sums: Doubles2d) -> Doubles1d:
    """Return macro F1 of (n, 3 · n_labels) sums: (n,)."""
    hits, misses, alarms = np.split(sums, 3, axis=1)
    decided = 2 * hits + misses + alarms
    f1 = 2 * hits / np.maximum(decided, 1.0)
    mean: Doubles1d = f1.sum(axis=1) / np.maximum((decided > 0).sum(axis=1), 1)
    return mean


def _drawn_sums(counts: Doubles2d, generator: np.random.Generator) -> Doubles2d:
    # As for means, a resample is a multinomial draw over the distinct rows.
    distinct, n_rows = np.unique(counts, axis=0, return_counts=True)
    times = generator.multinomial(len(counts), n_rows / len(counts), size=N_RESAMPLES)
    return np.asarray(times @ distinct, dtype=np.float64)


def _joint_sums(
    counts: Mapping[str, Doubles2d],
    ids: Mapping[str, Sequence[str] | None],
    generator: np.random.Generator,
) -> dict[str, Doubles2d]:
    """Draw ids with replacement; give each language's sums over its rows of the ids drawn."""
    if not counts:
        return {}
    number = numbered_ids([ids[lang] or () for lang in counts])
    by_id = {lang: np.zeros((len(number), columns.shape[1])) for lang, columns in counts.items()}
    for lang, columns in counts.items():
        np.add.at(by_id[lang], [number[entry] for entry in ids[lang] or ()], columns)
    drawn: dict[str, list[Doubles2d]] = {lang: [] for lang in counts}
    shares = np.full(len(number), 1 / len(number))
    for _ in range(0, N_RESAMPLES, N_RESAMPLES_AT_ONCE):
        times = generator.multinomial(len(number), shares, size=N_RESAMPLES_AT_ONCE)
        for lang, sums in by_id.items():
            drawn[lang].append(times @ sums)
    return {lang: np.vstack(parts) for lang, parts in drawn.items()}
