"""Intervals and p-values over documents and seeds: false positives and coverage by simulation."""

import numpy as np
import pytest
from scipy.stats import norm

from isogloss.statistics import seeds as comparison_seeds
from isogloss.statistics.bootstrap import Resampled, resampled_means
from isogloss.statistics.intervals import interval_of_accuracy
from isogloss.statistics.scores import interval_of_language_mean, interval_of_mean
from isogloss.statistics.seeds import (
    accuracy_over_seeds,
    deviation_over_seeds,
    interval_over_seeds,
    p_over_seeds,
)

N_DOCUMENTS, N_SIMULATIONS = 100, 300
TRUTH = 0.1


def simulated(n_seeds: int, seed_noise: float) -> list[Resampled]:
    """Return gains of documents with a part of their own, of each seed, and of both."""
    generator = np.random.default_rng(4)
    times = generator.multinomial(N_DOCUMENTS, np.full(N_DOCUMENTS, 1 / N_DOCUMENTS), size=500)
    made = []
    for _ in range(N_SIMULATIONS):
        gains = (
            TRUTH
            + generator.normal(0, 0.3, (N_DOCUMENTS, 1))
            # Two rows are each shifted by their seed.
            + generator.normal(0, 2**0.5 * seed_noise, n_seeds)
            + generator.normal(0, 0.2, (N_DOCUMENTS, n_seeds))
        )
        made.append(Resampled(gains.mean(axis=0), times @ gains / N_DOCUMENTS))
    return made


@pytest.mark.parametrize("n_seeds", [3, 5, 10])
@pytest.mark.parametrize("seed_noise", [0.0, 0.01, 0.035, 0.06])
def test_chance_of_seeds_is_no_difference(n_seeds: int, seed_noise: float) -> None:
    found = simulated(n_seeds, seed_noise)
    null = [Resampled(one.values - TRUTH, one.drawn - TRUTH) for one in found]
    p_values = [p_over_seeds(one) for one in null]
    false_positives = np.mean([p is not None and p < 0.05 for p in p_values])
    intervals = [interval_over_seeds(one, least=-1) for one in found]
    coverage = np.mean([one.low <= TRUTH <= one.high for one in intervals])
    assert 0.01 <= false_positives <= 0.09
    assert 0.91 <= coverage <= 0.99


