"""The encoder-only classifier: standardisation and logistic regression, C by cross-validation.

It is the baseline of every table and a part of both presets: they search the same values of C, on
the same folds, so that a comparison with entities is fair. What is fitted, one class a document or
any number of labels, is `objective`'s.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple, cast

import numpy as np

from isogloss.arrays import Bools2d, Doubles1d, Doubles2d, Floats2d, Ints1d
from isogloss.learn.objective import SOFTMAX, Objective, Targets, objective_of
from isogloss.learn.search import SEARCH, Search
from isogloss.learn.splits import stratified_parts
from isogloss.limits import UNPENALISED, Positive

C_WITHOUT_SEARCH = 0.01
N_FOLDS = 5


class ChosenBy(StrEnum):
    """How the C of a linear head was chosen; the value is what files hold."""

    GIVEN = "given"
    CROSS_VALIDATION = "cross-validation"
    DEVELOPMENT = "development-data"
    HELD_OUT = "held-out"
    TOO_FEW_TEXTS = "too-few-texts"
    TOO_FEW_SENTENCES = "too-few-sentences"
    MIXTURE = "mixture"
    NOTHING = "nothing"
    TUNING = "tuning"
    CLASS_NAMES = "class-names"

    def describe(self) -> str:
        """Return it in words."""
        return _CHOSEN_BY[self]


_CHOSEN_BY = {
    ChosenBy.GIVEN: "given",
    ChosenBy.CROSS_VALIDATION: "cross-validation",
    ChosenBy.DEVELOPMENT: "development data",
    ChosenBy.HELD_OUT: "held-out sentences",
    ChosenBy.TOO_FEW_TEXTS: "no search: too few documents",
    ChosenBy.TOO_FEW_SENTENCES: "no search: too few sentences",
    ChosenBy.MIXTURE: "with the mixture",
    ChosenBy.NOTHING: "nothing to learn from",
    ChosenBy.TUNING: "fine-tuning",
    ChosenBy.CLASS_NAMES: "class names",
}


class Fold(NamedTuple):
    """Rows to fit on and rows to judge by."""

    train: Ints1d
    test: Ints1d


@dataclass(frozen=True)
class Standardisation:
    """Mean and standard deviation of each dimension of the training vectors."""

    mean: Doubles1d
    deviation: Doubles1d

    @classmethod
    def fit(cls, vectors: Floats2d | Doubles2d) -> "Standardisation":
        """Take the statistics of (n_documents, width); a constant dimension keeps its scale."""
        doubles = np.asarray(vectors, dtype=np.float64)
        deviation = doubles.std(axis=0)
        constant = deviation <= 1e-12
        return cls(doubles.mean(axis=0), np.where(constant, 1.0, deviation))

    def __call__(self, vectors: Floats2d | Doubles2d) -> Doubles2d:
        """Return (vectors - mean) / deviation."""
        return (np.asarray(vectors, dtype=np.float64) - self.mean) / self.deviation


@dataclass(frozen=True)
class LinearHead:
    """A linear classifier over standardised vectors.

    Attributes
    ----------
    standardisation
        Of the training vectors.
    weight, bias
        W: (n_classes, width), and b: (n_classes,).
    C
        Inverse strength of the L2 penalty, as in scikit-learn; `UNPENALISED`: there is none.
    chosen_by, detail
        How C was chosen, and what more is to be said of it to a reader.
    objective
        Whether classes exclude each other.
    """

    standardisation: Standardisation
    weight: Doubles2d
    bias: Doubles1d
    C: Positive
    chosen_by: ChosenBy = ChosenBy.GIVEN
    objective: Objective = SOFTMAX
    detail: str = ""

    @classmethod
    def fit(
        cls,
        vectors: Floats2d | Doubles2d,
        y: Targets,
        n_classes: int,
        *,
        C: float,
        chosen_by: ChosenBy = ChosenBy.GIVEN,
        detail: str = "",
    ) -> "LinearHead":
        """Fit at one value of C.

        Parameters
        ----------
        vectors
            (n_documents, width).
        y
            int64 (n_documents,): class of each, 0 to ``n_classes - 1``; a class may be absent
            (in a fold), it then never wins. Or bool (n_documents, n_classes): labels of each.
        """
        standardisation, objective = Standardisation.fit(vectors), objective_of(y)
        fitted = objective.fit(standardisation(vectors), y, n_classes, C=C)
        return cls(standardisation, fitted.weight, fitted.bias, C, chosen_by, objective, detail)

    @classmethod
    def fit_where_possible(
        cls, vectors: Floats2d | Doubles2d, y: Targets, n_classes: int, *, C: float
    ) -> "LinearHead":
        """Fit as `fit` does; where nothing can be told apart, a head that says nothing."""
        objective = objective_of(y)
        if objective.can_learn(y):
            return cls.fit(vectors, y, n_classes, C=C, chosen_by=ChosenBy.MIXTURE)
        width = np.shape(vectors)[1]
        flat = Standardisation(np.zeros(width), np.ones(width))
        weight, bias = np.zeros((n_classes, width)), np.zeros(n_classes)
        return cls(flat, weight, bias, C, ChosenBy.NOTHING, objective)

    def describe(self) -> str:
        """Return C, where there is one, and how it was chosen, in words."""
        how = f"{self.chosen_by.describe()}{self.detail}"
        return f"C = {self.C} ({how})" if self.C < UNPENALISED else how

    def log_probabilities(self, vectors: Floats2d | Doubles2d) -> Doubles2d:
        """Return log p(c | D): float64 (n_documents, n_classes)."""
        # One row at a time in einsum's fixed order: the result of a document must not depend on
        # which others stand beside it, as a blocked matrix product would make it.
        logits = np.einsum("nd,cd->nc", self.standardisation(vectors), self.weight) + self.bias
        return self.objective.log_probabilities(logits)


def folds_of(y: Targets, *, seed: int) -> list[Fold] | None:
    """Return stratified folds: five, or as many as the commonest class has documents.

    A rare class is then absent on one side of some folds; one mistyped label must not end the
    search for all others. None when a fold would be left with nothing to tell apart. Label sets
    are stratified label by label (`splits`).
    """
    objective = objective_of(y)
    folds = _folds_of_classes(y, seed) if objective is SOFTMAX else _folds_of_sets(y, seed)
    return folds if folds and all(objective.can_learn(y[fold.train]) for fold in folds) else None


def divisions_of(y: Targets, n_repeats: int, *, seed: int) -> list[list[Fold]]:
    """Return `folds_of` for several seeds; nothing where there are too few documents."""
    repeats = [folds_of(y, seed=seed + repeat) for repeat in range(n_repeats)]
    return [folds for folds in repeats if folds is not None]


def _folds_of_sets(y: Targets, seed: int) -> list[Fold]:
    n_folds = min(N_FOLDS, len(y))
    part = stratified_parts(cast(Bools2d, y), [1 / n_folds] * n_folds, seed=seed)
    return [
        Fold(np.flatnonzero(part != fold), np.flatnonzero(part == fold)) for fold in range(n_folds)
    ]


def _folds_of_classes(y: Targets, seed: int) -> list[Fold]:
    from sklearn.model_selection import StratifiedKFold

    n_folds = min(N_FOLDS, int(np.bincount(y).max()))
    if n_folds < 2:
        return []
    splitter = StratifiedKFold(n_folds, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)
        return [Fold(train, test) for train, test in splitter.split(np.zeros(len(y)), y)]


def log_loss(log_probabilities: Doubles2d, y: Targets) -> float:
    """Return the mean of -log p of the right answer; an impossible one counts as p = 1e-12."""
    return float(objective_of(y).loss(log_probabilities, y).mean())


def out_of_fold(
    vectors: Floats2d | Doubles2d, y: Targets, n_classes: int, folds: list[Fold], *, C: float
) -> Doubles2d:
    """Return log p(c | D) of each document from a head that was not fitted on it."""
    predicted = np.empty((len(y), n_classes))
    doubles = np.asarray(vectors, dtype=np.float64)
    for fold in folds:
        head = LinearHead.fit(doubles[fold.train], y[fold.train], n_classes, C=C)
        predicted[fold.test] = head.log_probabilities(doubles[fold.test])
    return predicted


def strongest_within_one_error(scores: Sequence[Doubles1d]) -> int:
    """Return the first candidate that is not below the best by more than one standard error.

    Candidates go from the strongest penalty to the weakest (the one-standard-error rule of
    Breiman et al. 1984, with the error of the paired difference). Differences smaller than the
    noise of the training data would otherwise choose a penalty too weak for other languages.

    Parameters
    ----------
    scores
        For each candidate, float (n_documents,): how well each held-out document is answered, as
        `Objective.quality` says.
    """
    best = scores[int(np.argmax([score.mean() for score in scores]))]
    for index, score in enumerate(scores):
        behind = best - score
        if behind.mean() <= behind.std() / np.sqrt(len(behind)):
            return index
    raise AssertionError("the best candidate is never behind itself")


def fit_with_search(
    vectors: Floats2d | Doubles2d,
    y: Targets,
    n_classes: int,
    *,
    seed: int,
    dev: tuple[Floats2d | Doubles2d, Targets] | None = None,
    search: Search = SEARCH,
) -> LinearHead:
    """Choose C on `dev` or by cross-validation, and fit on all of `vectors`.

    The rule is `strongest_within_one_error`, over the C values of `search`.
    """
    divisions = divisions_of(y, search.n_repeats, seed=seed)
    if dev is None and not divisions:
        return LinearHead.fit(
            vectors, y, n_classes, C=C_WITHOUT_SEARCH, chosen_by=ChosenBy.TOO_FEW_TEXTS
        )
    if dev is None:
        scores = out_of_fold_quality(vectors, y, n_classes, divisions, search.C_values)
        chosen_by = ChosenBy.CROSS_VALIDATION
        detail = f", {len(divisions[0])} folds, {search.n_repeats} times"
    else:
        heads = [LinearHead.fit(vectors, y, n_classes, C=C) for C in search.C_values]
        quality, chosen_by, detail = objective_of(y).quality, ChosenBy.DEVELOPMENT, ""
        scores = [quality(head.log_probabilities(dev[0]), dev[1]) for head in heads]
    best = search.C_values[strongest_within_one_error(scores)]
    return LinearHead.fit(vectors, y, n_classes, C=best, chosen_by=chosen_by, detail=detail)


def out_of_fold_quality(
    vectors: Floats2d | Doubles2d, y: Targets, n_classes: int, divisions: Sequence[list[Fold]],
    C_values: Sequence[float],
) -> list[Doubles1d]:  # fmt: skip
    """Return, for each C, how well each document is predicted out-of-fold.

    See `Objective.quality`; the mean over divisions into folds: float64 (n_documents,) each.
    """
    quality = objective_of(y).quality
    found: list[Doubles1d] = []
    for C in C_values:
        runs = [out_of_fold(vectors, y, n_classes, folds, C=C) for folds in divisions]
        found.append(np.mean([quality(run, y) for run in runs], axis=0))
    return found
