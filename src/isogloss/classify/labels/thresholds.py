"""From which probability on a label is given: 0.5, or tuned label by label on held-out documents.

At 0.5 a rare label is almost never given. The threshold with the best F1 on documents that the
model was not fitted on mends that. It holds for the language it was tuned in.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d
from isogloss.errors import warn_omitted
from isogloss.learn.linear_head import Fold, folds_of
from isogloss.learn.objective import Targets

HALF = 0.5
FEWEST_TEXTS = 10  # that say anything of thresholds


def tuned_thresholds(probabilities: Doubles2d, y: Targets) -> Doubles1d:
    """Return the threshold of each label with the best F1: float64 (n_labels,).

    It lies halfway between two neighbouring probabilities; of equally good ones, the nearest to
    0.5. A label that no document has keeps 0.5.

    Parameters
    ----------
    probabilities, y
        (n_documents, n_labels): p(c | D), and which labels each document has.

    Examples
    --------
    >>> tuned_thresholds(np.array([[0.1], [0.3], [0.2]]), np.array([[False], [True], [False]]))
    array([0.25])
    """
    labelled = np.asarray(y, dtype=bool)
    n_labels = probabilities.shape[1]
    return np.array([_best(probabilities[:, at], labelled[:, at]) for at in range(n_labels)])


def out_of_fold_thresholds(
    answer: Callable[[Fold], Doubles2d], y: Targets, *, seed: int
) -> Doubles1d:
    """Return `tuned_thresholds` of answers by models that were not fitted on what they answer.

    Parameters
    ----------
    answer
        Fits on ``fold.train`` and returns p(c | D) for ``fold.test``: (n_test, n_labels). It may
        choose its penalty by these same documents.
    y
        bool (n_documents, n_labels): which labels each document has.

    Warns
    -----
    OmissionWarning
        When there are too few documents to hold any out; the thresholds are then 0.5.
    """
    folds = folds_of(y, seed=seed)
    probabilities: Doubles2d = np.full((len(y), y.shape[-1]), HALF)
    if folds is None:
        warn_omitted("too few texts to tune thresholds on; they stay at 0.5")
        return np.full(probabilities.shape[1], HALF)
    for fold in folds:
        probabilities[fold.test] = answer(fold)
    return tuned_thresholds(probabilities, y)


def warn_of_no_label(answers: Sequence[Any], gold: Sequence[Any]) -> None:
    """Warn where 0.5 gives no label to most texts that have one; both are label sets, by text.

    Warns
    -----
    OmissionWarning
        When more than half of them get none, and they are not too few to tell.
    """
    labelled = [len(answer) for answer, labels in zip(answers, gold, strict=True) if len(labels)]
    n_without = labelled.count(0)
    if 2 * n_without > len(labelled) >= FEWEST_TEXTS:
        warn_omitted(
            f"{n_without} of {len(labelled)} texts that have a label get none, as no probability "
            "reaches 0.5; fit with tuned thresholds (--thresholds tuned)"
        )


def _best(probabilities: Doubles1d, labelled: Bools1d) -> float:
    if not labelled.any():
        return HALF
    order = np.argsort(-probabilities, kind="stable")
    ranked, hits = probabilities[order], np.cumsum(labelled[order])
    n_given = np.arange(1, len(ranked) + 1)
    f1 = 2 * hits / (n_given + hits[-1])
    thresholds = (ranked + np.append(ranked[1:], 0.0)) / 2
    cuts = np.append(ranked[1:] < ranked[:-1], True)  # equal probabilities stay together
    best = cuts & (f1 >= f1[cuts].max() - 1e-12)
    return float(thresholds[best][np.argmin(np.abs(thresholds[best] - HALF))])