def answered(
    n: int, n_seeds: int, seed_noise: float, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return which documents two rows get right, which differ by their seeds alone."""
    document = generator.normal(0, 1, (n, 1))
    rows = [
        0.8 + document + generator.normal(0, seed_noise, n_seeds)
        + generator.normal(0, 1, (n, n_seeds)) > 0
        for _ in range(2)
    ]  # fmt: skip
    return rows[0].astype(np.float64), rows[1].astype(np.float64)


@pytest.mark.full
@pytest.mark.parametrize("n_seeds", [3, 5, 10])
@pytest.mark.parametrize("seed_noise", [0.0, 0.1, 0.3])
def test_accuracies_and_differences_over_seeds_are_covered(n_seeds: int, seed_noise: float) -> None:
    """Also where seeds differ by .09, which three show too little of to be sure how much."""
    generator = np.random.default_rng(5)
    truth = norm.cdf(0.8 / (2 + seed_noise**2) ** 0.5)
    accuracies, gains, marks = [], [], []
    for _ in range(1000):
        ours, theirs = answered(200, n_seeds, seed_noise, generator)
        accuracy = accuracy_over_seeds(ours, None, seed=0)
        accuracies.append(accuracy.low <= truth <= accuracy.high)
        gain = resampled_means({"": ours - theirs}, {}, seed=0)
        interval, p_value = interval_over_seeds(gain, least=-1), p_over_seeds(gain)
        gains.append(interval.low <= 0 <= interval.high)
        marks.append(p_value is not None and p_value < 0.05)
    assert 0.92 <= np.mean(accuracies) <= 0.985
    assert np.mean(gains) >= 0.93
    assert np.mean(marks) <= 0.07


@pytest.mark.full
@pytest.mark.parametrize("n", [50, 100, 200, 1000])
@pytest.mark.parametrize("differing", [0.1, 0.3])
def test_paired_differences_are_covered_where_five_texts_differ(n: int, differing: float) -> None:
    generator = np.random.default_rng(6)
    truth, held = 0.3 * differing, []
    for seed in range(600):
        gains = generator.choice([1.0, -1.0, 0.0], n, p=[0.65 * differing, 0.35 * differing,
                                                        1 - differing])  # fmt: skip
        found = interval_of_mean(gains, seed=seed)
        held.append(found.low - 1e-12 <= truth <= found.high + 1e-12)
    assert 0.925 <= np.mean(held) <= 0.975


@pytest.mark.full
@pytest.mark.parametrize("is_shared", [True, False])
@pytest.mark.parametrize("n", [20, 99, 500])
def test_means_over_languages_are_covered(n: int, is_shared: bool) -> None:
    generator, held = np.random.default_rng(7), []
    langs, shares = "abcdefgh", np.linspace(0.6, 0.95, 8)
    ids = [str(row) for row in range(n)] if is_shared else None
    for seed in range(400):
        hard = generator.normal(0, 1, n) if is_shared else np.zeros(n)
        own = generator.normal(0, 1, (8, n))
        spread = np.sqrt(2) if is_shared else 1.0
        right = (hard + own) / spread < norm.ppf(shares)[:, None]
        found = interval_of_language_mean(
            dict(zip(langs, right, strict=True)), dict.fromkeys(langs, ids), seed=seed
        )
        held.append(found.low <= shares.mean() <= found.high)
    assert (0.89 if n < 50 else 0.92) <= np.mean(held) <= 0.98


@pytest.mark.parametrize("ids", [None, [str(row // 2) for row in range(80)]])
def test_the_accuracy_of_seeds_that_agree_is_that_of_one(ids: list[str] | None) -> None:
    right = RIGHT["ja"]
    found = accuracy_over_seeds(np.repeat(right, 3, axis=1), ids, seed=0)
    assert found == interval_of_accuracy(right[:, 0], ids)
    perfect = accuracy_over_seeds(np.ones((20, 3)), None, seed=0)
    assert perfect.low == pytest.approx(0.839, abs=0.001)


def test_the_accuracy_of_seeds_that_differ_has_a_wider_interval() -> None:
    generator = np.random.default_rng(0)
    ours, _ = answered(200, 3, 0.3, generator)
    found = accuracy_over_seeds(ours, None, seed=0)
    alone = interval_of_accuracy(ours[:, 0])
    assert found.low < found.value < found.high
    assert found.high - found.low > alone.high - alone.low


def test_an_interval_over_documents_alone_would_not_do() -> None:
    """The simulation has what it takes to fail: this is what intervals once were."""
    found = simulated(3, 0.06)
    once = [np.quantile(one.drawn.mean(axis=1), [0.025, 0.975]) for one in found]
    assert np.mean([low <= TRUTH <= high for low, high in once]) < 0.8


def test_seeds_that_gain_on_each_others_losses_have_an_interval_all_the_same() -> None:
    """Few documents differ, each in one seed: without a floor there was less than a degree."""
    gains = np.zeros((99, 3))
    gains[0], gains[1], gains[2] = (1, -1, 0), (0, 0, -1), (0, 1, 0)
    gains[3], gains[4] = (-1, 1, -1), (0, -1, 2)
    found = interval_over_seeds(resampled_means({"ta": gains}, {}, seed=0), least=-1)
    assert -0.1 < found.low < found.value < found.high < 0.1


GENERATOR = np.random.default_rng(0)
RIGHT = {lang: (GENERATOR.random((80, 1)) < 0.7).astype(float) for lang in ("ja", "de")}


@pytest.mark.parametrize("n_seeds", [1, 3])
@pytest.mark.parametrize("ids", [None, [str(row) for row in range(80)]])
def test_seeds_that_agree_have_the_interval_of_their_documents(
    n_seeds: int, ids: list[str] | None
) -> None:
    by_language = dict.fromkeys(RIGHT, ids)
    same = {lang: np.repeat(right, n_seeds, axis=1) for lang, right in RIGHT.items()}
    found = resampled_means(same, by_language, seed=0)
    interval = interval_over_seeds(found, least=0)
    alone = interval_of_language_mean(
        {lang: right[:, 0] for lang, right in RIGHT.items()}, by_language, seed=0
    )
    assert [interval.value, interval.low, interval.high] == pytest.approx(
        [alone.value, alone.low, alone.high]
    )
    assert p_over_seeds(found) is None


def test_the_interval_and_the_p_value_are_of_one_test() -> None:
    for one in simulated(3, 0.035)[:50]:
        p_value, interval = p_over_seeds(one), interval_over_seeds(one, least=-1)
        assert p_value is not None
        assert (p_value < 0.05) == (interval.low > 0 or interval.high < 0)


def test_without_documents_it_is_the_t_test_of_the_seeds_with_a_larger_variance() -> None:
    values = np.array([0.1, 0.2, 0.4])
    drawn = np.tile(values, (9, 1))  # whatever documents are drawn
    found = Resampled(values, drawn)
    error = (2 / 1.386294) ** 0.5 * values.std(ddof=1) / 3**0.5  # of the median of chi-square
    interval = interval_over_seeds(found, least=-1)
    assert interval.high - interval.value == pytest.approx(4.302653 * error)
    assert interval.low == pytest.approx(interval.value - 4.302653 * error)
    assert deviation_over_seeds(found) == pytest.approx(values.std(ddof=1))
    assert deviation_over_seeds(Resampled(values[:1], drawn[:, :1])) is None


def test_no_interval_leaves_what_a_score_can_be() -> None:
    found = Resampled(np.array([0.0, 1.0]), np.tile([0.0, 1.0], (9, 1)))
    assert interval_over_seeds(found, least=0).low == 0
    assert interval_over_seeds(found, least=0).high == 1
    assert interval_over_seeds(found, least=-1).low == -1


def test_seeds_that_happen_to_meet_are_not_more_certain_than_their_documents() -> None:
    one = simulated(3, 0.0)[0]
    met = Resampled(np.full(3, one.values.mean()), one.drawn)
    error, freedom = comparison_seeds._error(met)
    assert error == pytest.approx(one.drawn.mean(axis=1).std(ddof=1))
    assert freedom == np.inf
