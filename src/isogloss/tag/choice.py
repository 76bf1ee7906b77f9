"""Which layers and how strong a penalty: a rule that sees no label of a target language.

Held-out words of the training language prefer lower layers and weaker penalties than other
languages do, and tell those near the best hardly apart. What another language costs is far more
than what is between them. So each choice takes all candidates that are *near the best*: with no
more than `LEEWAY` times its errors, or within one standard error (clustered by sentence). Layers:
the mean of all from the lowest such to the uppermost. Penalty: the strongest such. docs/tagging.md
says on which languages `LEEWAY` was settled, and shows others.
"""

from collections.abc import Sequence

import numpy as np

from isogloss.arrays import Bools1d, Ints1d

LEEWAY = 1.25


def near_best(right: Sequence[Bools1d], starts: Ints1d, *, leeway: float = LEEWAY) -> list[int]:
    """Return the numbers of the candidates that are near the best, ascending.

    Parameters
    ----------
    right
        For each candidate which held-out words it answers right, (n_words,).
    starts
        Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``.
    leeway
        How many times the errors of the best are near.

    Examples
    --------
    >>> best, near, far = (np.arange(100) >= n for n in (8, 10, 40))
    >>> near_best([far, near, best], np.arange(0, 101, 5))
    [1, 2]
    """
    errors = [1.0 - float(one.mean()) for one in right]
    best = int(np.argmin(errors))
    allowed = max(leeway * errors[best], errors[best] + standard_error(right[best], starts))
    return [number for number, error in enumerate(errors) if error <= allowed]


def standard_error(right: Bools1d, starts: Ints1d) -> float:
    """Return the standard error of the share of words that are right, sentences being drawn."""
    ends = np.concatenate([[0.0], np.cumsum(right - right.mean())])
    of_sentences = np.diff(ends[starts])
    return float(np.sqrt((of_sentences**2).sum()) / len(right))
