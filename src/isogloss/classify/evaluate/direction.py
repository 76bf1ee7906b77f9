"""What each entity of a text adds to each class: the answer with it less the answer without it.

Exact, not a linear guess: every entity is left out of its document in turn, so that attention goes
to the others and the mixture weighs one entity less, as if it had not been linked.
"""

import numpy as np

from isogloss.arrays import Doubles2d
from isogloss.classify.documents.documents import PreparedDocuments
from isogloss.classify.fitted import FittedClassifier

NEAREST_TO_ONE = -1e-12  # log p, where the odds would have no end


def log_odds_of_entities(fitted: FittedClassifier, documents: PreparedDocuments) -> Doubles2d:
    """Return what each entity adds to the log-odds of each class, in natural logarithms.

    Returns
    -------
    float64 (n_pairs, n_classes), in the order of the pairs of ``documents.bags``.
    """
    assert documents.bags is not None
    counts = np.diff(documents.bags.indptr)
    whole = np.repeat(_log_odds(fitted.log_probabilities(documents)), counts, axis=0)
    without = _log_odds(fitted.log_probabilities_without_each(documents))
    with np.errstate(invalid="ignore"):  # a class that training has no text of: none either way
        added: Doubles2d = np.nan_to_num(whole - without)
    return added


def _log_odds(log_probabilities: Doubles2d) -> Doubles2d:
    """Return log(p / (1 − p))."""
    near = np.minimum(log_probabilities, NEAREST_TO_ONE)
    odds: Doubles2d = near - np.log(-np.expm1(near))
    return odds
