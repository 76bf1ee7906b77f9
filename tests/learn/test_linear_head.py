"""The encoder-only classifier: standardisation, logistic regression, the search of C."""

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from isogloss.learn.linear_head import (
    C_WITHOUT_SEARCH,
    ChosenBy,
    LinearHead,
    Standardisation,
    fit_with_search,
    folds_of,
    log_loss,
    strongest_within_one_error,
)

RNG = np.random.default_rng(3)
X = RNG.normal(size=(60, 5)).astype(np.float32) * [1, 2, 3, 4, 5]
Y = (X[:, 0] + X[:, 1] > 0).astype(np.int64)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_it_is_standardised_logistic_regression(n_classes: int) -> None:
    y = Y + (X[:, 2] > 2) if n_classes == 3 else Y
    oracle = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, tol=1e-6)).fit(X, y)
    head = LinearHead.fit(X, y, n_classes, C=0.1)
    found = np.exp(head.log_probabilities(X))
    np.testing.assert_allclose(found, oracle.predict_proba(X), atol=1e-3)


def test_standardisation_uses_training_statistics_and_keeps_constants() -> None:
    vectors = np.array([[1.0, 7.0], [3.0, 7.0]])
    scale = Standardisation.fit(vectors)
    assert scale(np.array([[4.0, 8.0]])).tolist() == [[2.0, 1.0]]


def test_a_result_is_bit_equal_in_any_company() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(300, 384)).astype(np.float32)
    head = LinearHead.fit(vectors, np.arange(300) % 7, 7, C=0.1)
    whole = head.log_probabilities(vectors)
    for rows in ([0], [299, 3], list(range(17))):
        assert np.array_equal(head.log_probabilities(vectors[rows]), whole[rows])


def test_a_class_that_is_absent_never_wins() -> None:
    head = LinearHead.fit(X, Y * 2, 4, C=0.1)
    probabilities = np.exp(head.log_probabilities(X))
    assert np.all(probabilities[:, [1, 3]] == 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)


@pytest.mark.parametrize("y", [[], [1, 1]])
def test_nothing_to_learn_from_gives_equal_probabilities(y: list[int]) -> None:
    head = LinearHead.fit_where_possible(X[: len(y)], np.array(y, dtype=np.int64), 3, C=1.0)
    np.testing.assert_allclose(np.exp(head.log_probabilities(X[:2])), 1 / 3)


@pytest.mark.parametrize(
    ("counts", "n_folds"),
    [([10, 9], 5), ([10, 3], 5), ([2, 2], 2), ([20, 20, 1], 5), ([10, 1], None), ([1, 1, 1], None)],
)
def test_a_rare_class_does_not_end_the_search(counts: list[int], n_folds: int | None) -> None:
    y = np.repeat(np.arange(len(counts)), counts)
    folds = folds_of(y, seed=0)
    if n_folds is None:
        assert folds is None
        return
    assert folds is not None
    assert len(folds) == n_folds
    assert sorted(np.concatenate([fold.test for fold in folds]).tolist()) == list(range(len(y)))
    for fold in folds:
        assert len(set(y[fold.train])) > 1
        assert not set(fold.train) & set(fold.test)


def test_log_loss_by_hand() -> None:
    probabilities = np.log([[0.5, 0.5], [0.25, 0.75]])
    assert log_loss(probabilities, np.array([0, 1])) == pytest.approx(-np.log(0.5 * 0.75) / 2)
    impossible = np.array([[-np.inf, 0.0]])
    assert log_loss(impossible, np.array([0])) == pytest.approx(-np.log(1e-12))


def test_the_strongest_penalty_within_one_error_of_the_best_is_taken() -> None:
    best = np.array([1.0] * 80 + [0.0] * 20)
    near, far = best.copy(), best.copy()
    near[:2], near[-1], far[:20] = 0.0, 1.0, 0.0  # behind by 0.01 ± 0.017, and by 0.2 ± 0.04
    assert strongest_within_one_error([far, near, best]) == 1
    assert strongest_within_one_error([best, best]) == 0
    assert strongest_within_one_error([far, far, best]) == 2


def test_c_is_chosen_on_development_data_where_given() -> None:
    y = Y.copy()
    chosen = fit_with_search(X, y, 2, seed=0, dev=(X, y))
    assert chosen.chosen_by is ChosenBy.DEVELOPMENT
    # Against labels turned round, nothing beats the strongest penalty by more than the error.
    turned = fit_with_search(X, y, 2, seed=0, dev=(X, 1 - y))
    assert turned.C <= chosen.C
    assert "cross-validation, 5 folds" in fit_with_search(X, y, 2, seed=0).describe()


def test_a_class_of_one_document_leaves_nothing_to_search() -> None:
    head = fit_with_search(X[:3], np.array([0, 1, 2]), 3, seed=0)
    assert (head.C, head.chosen_by) == (C_WITHOUT_SEARCH, ChosenBy.TOO_FEW_TEXTS)
    assert head.log_probabilities(X[:3]).argmax(axis=1).tolist() == [0, 1, 2]


def test_constant_vectors_give_the_shares() -> None:
    head = fit_with_search(np.ones((9, 4), np.float32), np.repeat([0, 1, 2], [4, 3, 2]), 3, seed=0)
    found = np.exp(head.log_probabilities(np.ones((1, 4))))[0]
    np.testing.assert_allclose(found, [4 / 9, 3 / 9, 2 / 9], atol=1e-3)
