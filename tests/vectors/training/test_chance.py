import numpy as np
import pytest

from isogloss.vectors.training.random_numbers import AliasTable, below, draw, next_bits, seeded


def drawn(table: AliasTable, n: int, seed: int = 0) -> list[int]:
    state = seeded(seed, 0)
    return [int(draw(*table.arrays, state)) for _ in range(n)]


@pytest.mark.parametrize("power", [1.0, 0.75, 0.5])
def test_draws_are_as_frequent_as_their_weights(power: float) -> None:
    counts = np.array([1, 0, 5, 1000, 3, 3, 200])
    table = AliasTable.of(counts, power)
    n = 20_000
    found = np.bincount(drawn(table, n), minlength=7) / n
    expected = np.where(counts > 0, counts.astype(float) ** power, 0)
    expected /= expected.sum()
    assert np.abs(found - expected).max() < 4 * np.sqrt(0.25 / n)
    assert found[1] == 0


def test_the_table_is_exact() -> None:
    counts = np.array([7, 1, 2, 30, 4])
    table = AliasTable.of(counts, 1.0)
    kept = table.thresholds / 2**32
    shares = np.bincount(table.aliases, weights=1 - kept, minlength=5) + kept
    assert shares / 5 == pytest.approx(counts / counts.sum(), abs=1e-8)


def test_power_0_draws_all_alike() -> None:
    table = AliasTable.of(np.array([1000, 0, 1]), 0.0)
    assert table.thresholds.size == 0
    found = np.bincount(drawn(table, 6000), minlength=3) / 6000
    assert found == pytest.approx(np.full(3, 1 / 3), abs=0.03)


def test_no_choices_and_no_counts() -> None:
    assert AliasTable.of(np.zeros(0, np.int64), 0.75).n == 0
    assert AliasTable.of(np.zeros(3, np.int64), 0.75).thresholds.size == 0
    assert set(drawn(AliasTable.of(np.array([4]), 0.75), 10)) == {0}


def test_states_differ_by_seed_and_part() -> None:
    states = {int(seeded(seed, number)[0]) for seed in range(20) for number in range(20)}
    assert len(states) == 400
    assert seeded(3, 4)[0] == seeded(3, 4)[0]


def test_bits_map_to_all_below() -> None:
    state = seeded(0, 0)
    assert {int(below(5, np.uint64(next_bits(state)))) for _ in range(200)} == set(range(5))
    assert int(below(5, np.uint64(2**64 - 1))) == 4
