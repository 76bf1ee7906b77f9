"""Intervals of paired differences: known answers, and how often they hold the truth."""

import numpy as np
import pytest
from scipy.special import gammaln, xlogy

from isogloss.statistics.bootstrap import Resampled, resampled_means
from isogloss.statistics.differences import (
    FEW,
    interval_of_gains,
    interval_where_few_differ,
    not_certain,
    score_interval,
)
from isogloss.statistics.intervals import Interval, interval_of_draws, wilson
from isogloss.statistics.scores import mean_difference
from isogloss.statistics.seeds import difference_over_seeds, interval_over_seeds


def gains_of(win: int, loss: int, n: int) -> np.ndarray:
    return np.r_[np.ones(win), -np.ones(loss), np.zeros(n - win - loss)]


@pytest.mark.parametrize("counts", [(0, 0, 20), (1, 0, 20), (4, 3, 30), (17, 3, 20), (0, 9, 9)])
def test_it_holds_the_differences_that_the_score_test_accepts(counts: tuple[int, int, int]) -> None:
    """Against the test itself, its most likely share of losses found by trying many."""
    win, loss, n = counts
    found = interval_of_gains(gains_of(*counts))
    accepted = []
    for difference in np.linspace(-0.9995, 0.9995, 800):
        low, high = max(0.0, -difference), min(1.0, (1 - difference) / 2)
        lost = low + (high - low) * np.linspace(1e-9, 1 - 1e-9, 20_001)
        likely = xlogy(win, lost + difference) + xlogy(loss, lost)
        likely += xlogy(n - win - loss, np.maximum(1 - 2 * lost - difference, 0))
        share = lost[likely.argmax()]
        deviation = np.sqrt(n * max(2 * share + difference * (1 - difference), 1e-12))
        if abs(win - loss - n * difference) <= 1.959964 * deviation:
            accepted.append(difference)
    assert (found.low, found.high) == pytest.approx((accepted[0], accepted[-1]), abs=3e-3)


def test_texts_of_which_none_differs_do_not_show_that_none_would() -> None:
    found = interval_of_gains(np.zeros(20))
    reach = 1.959964**2 / (20 + 1.959964**2)
    assert (found.value, found.low, found.high) == pytest.approx((0, -reach, reach))
    assert wilson(0, n_effective=20, n_units=20).high == pytest.approx(reach)
    assert np.isnan(interval_of_gains(np.zeros(0)).value)
    for win in (0, 1, 5, 19, 20):
        one, other = (
            interval_of_gains(gains_of(win, 0, 20)),
            interval_of_gains(gains_of(0, win, 20)),
        )
        assert (one.low, one.high) == pytest.approx((-other.high, -other.low))
        assert -1 <= one.low < one.value <= one.high <= 1
        assert one.low < one.high


