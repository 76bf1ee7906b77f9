"""Logistic regression of many examples at several penalties: the minima of slow searches."""

import numpy as np
import pytest
from scipy.optimize import minimize
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


def test_the_penalty_is_on_the_distance_from_where_it_goes_towards() -> None:
    """The minimum of the formula, by a general search in which nothing is turned."""
    towards = LinearWeights(RNG.normal(size=(4, 12)), RNG.normal(size=4))
    some, y = X[:40], Y[:40]

    def loss(parameters: np.ndarray, C: float) -> float:
        away = parameters.reshape(4, 13)
        scores = some @ (towards.weight + away[:, :12]).T + towards.bias + away[:, 12]
        scores = scores - np.logaddexp.reduce(scores, axis=1, keepdims=True)
        return float(-C * scores[np.arange(40), y].sum() + (away**2).sum() / 2)

    path = softmax_path(some, y, 4, C_VALUES, towards=towards)
    for C, found in zip(C_VALUES, path, strict=True):
        away = np.hstack([found.weight - towards.weight, (found.bias - towards.bias)[:, None]])
        slow = minimize(loss, np.zeros(52), args=(C,))
        assert loss(away.ravel(), C) <= slow.fun * (1 + 1e-3)


def test_a_class_without_an_example_keeps_what_it_goes_towards() -> None:
    towards = LinearWeights(np.zeros((8, 12)), np.zeros(8))
    (found,) = softmax_path(X[:4], Y[:4] * 2, 8, (1e-3,), towards=towards)
    assert np.abs(found.weight).max() < 0.05
    assert np.abs(found.bias).max() < 0.05
    assert found.bias[1] < 0 < found.bias[Y[:4] * 2].min() + 0.01
