"""One label or many: probabilities, losses and gradients against values worked out by hand."""

from typing import Any

import numpy as np
import pytest
import torch
from scipy.optimize import approx_fprime
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from isogloss.learn.objective import SIGMOID, SOFTMAX, _mean_loss, objective_of

RNG = np.random.default_rng(4)
X = RNG.normal(size=(80, 5))
Y = np.stack([X[:, 0] + X[:, 1] > 0, X[:, 2] > 1, X[:, 3] + RNG.normal(size=80) > 0], axis=1)
KINDS = [(SOFTMAX, Y[:, 0].astype(np.int64)), (SIGMOID, Y)]


def test_y_says_which_objective_is_meant() -> None:
    assert objective_of(np.array([0, 1])) is SOFTMAX
    assert objective_of(np.array([[True], [False]])) is SIGMOID
    assert objective_of(torch.zeros(2, 3)) is SIGMOID


def test_sigmoid_and_its_loss_by_hand() -> None:
    logits = np.array([[0.0, np.log(3.0)], [-np.log(4.0), 0.0]])
    y = np.array([[True, False], [False, False]])
    answers = SIGMOID.log_probabilities(logits)
    np.testing.assert_allclose(np.exp(answers), [[0.5, 0.75], [0.2, 0.5]])
    # -log .5 - log(1 - .75) = log 8;  -log .8 - log .5 = log 2.5
    np.testing.assert_allclose(SIGMOID.loss(answers, y), np.log([8.0, 2.5]))
    np.testing.assert_allclose(SIGMOID.quality(answers, y), -np.log([8.0, 2.5]))
    summed = SIGMOID.summed_loss(torch.from_numpy(logits), torch.from_numpy(y))
    assert float(summed) == pytest.approx(np.log(20.0))


def test_softmax_and_its_loss_by_hand() -> None:
    logits = np.log([[1.0, 3.0], [4.0, 4.0]])
    y = np.array([1, 0])
    answers = SOFTMAX.log_probabilities(logits)
    np.testing.assert_allclose(np.exp(answers), [[0.25, 0.75], [0.5, 0.5]])
    np.testing.assert_allclose(SOFTMAX.loss(answers, y), -np.log([0.75, 0.5]))
    assert SOFTMAX.quality(answers, y).tolist() == [1.0, 1.0]
    summed = SOFTMAX.summed_loss(torch.from_numpy(logits), torch.from_numpy(y))
    assert float(summed) == pytest.approx(-np.log(0.375))


@pytest.mark.parametrize("size", [0.0, 1e-9, 1.0, 20.0, 300.0])
def test_log_odds_survive_the_way_through_probabilities(size: float) -> None:
    logits = np.array([[size, -size]])
    back = SIGMOID.scores(SIGMOID.log_probabilities(logits))
    np.testing.assert_allclose(back, logits, rtol=1e-9, atol=1e-12)


def test_an_impossible_answer_costs_a_bounded_loss() -> None:
    answers = np.array([[0.0, -np.inf]])
    assert SIGMOID.loss(answers, np.array([[False, True]])) == pytest.approx(2 * 12 * np.log(10))
    assert SOFTMAX.loss(answers, np.array([1])) == pytest.approx(12 * np.log(10))


@pytest.mark.parametrize(("objective", "y"), KINDS)
def test_the_torch_loss_has_the_gradient_of_finite_differences(objective: Any, y: Any) -> None:
    logits = RNG.normal(size=(4, 3 if y.ndim == 2 else 2))
    gold = torch.from_numpy(y[:4])

    def loss(flat: Any) -> float:
        return float(objective.summed_loss(torch.from_numpy(flat.reshape(logits.shape)), gold))

    variable = torch.from_numpy(logits.copy()).requires_grad_()
    objective.summed_loss(variable, gold).backward()
    numeric = approx_fprime(logits.ravel(), loss, 1e-7).reshape(logits.shape)
    np.testing.assert_allclose(variable.grad.numpy(), numeric, atol=1e-5)
    answers = objective.log_probabilities(logits)
    assert loss(logits.ravel()) == pytest.approx(objective.loss(answers, y[:4]).sum())


def test_the_objective_of_a_fit_has_the_gradient_of_finite_differences() -> None:
    parameters, to_weight = RNG.normal(size=3 * 5 + 3), RNG.normal(size=(5, 5))
    given = (X @ to_weight.T, Y, to_weight, 0.3)
    value, gradient = _mean_loss(parameters, *given)
    numeric = approx_fprime(parameters, lambda at: _mean_loss(at, *given)[0], 1e-7)
    np.testing.assert_allclose(gradient, numeric, atol=1e-5)
    weight, bias = parameters[:15].reshape(3, 5) @ to_weight, parameters[15:]
    losses = SIGMOID.loss(SIGMOID.log_probabilities(X @ weight.T + bias), Y)
    assert value == pytest.approx((losses.sum() + (weight**2).sum() / 0.6) / 80)


@pytest.mark.parametrize("C", [0.01, 1.0])
def test_each_label_is_a_logistic_regression_of_its_own(C: float) -> None:
    fitted = SIGMOID.fit(X, Y, 3, C=C)
    for label in range(3):
        oracle = LogisticRegression(C=C, tol=1e-8).fit(X, Y[:, label])
        ours = expit(X @ fitted.weight[label] + fitted.bias[label])
        np.testing.assert_allclose(ours, oracle.predict_proba(X)[:, 1], atol=5e-4)


def test_a_label_of_all_or_of_none_keeps_its_share() -> None:
    y = np.hstack([Y[:, :1], np.ones((80, 1), bool), np.zeros((80, 1), bool)])
    fitted = SIGMOID.fit(X, y, 3, C=1.0)
    assert not fitted.weight[1:].any()
    np.testing.assert_allclose(expit(fitted.bias[1:]), [80.5 / 81, 0.5 / 81])


def test_shares_and_whether_there_is_anything_to_tell_apart() -> None:
    np.testing.assert_allclose(np.exp(SOFTMAX.prior(np.array([0, 0, 1]), 3)), [2 / 3, 1 / 3, 1])
    y = np.array([[True, False], [True, True], [True, False]])
    np.testing.assert_allclose(expit(SIGMOID.prior(y, 2)), [3.5 / 4, 1.5 / 4])
    assert SIGMOID.can_learn(y)
    assert not SIGMOID.can_learn(y[[0, 2]])
    assert not SIGMOID.can_learn(y[:0])
    assert SOFTMAX.can_learn(np.array([0, 1]))
    assert not SOFTMAX.can_learn(np.array([1, 1]))


def test_the_penalty_of_two_labels_is_not_that_of_two_classes() -> None:
    weight = torch.tensor([[3.0], [4.0]])
    assert float(SIGMOID.squared_size(weight)) == 25
    assert float(SOFTMAX.squared_size(weight)) == 50
