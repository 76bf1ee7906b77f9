"""Shifts of languages: planted ones are found, with their dimensions; few sentences do not add."""

import numpy as np
import pytest

from isogloss.probe.neutrality.shifts import language_shifts
from isogloss.statistics.jackknife import groups_of, jackknife_interval


def made(n_langs: int, n: int, width: int, noise: float, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, width)) + noise * rng.normal(size=(n_langs, n, width)) + 4


def test_against_loops() -> None:
    vectors = made(4, 9, 5, 0.5)
    vectors[2, :, 1] += 2
    groups = np.arange(9) % 3
    found = language_shifts(vectors.astype(np.float32), groups)
    for kept, distances in [
        (np.ones(9, bool), found.distance),
        *((groups != group, found.left_out[group]) for group in range(3)),
    ]:
        some = vectors[:, kept]
        n = some.shape[1]
        within = sum(((one - one.mean(0)) ** 2).sum() for one in some) / (4 * (n - 1))
        for lang in range(4):
            others = np.delete(some, lang, axis=0).mean(0)
            steps = some[lang] - others
            pairs = [steps[i] @ steps[j] for i in range(n) for j in range(n) if i != j]
            expected = np.sqrt(max(np.mean(pairs), 0) / within)
            assert distances[lang] == pytest.approx(expected, abs=1e-5)


def test_a_planted_shift_and_its_dimensions() -> None:
    vectors = made(5, 400, 50, 0.3)
    vectors[3, :, [7, 9]] += np.array([[4.0], [3.0]])
    found = language_shifts(vectors.astype(np.float32), groups_of(400, np.random.default_rng(0)))
    spread = np.sqrt(50 * (1 + 0.3**2))
    assert found.distance[3] == pytest.approx(5 / spread, abs=0.03)
    assert found.dimensions[3, :2].tolist() == [7, 9]
    assert found.shares[3, :2] == pytest.approx([16 / 25, 9 / 25], abs=0.02)
    assert found.n_for_half[3] == 1
    interval = jackknife_interval(found.distance[3], found.left_out[:, 3])
    assert interval.low < 5 / spread < interval.high
    assert found.distance[0] == pytest.approx(5 / 4 / spread, abs=0.03)  # one of the others moved


def test_few_sentences_make_no_shift() -> None:
    found = [
        language_shifts(made(8, 10, 100, 1.0, seed).astype(np.float32), np.arange(10))
        for seed in range(20)
    ]
    squares = np.array([one.distance for one in found]) ** 2
    assert squares.mean() < 0.02  # without the correction: 8 / 7 / 10 / 2, 0.057
    assert (squares == 0).any()
    none = next(one for one in found if (one.distance == 0).any())
    assert np.isnan(none.shares[none.distance == 0]).all()
    assert (none.n_for_half[none.distance == 0] == 0).all()


def test_equal_vectors_have_no_shift() -> None:
    found = language_shifts(np.ones((3, 8, 4), np.float32), np.arange(8) % 4)
    assert found.distance.tolist() == [0, 0, 0]
