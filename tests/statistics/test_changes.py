"""Changes of shares and means: known answers, and how often intervals and tests hold."""

import numpy as np
import pytest
from scipy import stats

from isogloss.statistics.changes import FEWEST, Sample, change_of_mean, change_of_share


def sample(values: np.ndarray) -> Sample:
    return Sample(len(values), float(values.mean()), float(values.std()))


def test_newcombe_as_published() -> None:
    # Newcombe (1998), table II, method 10: 56/70 against 48/80, and 9/10 against 3/10.
    for counts, low, high in (((48, 80, 56, 70), 0.0524, 0.3339), ((3, 10, 9, 10), 0.1705, 0.8090)):
        found = change_of_share(*counts).interval
        assert (found.low, found.high) == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("of", [1, 7, 300])
def test_a_share_that_stays(of: int) -> None:
    found = change_of_share(of, of, of, of)
    assert (found.interval.value, found.p) == (0.0, 1.0)
    assert found.interval.low < 0 < found.interval.high


def test_of_many_units_both_tests_say_the_same() -> None:
    counts = (33_400, 100_000, 33_900, 100_000)
    exact = stats.fisher_exact([[33_400, 66_600], [33_900, 66_100]]).pvalue
    assert change_of_share(*counts).p == pytest.approx(exact, rel=1e-3)


def test_more_units_than_an_exact_test_ends_with() -> None:
    n = 2**48
    assert change_of_share(n // 3, n, n // 3, n).p == pytest.approx(1)
    assert change_of_share(n // 3, n, n // 2, n).p == 0


def test_welch_is_that_of_scipy() -> None:
    generator = np.random.default_rng(0)
    before, now = generator.normal(0.5, 0.1, 40), generator.normal(0.55, 0.3, 60)
    found, right = (
        change_of_mean(sample(before), sample(now)),
        stats.ttest_ind(now, before, equal_var=False),
    )
    assert found is not None
    ends = right.confidence_interval()
    assert found.p == pytest.approx(right.pvalue)
    assert found.interval.value == pytest.approx(now.mean() - before.mean())
    assert (found.interval.low, found.interval.high) == pytest.approx((ends.low, ends.high))


def test_few_units_have_no_test_of_the_mean() -> None:
    assert change_of_mean(Sample(FEWEST - 1, 0.5, 0.1), Sample(99, 0.9, 0.1)) is None


def test_means_without_spread() -> None:
    same, other = Sample(20, 0.5, 0.0), Sample(20, 0.6, 0.0)
    found = [change_of_mean(same, one) for one in (same, other)]
    assert [one.p for one in found if one is not None] == [1.0, 0.0]


def test_divisions_of_one_sample_are_seldom_told_apart() -> None:
    generator = np.random.default_rng(0)
    has = np.arange(60) < 9
    p = []
    for _ in range(400):
        generator.shuffle(has)
        p.append(change_of_share(int(has[:30].sum()), 30, int(has[30:].sum()), 30).p)
    assert np.mean(np.array(p) < 0.05) <= 0.05
