"""Which layers and how strong a penalty: a rule that sees no label of a target language.

Held-out words of the training language prefer lower layers and weaker penalties than other
languages do, and tell those near the best hardly apart. What another language costs is far more
than what is between them. So each choice takes all candidates that are *near the best*. Layers: the
mean of all from the lowest such to the uppermost. Penalty: the strongest such.

Words with one tag each are scored by accuracy, and near the best is what has no more than `LEEWAY`
times its errors, or is within one standard error of it (clustered by sentence). Entities are scored
by F1 of their words, since most words are in none, and what is near is within a standard error:
their errors are so many that a multiple would let everything in. docs/results-tagging.md says on
which languages `LEEWAY` was settled, and shows others.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Ints1d

LEEWAY = 1.35


@dataclass(frozen=True)
class HeldOutScore:
    """A score of held-out sentences: the quotient of two sums over them.

    Attributes
    ----------
    right, counted
        float64 (n_sentences,): the parts of the sums that each sentence has.
    leeway
        How many times the errors of the best are near it.
    """

    right: Doubles1d
    counted: Doubles1d
    leeway: float

    @classmethod
    def accuracy(
        cls,
        is_right: Bools1d,
        starts: Ints1d,
        *,
        counts: Bools1d | None = None,
        leeway: float = LEEWAY,
    ) -> "HeldOutScore":
        """Return the share of words that are right.

        Parameters
        ----------
        is_right, counts
            (n_words,); words that do not count are neither right nor wrong, None: all do.
        starts
            Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``.
        """
        counted = np.ones(len(is_right), np.bool_) if counts is None else counts
        return cls(_sums(is_right & counted, starts), _sums(counted, starts), leeway)

    @classmethod
    def entity_f1(
        cls, found: Ints1d, gold: Ints1d, starts: Ints1d, *, outside: int
    ) -> "HeldOutScore":
        """Return F1 of the words that are in an entity.

        Parameters
        ----------
        found, gold
            Number of each word's tag, (n_words,).
        outside
            The number of the tag of words in no entity.
        """
        is_right = (found == gold) & (gold != outside)
        counted = (found != outside).astype(np.int64) + (gold != outside)
        return cls(2 * _sums(is_right, starts), _sums(counted, starts), leeway=1.0)

    @property
    def value(self) -> float:
        """The quotient; 0 where nothing is counted."""
        total = float(self.counted.sum())
        return float(self.right.sum()) / total if total else 0.0

    @property
    def standard_error(self) -> float:
        """The standard error of the quotient, sentences being drawn (linearised)."""
        total = float(self.counted.sum())
        residuals = self.right - self.value * self.counted
        return float(np.sqrt((residuals**2).sum())) / total if total else 0.0


def near_best(scores: Sequence[HeldOutScore]) -> list[int]:
    """Return the numbers of the candidates that are near the best, ascending.

    Examples
    --------
    >>> starts = np.arange(0, 101, 5)
    >>> best, near, far = (
    ...     HeldOutScore.accuracy(np.arange(100) >= n, starts) for n in (8, 10, 40)
    ... )
    >>> near_best([far, near, best])
    [1, 2]
    """
    errors = [1.0 - one.value for one in scores]
    best = int(np.argmin(errors))
    allowed = max(scores[best].leeway * errors[best], errors[best] + scores[best].standard_error)
    return [number for number, error in enumerate(errors) if error <= allowed]


def _sums(values: Bools1d | Ints1d, starts: Ints1d) -> Doubles1d:
    """Return the sum of each sentence's values; of one without words it is 0."""
    ends = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    return np.diff(ends[starts])
