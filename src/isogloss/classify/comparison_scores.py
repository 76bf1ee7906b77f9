"""How the rows of a comparison score: by accuracy, or by F1 where texts have label sets.

A row's score is the mean over its seeds; its gain is the difference to its baseline on the same
documents. Intervals are over documents, drawn jointly where languages share them. Of one label a
text the p-value is that of a sign-flip permutation test of the documents' gains, of label sets
that of swapping the two answers to a document (`label_set_scores.swap_p`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.comparison import Comparison
from isogloss.classify.label_set_scores import Decisions, compared_f1, mean_micro_f1, swap_p
from isogloss.classify.scores import Interval, interval_of_language_mean

N_PERMUTATIONS = 10_000


@dataclass(frozen=True)
class RowScores:
    """Scores of a row, and gains, by the names of their columns; the first of each counts."""

    values: dict[str, Interval]
    gains: dict[str, Interval]


class Scores(Protocol):
    """The scores of a comparison.

    Attributes
    ----------
    name
        Column of the score that counts.
    title
        All of them in words.
    """

    name: str
    title: str

    def over(self, row: str, langs: Sequence[str], *, by_id: bool = True) -> RowScores:
        """Return the mean over languages, with intervals.

        Parameters
        ----------
        by_id
            False: documents are drawn one by one, as suits a single language.
        """
        ...

    def of_seed(self, row: str, seed: int, lang: str) -> float:
        """Return the score that counts, of one seed in one language."""
        ...

    def gain(self, row: str, lang: str) -> float:
        """Return the gain of the score that counts in one language."""
        ...

    def p_value(self, row: str, lang: str) -> float:
        """Return the two-sided p-value of that gain."""
        ...


def scores_of(comparison: Comparison) -> Scores:
    """Return the scores that fit the comparison's labels."""
    return Accuracy(comparison) if comparison.gold is None else LabelSetF1(comparison)


@dataclass(frozen=True)
class Accuracy:
    """Of one label a text: a document counts with the share of seeds that get it right."""

    comparison: Comparison
    name = "accuracy"
    title = "Accuracy"

    def over(self, row: str, langs: Sequence[str], *, by_id: bool = True) -> RowScores:
        """See `Scores`."""
        ids = {lang: self.comparison.ids[lang] if by_id else None for lang in langs}
        value = {lang: self._share_right(row, lang) for lang in langs}
        gain = {lang: self._gains(row, lang) for lang in langs}
        return RowScores(
            {"accuracy": interval_of_language_mean(value, ids, seed=0)},
            {"difference": interval_of_language_mean(gain, ids, seed=0)},
        )

    def of_seed(self, row: str, seed: int, lang: str) -> float:
        """See `Scores`."""
        return float(np.mean(self.comparison.cells[row, seed].correct[lang]))

    def gain(self, row: str, lang: str) -> float:
        """See `Scores`."""
        return float(self._gains(row, lang).mean())

    def p_value(self, row: str, lang: str) -> float:
        """See `Scores`."""
        return sign_flip_p(self._gains(row, lang))

    def _share_right(self, row: str, lang: str) -> Doubles1d:
        seeds = range(self.comparison.n_seeds)
        runs = [self.comparison.cells[row, seed].correct[lang] for seed in seeds]
        share: Doubles1d = np.mean(runs, axis=0)
        return share

    def _gains(self, row: str, lang: str) -> Doubles1d:
        base = self.comparison.baselines[row]
        return self._share_right(row, lang) - self._share_right(base, lang)


@dataclass(frozen=True)
class LabelSetF1:
    """Of label sets: micro F1, which counts, and macro F1."""

    comparison: Comparison
    name = "micro_f1"
    title = "Micro and macro F1"

    def over(self, row: str, langs: Sequence[str], *, by_id: bool = True) -> RowScores:
        """See `Scores`."""
        ours, theirs = (
            {lang: self._runs(name, lang) for lang in langs}
            for name in (row, self.comparison.baselines[row])
        )
        ids = {lang: self.comparison.ids[lang] if by_id else None for lang in langs}
        found = compared_f1(ours, theirs, ids, seed=0)
        return RowScores(
            {"micro_f1": found.f1.micro, "macro_f1": found.f1.macro},
            {"difference": found.difference.micro, "macro_difference": found.difference.macro},
        )

    def of_seed(self, row: str, seed: int, lang: str) -> float:
        """See `Scores`."""
        return mean_micro_f1([self._decisions(row, seed, lang)])

    def gain(self, row: str, lang: str) -> float:
        """See `Scores`."""
        base = self.comparison.baselines[row]
        return mean_micro_f1(self._runs(row, lang)) - mean_micro_f1(self._runs(base, lang))

    def p_value(self, row: str, lang: str) -> float:
        """See `Scores`."""
        base = self.comparison.baselines[row]
        return swap_p(self._runs(row, lang), self._runs(base, lang))

    @cached_property
    def _labels(self) -> list[str]:
        """All labels that any answer or document holds."""
        answers = [
            one
            for cell in self.comparison.cells.values()
            for sets in (cell.given or {}).values()
            for one in sets
        ]
        gold = [one for sets in (self.comparison.gold or {}).values() for one in sets]
        return sorted({label for labels in (*answers, *gold) for label in labels}, key=str)

    def _decisions(self, row: str, seed: int, lang: str) -> Decisions:
        given, gold = self.comparison.cells[row, seed].given, self.comparison.gold
        assert given is not None
        assert gold is not None
        return Decisions.of(gold[lang], given[lang], self._labels)

    def _runs(self, row: str, lang: str) -> list[Decisions]:
        return [self._decisions(row, seed, lang) for seed in range(self.comparison.n_seeds)]


def sign_flip_p(differences: Doubles1d) -> float:
    """Return the two-sided p-value of a sign-flip permutation test of a mean of 0.

    Parameters
    ----------
    differences
        float (n,): paired, one a document.
    """
    nonzero = differences[differences != 0]
    if not len(nonzero):
        return 1.0
    generator, target = np.random.default_rng(0), abs(nonzero.sum()) - 1e-9
    extreme = 0
    for _ in range(N_PERMUTATIONS // 100):  # in parts: test sets may be large
        signs = generator.choice([-1.0, 1.0], size=(100, len(nonzero)))
        extreme += int((np.abs(signs @ nonzero) >= target).sum())
    return (1 + extreme) / (1 + N_PERMUTATIONS)
