"""Thresholds of labels: the best F1 on held-out documents, nearest to one half."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from isogloss.classify.labels.thresholds import out_of_fold_thresholds, tuned_thresholds
from isogloss.errors import OmissionWarning
from isogloss.learn.linear_head import Fold


def test_no_threshold_has_a_better_f1() -> None:
    rng = np.random.default_rng(0)
    probabilities = rng.random((60, 3)).round(1)  # with ties
    y = rng.random((60, 3)) < probabilities**2
    found = tuned_thresholds(probabilities, y)
    for label in range(3):
        tried = [
            f1_score(y[:, label], probabilities[:, label] >= threshold)
            for threshold in np.linspace(0.01, 0.99, 99)
        ]
        ours = f1_score(y[:, label], probabilities[:, label] >= found[label])
        assert ours == pytest.approx(max(tried))


def test_of_equal_thresholds_the_nearest_to_one_half_and_one_half_without_a_label() -> None:
    probabilities = np.array([[0.9, 0.9], [0.3, 0.3], [0.2, 0.2]])
    y = np.array([[True, False], [False, False], [False, False]])
    assert tuned_thresholds(probabilities, y).tolist() == pytest.approx([0.6, 0.5])


def test_out_of_fold_answers_come_from_models_that_did_not_see_the_document() -> None:
    y = np.arange(40)[:, None] % 4 == 0
    judged = []

    def answer(fold: Fold) -> np.ndarray:
        assert not set(fold.train) & set(fold.test)
        judged.extend(fold.test)
        return np.where(y[fold.test], 0.3, 0.1)

    assert out_of_fold_thresholds(answer, y, seed=0).tolist() == pytest.approx([0.2])
    assert sorted(judged) == list(range(40))


def test_too_few_documents_keep_one_half_and_say_so() -> None:
    with pytest.warns(OmissionWarning, match="too few texts to tune thresholds"):
        found = out_of_fold_thresholds(lambda fold: np.zeros((1, 1)), np.array([[True]]), seed=0)
    assert found.tolist() == [0.5]
