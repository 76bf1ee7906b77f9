"""Scores of single classes, and which of them are taken for which."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ClassScores:
    """Of one class.

    Attributes
    ----------
    label
        As it is shown.
    n, n_given, n_right
        Texts that are of the class, that got it, and both.
    """

    label: str
    n: int
    n_given: int
    n_right: int

    @property
    def precision(self) -> float | None:
        """How many of those that got it are of it; None where none got it."""
        return self.n_right / self.n_given if self.n_given else None

    @property
    def recall(self) -> float | None:
        """How many of those of it got it; None where none is."""
        return self.n_right / self.n if self.n else None

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.n_right / (self.n + self.n_given)


def class_scores(
    gold: Sequence[Any], answers: Sequence[Any], *, multilabel: bool = False
) -> list[ClassScores]:
    """Return the scores of each class that texts are of or got, in the order of their names.

    Examples
    --------
    >>> [(one.label, one.recall) for one in class_scores(["a", "b", "b"], ["a", "a", "b"])]
    [('a', 1.0), ('b', 0.5)]
    """
    sides: list[list[Iterable[Any]]] = [
        [map(str, labels) if multilabel else (str(labels),) for labels in side]
        for side in (gold, answers)
    ]
    n, n_given, n_right = Counter[str](), Counter[str](), Counter[str]()
    for true, given in zip(*sides, strict=True):
        true_set, given_set = set(true), set(given)
        n.update(true_set)
        n_given.update(given_set)
        n_right.update(true_set & given_set)
    return [
        ClassScores(label, n[label], n_given[label], n_right[label])
        for label in sorted(n | n_given)
    ]


def weakest_class(scores: Sequence[ClassScores]) -> ClassScores | None:
    """Return the class with the lowest F1 among those that texts are of, the larger of equals."""
    held = [one for one in scores if one.n]
    return min(held, key=lambda one: (one.f1, -one.n), default=None)


def confusions(gold: Sequence[Any], answers: Sequence[Any]) -> Counter[tuple[str, str]]:
    """Count the pairs of a true class and another that was given instead.

    Examples
    --------
    >>> confusions(["a", "b", "b"], ["a", "a", "b"])
    Counter({('b', 'a'): 1})
    """
    pairs = zip(map(str, gold), map(str, answers), strict=True)
    return Counter((true, given) for true, given in pairs if true != given)
