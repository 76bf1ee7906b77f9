"""Linear heads of words: fitted at one strength of penalty after another, and their scores.

Which words, layers and strengths is for others to choose (`head_fitting`, `own_heads`).
"""

from collections.abc import Sequence

import numpy as np

from isogloss.arrays import Floats2d, Ints1d
from isogloss.errors import InputError
from isogloss.learn.linear_head import ChosenBy, LinearHead, Standardisation
from isogloss.learn.objective import SOFTMAX, LinearWeights
from isogloss.learn.softmax_path import softmax_path
from isogloss.tag.word_features import WordFeatures


def heads_of_words(
    features: WordFeatures, y: Ints1d, n_tags: int, C_values: Sequence[float],
    chosen_by: ChosenBy = ChosenBy.GIVEN,
) -> list[LinearHead]:  # fmt: skip
    """Fit one head at each C, on words that have a piece.

    Raises
    ------
    InputError
        When no word has a piece.
    """
    vectors, y = features.vectors[features.has_piece], y[features.has_piece]
    if not len(y):
        raise InputError("no training word has a piece in this encoder; choose another")
    scale = Standardisation.fit(vectors)
    inputs = standardised(vectors, scale)
    return [
        LinearHead(scale, one.weight, one.bias, C, chosen_by, SOFTMAX)
        for C, one in zip(C_values, softmax_path(inputs, y, n_tags, C_values), strict=True)
    ]


def standardised(vectors: Floats2d, scale: Standardisation) -> Floats2d:
    """Return (vectors - mean) / deviation in float32, without a copy in float64."""
    inputs: Floats2d = vectors - scale.mean.astype(np.float32)
    inputs /= scale.deviation.astype(np.float32)
    return inputs


def scores_of(head: LinearHead, features: WordFeatures) -> Floats2d:
    """Return the scores of each word's tags: float32 (n_words, n_tags)."""
    inputs = standardised(features.vectors, head.standardisation)
    return scores_of_inputs(LinearWeights(head.weight, head.bias), inputs)


def scores_of_inputs(head: LinearWeights, inputs: Floats2d) -> Floats2d:
    """Return the scores of each word's tags, from standardised inputs (n_words, width)."""
    scores: Floats2d = inputs @ head.weight.T.astype(np.float32) + head.bias.astype(np.float32)
    return scores
