"""Which candidates are near the best, and their standard error by sentences."""

import numpy as np
import pytest

from isogloss.tag.choice import LEEWAY, near_best, standard_error


def answers(n_wrong: int, n: int = 1000) -> np.ndarray:
    return np.arange(n) >= n_wrong


def test_those_with_a_quarter_more_errors_are_near_the_best() -> None:
    starts = np.arange(1001)
    candidates = [answers(n) for n in (140, 124, 100, 127, 100)]
    assert pytest.approx(1.25) == LEEWAY
    assert near_best(candidates, starts) == [1, 2, 4]


def test_with_few_words_the_standard_error_is_the_wider_leeway() -> None:
    candidates = [answers(n, 40) for n in (12, 7, 5)]
    assert near_best(candidates, np.arange(41)) == [1, 2]


def test_the_standard_error_is_that_of_resampled_sentences() -> None:
    rng = np.random.default_rng(1)
    lengths = rng.integers(1, 9, size=300)
    starts = np.concatenate([[0], np.cumsum(lengths)])
    right = np.repeat(rng.random(300) < 0.7, lengths) ^ (rng.random(lengths.sum()) < 0.1)
    sums = np.add.reduceat(right.astype(float), starts[:-1])
    drawn = rng.integers(300, size=(4000, 300))
    means = sums[drawn].sum(1) / lengths[drawn].sum(1)
    assert standard_error(right, starts) == pytest.approx(means.std(), rel=0.06)
