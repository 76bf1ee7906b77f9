"""How the rows of a comparison score: by accuracy, or by F1 where texts have label sets.

A row's score is the mean over its seeds; its gain is the difference to its baseline, seed by seed
on the same documents. Intervals are over documents, drawn jointly where languages share them, and
over seeds where these differ (`statistics.seeds`). So are p-values: a gain has to be beyond the
chance of documents alone (sign-flip permutation test of the documents' gains; of label sets, the
swap of the two answers to a document, `label_set_scores.swap_p`) and beyond that of both.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from isogloss.arrays import Doubles2d
from isogloss.classify.compare.comparison import Comparison
from isogloss.classify.evaluate.label_set_scores import (
    Decisions,
    f1_of_runs,
    micro_f1_of_runs,
    swap_p,
)
from isogloss.statistics.bootstrap import Resampled, resampled_means
from isogloss.statistics.differences import not_certain
from isogloss.statistics.intervals import Interval, not_beyond, repeated, sums_of
from isogloss.statistics.permutation import sign_flip_p
from isogloss.statistics.scores import n_documents
from isogloss.statistics.seeds import (
    accuracy_over_seeds,
    deviation_over_seeds,
    difference_over_seeds,
    interval_over_seeds,
    p_over_seeds,
)

NO_DIFFERENCE = Interval(0.0, 0.0, 0.0)  # to itself


@dataclass(frozen=True)
class RowScores:
    """Scores of a row, and gains, by the names of their columns; the first of each counts."""

    values: dict[str, Interval]
    gains: dict[str, Interval]
    # Standard deviations over seeds of the score that counts and of its gain; one seed has none.
    deviation: float | None
    deviation_of_gain: float | None


@dataclass(frozen=True)
class Accuracy:
    """Of one label a text: the share of documents that a seed gets right.

    Attributes
    ----------
    name
        Column of the score that counts.
    title
        All scores in words.
    """

    comparison: Comparison
    name = "accuracy"
    title = "Accuracy"

    def over(self, row: str, langs: Sequence[str]) -> RowScores:
        """Return the mean over languages, with intervals."""
        ids = _ids_to_draw(self.comparison, langs)
        value = resampled_means({lang: self._right(row, lang) for lang in langs}, ids, seed=0)
        gains = {lang: self._gains(row, lang) for lang in langs}
        sizes = {lang: len(self._right(row, lang)) for lang in langs}
        accuracy = not_beyond(interval_over_seeds(value, least=0), n_documents(sizes, ids))
        if len(langs) == 1:
            (lang,) = langs
            accuracy = accuracy_over_seeds(
                self._right(row, lang), self.comparison.ids[lang], seed=0
            )
        return RowScores(
            {"accuracy": accuracy},
            {
                "difference": NO_DIFFERENCE
                if self.comparison.baselines[row] == row
                else difference_over_seeds(gains, ids, seed=0)
            },
            deviation_over_seeds(value),
            deviation_over_seeds(resampled_means(gains, ids, seed=0)),
        )

    def p_value(self, row: str, lang: str) -> float:
        """Return the two-sided p-value of the gain in one language."""
        gains, groups = self._gains(row, lang), repeated(self.comparison.ids[lang])
        means = gains.mean(axis=1)
        of_documents = sign_flip_p(means if groups is None else sums_of(groups, means))
        of_both = p_over_seeds(resampled_means({lang: gains}, {lang: groups}, seed=0))
        return _larger(of_documents, of_both)

    def _right(self, row: str, lang: str) -> Doubles2d:
        """Return which documents each seed gets right: float64 (n_documents, n_seeds)."""
        seeds = range(self.comparison.n_seeds)
        runs = [self.comparison.cells[row, seed].correct[lang] for seed in seeds]
        return np.array(runs, dtype=np.float64).T

    def _gains(self, row: str, lang: str) -> Doubles2d:
        return self._right(row, lang) - self._right(self.comparison.baselines[row], lang)


@dataclass(frozen=True)
class LabelSetF1:
    """Of label sets: micro F1, which counts, and macro F1; members are those of `Accuracy`."""

    comparison: Comparison
    name = "micro_f1"
    title = "Micro and macro F1"

    def over(self, row: str, langs: Sequence[str]) -> RowScores:
        """Return the mean over languages, with intervals."""
        base, n_seeds = self.comparison.baselines[row], self.comparison.n_seeds
        runs = {lang: [*self._runs(row, lang), *self._runs(base, lang)] for lang in langs}
        ids = _ids_to_draw(self.comparison, langs)
        found = f1_of_runs(runs, ids, seed=0)
        micro, macro = _first(found.micro, n_seeds), _first(found.macro, n_seeds)
        micro_gain, macro_gain = _gain(found.micro, n_seeds), _gain(found.macro, n_seeds)
        n = n_documents({lang: len(some[0].gold) for lang, some in runs.items()}, ids)

        def score(runs: Resampled) -> Interval:
            return not_beyond(interval_over_seeds(runs, least=0), n)

        def gain(runs: Resampled) -> Interval:
            if row == base:
                return NO_DIFFERENCE
            return not_certain(interval_over_seeds(runs, least=-1), n)

        return RowScores(
            {
                "micro_f1": score(micro),
                "macro_f1": score(macro),
            },
            {"difference": gain(micro_gain), "macro_difference": gain(macro_gain)},
            deviation_over_seeds(micro),
            deviation_over_seeds(micro_gain),
        )

    def p_value(self, row: str, lang: str) -> float:
        """Return the two-sided p-value of the gain in one language."""
        ours, theirs = (self._runs(name, lang) for name in (row, self.comparison.baselines[row]))
        found = micro_f1_of_runs([*ours, *theirs], self.comparison.ids[lang], seed=0)
        return _larger(swap_p(ours, theirs), p_over_seeds(_gain(found, len(ours))))

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


Scores = Accuracy | LabelSetF1


def scores_of(comparison: Comparison) -> Scores:
    """Return the scores that fit the comparison's labels."""
    return Accuracy(comparison) if comparison.gold is None else LabelSetF1(comparison)


def _ids_to_draw(comparison: Comparison, langs: Sequence[str]) -> dict[str, Sequence[str] | None]:
    """Return the ids to draw by: those of several languages, or of one where they repeat."""
    if len(langs) > 1:
        return {lang: comparison.ids[lang] for lang in langs}
    return {lang: repeated(comparison.ids[lang]) for lang in langs}


def _first(runs: Resampled, n_seeds: int) -> Resampled:
    """Return the columns of ours, which come first."""
    return Resampled(runs.values[:n_seeds], runs.drawn[:, :n_seeds])


def _gain(runs: Resampled, n_seeds: int) -> Resampled:
    """Return ours, which come first, less theirs, seed by seed and draw by draw."""
    return Resampled(
        runs.values[:n_seeds] - runs.values[n_seeds:],
        runs.drawn[:, :n_seeds] - runs.drawn[:, n_seeds:],
    )


def _larger(of_documents: float, of_both: float | None) -> float:
    """Return the p-value of a gain that both tests have to find."""
    return of_documents if of_both is None else max(of_documents, of_both)
