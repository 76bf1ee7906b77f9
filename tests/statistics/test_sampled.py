"""Resampled values and their intervals."""

from itertools import pairwise

import numpy as np
import pytest

from isogloss.statistics.differences import interval_of_gains
from isogloss.statistics.draws import Resampling
from isogloss.statistics.intervals import (
    Interval,
    interval_of_draws,
    interval_of_share,
    interval_of_shares,
)
from isogloss.statistics.jackknife import debiased, jackknife_interval


def resampling(n: int) -> Resampling:
    return Resampling.of(n, np.random.default_rng(0))


@pytest.mark.parametrize("n", [8, 99, 2000])
@pytest.mark.parametrize("right", [0.0, 1.0])
def test_a_share_of_all_or_none_has_the_interval_of_wilson(n: int, right: float) -> None:
    share = resampling(n).share(np.full(n, right))
    found, reach = share.interval, 1.959964**2 / (n + 1.959964**2)
    assert found.value == right
    expected = (1 - reach, 1.0) if right else (0.0, reach)
    assert (found.low, found.high) == pytest.approx(expected, abs=1e-6)
    assert (found.high if right else found.low) == right


@pytest.mark.parametrize("n_right", [1, 2, 40, 97, 98])
def test_a_share_of_units_that_are_right_or_wrong_has_the_interval_of_wilson(n_right: int) -> None:
    found = resampling(99).share(np.r_[np.ones(n_right), np.zeros(99 - n_right)]).interval
    expected = interval_of_share(n_right, 99)
    ends = (max(expected.low, 0.0), expected.high)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-9)


MISSES = {
    "in one language": [(at, 0) for at in range(99)],
    "of one sentence": [(0, at) for at in range(28)],
    "scattered": [(at, at % 28) for at in range(60)],
}


@pytest.mark.parametrize("misses", MISSES.values(), ids=MISSES)
def test_the_worse_a_share_the_lower_its_interval(misses: list[tuple[int, int]]) -> None:
    """Near 1 as near 0; a point just below 1 would lie above the low end of 1."""
    n_languages = 1 + max(language for _, language in misses)
    right = np.ones((99, n_languages))
    found = [interval_of_shares(right.mean(1))]
    for miss in misses:
        right[miss] = 0
        found.append(interval_of_shares(right.mean(1)))
        mirrored = interval_of_shares(1 - right.mean(1))
        ends = (1 - found[-1].high, 1 - found[-1].low)
        assert (mirrored.low, mirrored.high) == pytest.approx(ends)
    for better, worse in pairwise(found):
        assert worse.low <= better.low + 1e-12
        assert worse.high < better.high
        assert worse.low < worse.value < worse.high or worse.value == 0
    assert found[0].low == pytest.approx(99 / (99 + 1.959964**2))


def test_a_mean_over_languages_away_from_the_ends_is_as_narrow_as_its_draws() -> None:
    values = np.random.default_rng(2).binomial(28, 0.8, size=400) / 28
    drawn = resampling(400)
    share, mean = drawn.share(values).interval, drawn.mean(values).interval
    assert (share.low, share.high) == pytest.approx((mean.low, mean.high), abs=0.001)
    assert share.high - share.low < 0.4 * (0.8 * 0.2 / 400) ** 0.5 * 2 * 1.96


def test_the_interval_of_a_share_covers_it_also_near_1() -> None:
    """Languages miss the same sentences: that of the draws would cover it far too seldom."""
    rng = np.random.default_rng(3)
    hard = rng.random((400, 60)) < 0.04
    values = 1 - hard * rng.binomial(10, 0.5, size=hard.shape) / 10
    found, drawn = [interval_of_shares(some) for some in values], resampling(60)
    draws = [drawn.mean(some).interval for some in values]

    def coverage(intervals: list[Interval]) -> float:
        return float(np.mean([one.low <= 0.98 <= one.high for one in intervals]))

    assert coverage(found) > 0.93
    assert coverage(draws) < 0.9


def test_units_that_are_equally_right_are_not_certain() -> None:
    """A probe that always names one of two languages is right in half of each sentence."""
    found = resampling(99).share(np.full(99, 0.5)).interval
    assert found.low < 0.41
    assert found.high > 0.59


def test_another_mean_has_the_interval_of_its_draws() -> None:
    values = np.r_[np.ones(98), 0.5]
    share, mean = resampling(99).share(values), resampling(99).mean(values)
    assert mean.interval.low < mean.value < mean.interval.high == 1
    ones = resampling(99).mean(np.ones(99))  # may be any measure: nothing says that 1 is all
    assert (ones.interval.low, ones.interval.high) == (1, 1)
    all_right = resampling(99).share(np.ones(99))
    gain = all_right.minus(share).interval
    assert gain == interval_of_gains(1 - values)  # few differ
    assert gain.low < 0 < gain.value < gain.high
    many = resampling(99).share(np.r_[np.ones(80), np.zeros(19)])
    drawn = all_right.minus(many)
    assert drawn.interval == interval_of_draws(drawn.value, drawn.draws)


def test_the_jackknife_takes_the_bias_of_a_variance_away() -> None:
    """The textbook case: the variance divided by n becomes the one divided by n - 1."""
    values = np.random.default_rng(1).gamma(2, size=12)
    left_out = np.array([np.delete(values, at).var() for at in range(12)])
    assert debiased(values.var(), left_out) == pytest.approx(values.var(ddof=1))
    assert jackknife_interval(values.var(), left_out).low < values.var()
