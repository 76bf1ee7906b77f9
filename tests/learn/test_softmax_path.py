"""Logistic regression of many examples at several penalties: scikit-learn's minimum."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from isogloss.learn.objective import LinearWeights
from isogloss.learn.softmax_path import softmax_path

RNG = np.random.default_rng(5)
CENTRES = RNG.normal(size=(4, 12))
Y = RNG.integers(4, size=600)
X = (CENTRES[Y] + 2 * RNG.normal(size=(600, 12))).astype(np.float32)
C_VALUES = (0.001, 0.01, 0.1, 1.0)


def loss_of(found: LinearWeights, C: float, weights: np.ndarray) -> float:
    scores = X @ found.weight.T + found.bias
    scores = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
    losses = -scores[np.arange(len(Y)), Y]
    return float(C * (weights * losses).sum() + (found.weight**2).sum() / 2)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_each_is_the_minimum_that_scikit_learn_finds(is_weighted: bool) -> None:
    weights = RNG.uniform(0.1, 3, size=600) if is_weighted else np.ones(600)
    given = weights.astype(np.float32) if is_weighted else None
    path = softmax_path(X, Y, 4, C_VALUES, weights=given)
    for C, found in zip(C_VALUES, path, strict=True):
        model = LogisticRegression(C=C, tol=1e-8, max_iter=5000).fit(X, Y, sample_weight=weights)
        oracle = LinearWeights(model.coef_, model.intercept_)
        assert loss_of(found, C, weights) <= loss_of(oracle, C, weights) * (1 + 1e-4)
        assert np.mean((X @ found.weight.T + found.bias).argmax(1) == model.predict(X)) > 0.99


def test_a_class_without_an_example_never_wins() -> None:
    (found,) = softmax_path(X, Y * 2, 8, (0.1,))
    assert np.isneginf(found.bias[1::2]).all()
    assert not found.weight[1::2].any()
    assert set((X @ found.weight.T + found.bias).argmax(axis=1)) <= {0, 2, 4, 6}


def test_the_same_examples_give_the_same_bytes() -> None:
    one, other = (softmax_path(X, Y, 4, C_VALUES)[-1] for _ in range(2))
    assert np.array_equal(one.weight, other.weight)
    assert np.array_equal(one.bias, other.bias)
