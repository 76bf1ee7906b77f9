"""Which candidates are near the best, and their standard error by sentences."""

import numpy as np
import pytest
from sklearn.metrics import f1_score

from isogloss.tag.choice import LEEWAY, HeldOutScore, near_best


def scores(numbers: list[int], starts: np.ndarray, **how: float) -> list[HeldOutScore]:
    """Return scores of candidates that answer so many words wrong."""
    n = int(starts[-1])
    return [HeldOutScore.accuracy(np.arange(n) >= wrong, starts, **how) for wrong in numbers]


def test_those_with_a_third_more_errors_are_near_the_best() -> None:
    starts = np.arange(1001)
    assert pytest.approx(1.35) == LEEWAY
    assert near_best(scores([140, 134, 100, 137, 100], starts)) == [1, 2, 4]


def test_the_leeway_can_be_another() -> None:
    starts = np.arange(1001)
    assert near_best(scores([140, 124, 100, 127, 100], starts, leeway=1.25)) == [1, 2, 4]


def test_with_few_words_the_standard_error_is_the_wider_leeway() -> None:
    assert near_best(scores([12, 7, 5], np.arange(41))) == [1, 2]


def sentences(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the starts of 300 sentences, and the number of the sentence of each word."""
    lengths = rng.integers(1, 9, size=300)
    return np.concatenate([[0], np.cumsum(lengths)]), np.repeat(np.arange(300), lengths)


def test_the_standard_error_of_accuracy_is_that_of_resampled_sentences() -> None:
    rng = np.random.default_rng(1)
    starts, of = sentences(rng)
    right = (rng.random(300) < 0.7)[of] ^ (rng.random(len(of)) < 0.1)
    drawn = rng.integers(300, size=(4000, 300))
    sums = np.bincount(of, right)
    means = sums[drawn].sum(1) / np.diff(starts)[drawn].sum(1)
    score = HeldOutScore.accuracy(right, starts)
    assert score.value == pytest.approx(right.mean())
    assert score.standard_error == pytest.approx(means.std(), rel=0.06)


def test_entities_are_scored_by_f1_of_their_words() -> None:
    rng = np.random.default_rng(2)
    starts, of = sentences(rng)
    gold = np.where(rng.random(len(of)) < 0.2, rng.integers(1, 4, size=len(of)), 0)
    found = np.where(rng.random(len(of)) < 0.7, gold, rng.integers(0, 4, size=len(of)))
    score = HeldOutScore.entity_f1(found, gold, starts, outside=0)
    assert score.value == pytest.approx(f1_score(gold, found, labels=[1, 2, 3], average="micro"))
    right = np.bincount(of, (found == gold) & (gold != 0))
    counted = np.bincount(of, (found != 0).astype(int) + (gold != 0))
    drawn = rng.integers(300, size=(4000, 300))
    resampled = 2 * right[drawn].sum(1) / counted[drawn].sum(1)
    assert score.standard_error == pytest.approx(resampled.std(), rel=0.06)


def test_answering_that_nothing_is_an_entity_is_not_near_the_best() -> None:
    starts, gold = np.arange(0, 1001, 10), (np.arange(1000) % 20 == 0).astype(np.int64)
    good = np.where(np.arange(1000) % 60 == 0, 0, gold)
    candidates = [
        HeldOutScore.entity_f1(one, gold, starts, outside=0) for one in (np.zeros_like(gold), good)
    ]
    assert 1 - (gold != 0).mean() > 0.9
    assert near_best(candidates) == [1]


def test_without_any_entity_the_score_is_0() -> None:
    nothing = np.zeros(10, np.int64)
    score = HeldOutScore.entity_f1(nothing, nothing, np.array([0, 10]), outside=0)
    assert (score.value, score.standard_error) == (0.0, 0.0)
