"""How often intervals of tags hold the truth where words of a sentence are right together."""

from collections import Counter

import numpy as np
import pytest

from isogloss.tag.scores import EntityCounts, TagCounts, interval_of_score

N_TIMES = 500


def chances(rng: np.random.Generator, n: int, mean: float) -> np.ndarray:
    """Return how likely a word of each sentence is right: from hardly to surely."""
    return rng.beta(4 * mean, 4 * (1 - mean), size=n)


def words(rng: np.random.Generator, n: int, mean: float) -> TagCounts:
    sizes = rng.integers(1, 31, size=n)
    right = rng.random(sizes.sum()) < np.repeat(chances(rng, n, mean), sizes)
    return TagCounts(right, sizes, Counter())


def entities(rng: np.random.Generator, n: int, mean: float) -> EntityCounts:
    gold, chance = rng.poisson(1.2, size=n), chances(rng, n, mean)
    right = rng.binomial(gold, chance)
    counts = np.stack([right, right + rng.poisson(1.2 * (1 - chance)), gold], axis=1)
    counts = counts.astype(np.float64)
    return EntityCounts(counts, counts, {}, {}, Counter(), Counter())


@pytest.mark.full
@pytest.mark.parametrize("mean", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("n", [50, 200])
@pytest.mark.parametrize("name", ["accuracy", "f1_strict"])
def test_intervals_hold_as_often_as_they_say(name: str, n: int, mean: float) -> None:
    make = words if name == "accuracy" else entities
    truth = make(np.random.default_rng(1), 400_000, mean).ratio(name).value
    rng, n_held = np.random.default_rng(2), 0
    for _ in range(N_TIMES):
        found = interval_of_score({"zh": [make(rng, n, mean)]}, name, {})
        n_held += found.low <= truth <= found.high
    assert 0.92 <= n_held / N_TIMES <= 0.99
