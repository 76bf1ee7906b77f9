"""Resampled values and their intervals."""

import numpy as np
import pytest

from isogloss.probe.jackknife import debiased, jackknife_interval
from isogloss.probe.sampled import Resampling


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


def test_another_share_and_another_mean_have_the_interval_of_their_draws() -> None:
    values = np.r_[np.ones(98), 0.5]
    share, mean = resampling(99).share(values), resampling(99).mean(values)
    assert share.interval == mean.interval
    assert mean.interval.low < mean.value < mean.interval.high == 1
    ones = resampling(99).mean(np.ones(99))  # may be any measure: nothing says that 1 is all
    assert (ones.interval.low, ones.interval.high) == (1, 1)
    all_right = resampling(99).share(np.ones(99))
    assert all_right.minus(share).interval.low == pytest.approx(0)


def test_the_jackknife_takes_the_bias_of_a_variance_away() -> None:
    """The textbook case: the variance divided by n becomes the one divided by n - 1."""
    values = np.random.default_rng(1).gamma(2, size=12)
    left_out = np.array([np.delete(values, at).var() for at in range(12)])
    assert debiased(values.var(), left_out) == pytest.approx(values.var(ddof=1))
    assert jackknife_interval(values.var(), left_out).low < values.var()