def test_documents_of_several_texts_are_not_several() -> None:
    gains = np.repeat(gains_of(6, 2, 30), 3)
    ids = [str(row // 3) for row in range(90)]
    found, once = interval_of_gains(gains, ids), interval_of_gains(gains_of(6, 2, 30))
    assert found.value == pytest.approx(once.value)
    assert found.high - found.low == pytest.approx(once.high - once.low, rel=0.03)
    assert found.high - found.low > 1.5 * (
        interval_of_gains(gains).high - interval_of_gains(gains).low
    )
    none = interval_of_gains(np.zeros(90), ids)
    assert none == interval_of_gains(np.zeros(30))


def test_a_mean_of_which_few_documents_differ_is_not_a_point() -> None:
    right = {lang: np.ones(30, dtype=bool) for lang in "abc"}
    ids = {lang: [str(row) for row in range(30)] for lang in "abc"}
    same = mean_difference(right, right, ids, seed=0)
    assert (same.low, same.high) == pytest.approx((-0.1135, 0.1135), abs=1e-4)  # of 30 documents
    alone = mean_difference(right, right, dict.fromkeys("abc"), seed=0)
    assert alone.high == pytest.approx(1.959964**2 / (90 + 1.959964**2))
    others = {lang: some.copy() for lang, some in right.items()}
    others["a"][:3] = False
    few = mean_difference(right, others, ids, seed=0)
    assert few.value == pytest.approx(1 / 30)
    assert 0 < few.value - few.low < few.high
    others["b"][: FEW + 1] = False
    gains = {lang: (right[lang] * 1.0 - others[lang])[:, None] for lang in "abc"}
    found = resampled_means(gains, ids, seed=0)
    drawn = interval_of_draws(float(found.values[0]), found.drawn[:, 0])
    assert mean_difference(right, others, ids, seed=0) == drawn
    assert interval_where_few_differ(drawn, found, gains, ids) is drawn
    assert np.isnan(mean_difference({}, {}, {}, seed=0).value)


@pytest.mark.parametrize("n_seeds", [1, 3])
def test_seeds_that_agree_have_the_interval_of_one(n_seeds: int) -> None:
    gains = {"ja": np.repeat(gains_of(9, 4, 60)[:, None], n_seeds, axis=1)}
    found = difference_over_seeds(gains, {}, seed=0)
    assert found == interval_of_gains(gains["ja"][:, 0])
    ids = [str(row % 30) for row in range(60)]
    assert difference_over_seeds(gains, {"ja": ids}, seed=0) == interval_of_gains(
        gains["ja"][:, 0], ids
    )


def test_seeds_that_differ_in_few_documents_are_not_sure() -> None:
    gains = np.zeros((60, 3))
    gains[0] = (1, 0, 1)
    found = difference_over_seeds({"ja": gains}, {}, seed=0)
    drawn = interval_over_seeds(resampled_means({"ja": gains}, {}, seed=0), least=-1)
    assert found.low < drawn.low
    assert found.high > drawn.high
    gains[1 : FEW + 1, 0] = 1
    drawn = interval_over_seeds(resampled_means({"ja": gains}, {}, seed=0), least=-1)
    assert difference_over_seeds({"ja": gains}, {}, seed=0) == drawn


def test_f1_that_does_not_differ_is_not_certain_either() -> None:
    assert not_certain(Interval(0.1, 0.0, 0.2), 20) == Interval(0.1, 0.0, 0.2)
    assert not_certain(Interval(0.0, 0.0, 0.0), 20) == interval_of_gains(np.zeros(20))


def covered(win: float, loss: float, n: int, found: np.ndarray) -> float:
    """Return how often the intervals of n texts hold a true difference: sums of the trinomial."""
    wins, losses = counts_of(n)
    chance = np.exp(
        gammaln(n + 1) - gammaln(wins + 1) - gammaln(losses + 1) - gammaln(n - wins - losses + 1)
        + xlogy(wins, win) + xlogy(losses, loss) + xlogy(n - wins - losses, 1 - win - loss)
    )  # fmt: skip
    holds = (found[:, 0] <= win - loss + 1e-9) & (win - loss - 1e-9 <= found[:, 1])
    return float((chance * holds).sum())


def counts_of(n: int) -> tuple[np.ndarray, np.ndarray]:
    wins, losses = np.array([(b, c) for b in range(n + 1) for c in range(n + 1 - b)]).T
    return wins, losses


@pytest.mark.parametrize(
    "n", [20, *(pytest.param(n, marks=pytest.mark.full) for n in (10, 50, 100, 200))]
)
def test_paired_differences_are_covered_however_few_differ(n: int) -> None:
    """Computed, not drawn; never below .93, and the more certain the fewer texts differ."""
    found = np.array(
        [
            (one.low, one.high)
            for b, c in zip(*counts_of(n), strict=True)
            for one in [score_interval((b - c) / n, (b + c) / n, n_effective=n)]
        ]
    )
    for differing in (0.001, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5):
        for of_wins in (0.0, 0.25, 0.5, 0.9, 1.0):
            held = covered(differing * of_wins, differing * (1 - of_wins), n, found)
            assert held >= 0.93
            assert held <= 0.98 or n * differing < 6


@pytest.mark.full
@pytest.mark.parametrize("n_seeds", [3, 5])
@pytest.mark.parametrize("differing", [0.005, 0.02, 0.05])
def test_few_differences_over_seeds_are_covered(n_seeds: int, differing: float) -> None:
    """Some texts are easier for one side, and each seed flips some of them."""
    generator, held = np.random.default_rng(8), []
    truth = 0.6 * differing
    for seed in range(500):
        sign = generator.choice([1.0, -1.0, 0.0], (60, 1),
                                p=[0.8 * differing, 0.2 * differing, 1 - differing])  # fmt: skip
        flips = generator.choice([1.0, -1.0, 0.0], (60, n_seeds),
                                 p=[differing / 2, differing / 2, 1 - differing])  # fmt: skip
        gains = np.where(sign != 0, sign, flips)
        found = difference_over_seeds({"": gains}, {}, seed=seed)
        held.append(found.low <= truth <= found.high)
    assert np.mean(held) >= 0.93


@pytest.mark.full
@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.parametrize("differing", [0.002, 0.01, 0.05])
def test_means_of_few_differences_are_covered(is_shared: bool, differing: float) -> None:
    """Of five languages; texts of one document differ together half of the time."""
    generator, held, once = np.random.default_rng(9), [], []
    ids = {lang: [str(row) for row in range(99)] if is_shared else None for lang in "abcde"}
    chances = [0.8 * differing, 0.2 * differing, 1 - differing]
    for seed in range(500):
        together = generator.choice([1.0, -1.0, 0.0], 99, p=chances)
        gains = {}
        for lang in ids:
            own = generator.choice([1.0, -1.0, 0.0], 99, p=chances)
            is_together = is_shared and generator.random(99) < 0.5
            gains[lang] = np.where(is_together, together, own)[:, None]
        found = resampled_means(gains, ids, seed=seed)
        drawn = interval_of_draws(float(found.values[0]), found.drawn[:, 0])
        for kept, one in (
            (once, drawn),
            (held, interval_where_few_differ(drawn, found, gains, ids)),
        ):
            kept.append(one.low <= 0.6 * differing <= one.high)
    assert np.mean(held) >= 0.92
    assert np.mean(held) >= np.mean(once)


def test_resampled_values_and_gains_agree() -> None:
    gains = {"": gains_of(2, 1, 40)[:, None]}
    found = resampled_means(gains, {}, seed=0)
    assert isinstance(found, Resampled)
    assert found.values[0] == pytest.approx(interval_of_gains(gains[""][:, 0]).value)
