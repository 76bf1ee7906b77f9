"""Intervals of shares and accuracies: known answers, and how often they hold the truth."""

from dataclasses import astuple

import numpy as np
import pytest
from scipy.stats import binom

from isogloss.statistics.intervals import (
    interval_of_accuracy,
    interval_of_share,
    interval_of_shares,
    interval_over_divisions,
    repeated,
    sums_of,
    wilson,
)

N_TEXTS = (20, 30, 50, 80, 99, 100, 150, 200, 300, 500, 1000)


@pytest.mark.parametrize(("right", "n"), [(0, 3), (8, 10), (99, 99), (150, 400)])
def test_wilson_holds_the_shares_that_the_score_test_accepts(right: int, n: int) -> None:
    found = interval_of_share(right, n)
    shares = np.linspace(0, 1, 100_001)[1:-1]
    accepted = shares[np.abs(right / n - shares) <= 1.959964 * np.sqrt(shares * (1 - shares) / n)]
    assert found.value == right / n
    assert (found.low, found.high) == pytest.approx((accepted[0], accepted[-1]), abs=2e-5)
    assert np.isnan(interval_of_share(0, 0).value)


def test_all_right_is_not_certain() -> None:
    found = interval_of_accuracy(np.ones(20, dtype=bool))
    assert (found.value, found.high) == (1, 1)
    assert found.low == pytest.approx(20 / (20 + 1.959964**2))
    assert np.isnan(interval_of_accuracy(np.zeros(0)).value)


def test_texts_of_one_document_are_not_new_evidence() -> None:
    right = np.arange(60) % 3 > 0
    once = interval_of_accuracy(right)
    ids = [str(row) for row in range(60)]
    assert interval_of_accuracy(right, ids) == once
    thrice = interval_of_accuracy(np.repeat(right, 3), list(np.repeat(ids, 3)))
    # The variance of documents is an estimate: n / (n - 1) times.
    assert thrice.value == once.value
    assert thrice.high - thrice.low == pytest.approx(once.high - once.low, rel=0.02)
    assert thrice.high - thrice.low > 1.6 * (
        interval_of_accuracy(np.repeat(right, 3)).high
        - interval_of_accuracy(np.repeat(right, 3)).low
    )


def test_ids_that_do_not_repeat_group_nothing() -> None:
    assert repeated(None) is None
    assert repeated(["a", "b"]) is None
    assert repeated(["a", "b", "a"]) == ["a", "b", "a"]
    assert sums_of(["b", "a", "b"], np.array([1.0, 2.0, 4.0])).tolist() == [2, 5]


def covered(shares: np.ndarray, n: int) -> np.ndarray:
    """Return how often the interval of n texts holds each true share: sums of the binomial."""
    found = [interval_of_share(right, n) for right in range(n + 1)]
    low, high = (np.array([getattr(one, end) for one in found]) for end in ("low", "high"))
    chance = binom.pmf(np.arange(n + 1)[:, None], n, shares)
    return (chance * ((low[:, None] <= shares) & (shares <= high[:, None]))).sum(axis=0)


@pytest.mark.full
@pytest.mark.parametrize("n", N_TEXTS)
def test_the_interval_of_an_accuracy_covers_95_percent(n: int) -> None:
    """Exactly: counts are whole, so a single share is covered more or less often than its mean."""
    shares = np.linspace(0.5, 0.99, 491)
    found = covered(shares, n)
    assert 0.945 <= found.mean() <= 0.956
    tenths = [found[start : start + 100].mean() for start in range(0, 491, 100)]
    assert min(tenths) >= 0.93
    assert max(tenths) <= 0.97
    assert ((found >= 0.93) & (found <= 0.97)).mean() >= (0.79 if n < 30 else 0.89)
    assert found.min() >= (0.93 if n > 100 else 0.89)


@pytest.mark.full
@pytest.mark.parametrize("share", [0.6, 0.8, 0.9, 0.97])
@pytest.mark.parametrize("n_documents", [20, 50, 200])
def test_repeated_documents_are_covered_too(n_documents: int, share: float) -> None:
    """Of one to three texts each, all right or all wrong nine times in ten."""
    generator = np.random.default_rng(0)
    held, once = [], []
    for _ in range(1500):
        ids = np.repeat(np.arange(n_documents), generator.integers(1, 4, n_documents))
        of_document = generator.random(n_documents) < share
        own = generator.random(len(ids)) < share
        right = np.where(generator.random(len(ids)) < 0.95, of_document[ids], own)
        found = interval_of_accuracy(right, ids.astype(str).tolist())
        held.append(found.low <= share <= found.high)
        as_rows = interval_of_accuracy(right)
        once.append(as_rows.low <= share <= as_rows.high)
    assert 0.92 <= np.mean(held) <= 0.985
    assert np.mean(once) < 0.92


def test_shares_worth_half_as_many_units_have_an_interval_as_wide_as_these() -> None:
    half = wilson(0.7, n_effective=50, n_units=100)
    assert (half.low, half.high) == pytest.approx(
        (interval_of_share(35, 50).low, interval_of_share(35, 50).high)
    )
    mixed = interval_of_shares(np.r_[np.ones(70), np.zeros(30)])
    assert mixed.low == pytest.approx(interval_of_share(70, 100).low)


def test_divisions_that_differ_are_in_the_interval() -> None:
    generator = np.random.default_rng(0)
    once = generator.random((1, 99)) < 0.3
    same = interval_over_divisions(np.repeat(once, 5, axis=0).astype(float))
    alone = interval_of_shares(once[0].astype(float))
    assert astuple(same) == pytest.approx(astuple(alone))
    assert interval_over_divisions(once.astype(float)) == alone
    # The same sentences on average, and divisions that differ by .1 either way.
    shares = np.full((4, 100), 0.5)
    shares[:, :50] = 0.1
    level = shares + np.array([[-0.1], [0.1], [-0.1], [0.1]])
    wide, narrow = interval_over_divisions(level), interval_over_divisions(shares)
    assert wide.value == pytest.approx(narrow.value)
    assert wide.high - wide.low > 1.3 * (narrow.high - narrow.low)
    assert interval_over_divisions(np.ones((3, 20))).low == pytest.approx(0.839, abs=0.001)
