"""Assisted accuracies: the formula written out, where nothing helps, how often they hold."""

import numpy as np
import pytest

from isogloss.statistics.assisted import FEWEST, Moments, assisted_interval
from isogloss.statistics.intervals import interval_of_share, wilson


def drawn(accuracy: float, n_rows: int, *, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows that are right, and how sure a model is of them: not calibrated, but telling."""
    generator = np.random.default_rng(seed)
    likely = generator.beta(3 * accuracy, 3 * (1 - accuracy), size=n_rows)
    return generator.random(n_rows) < likely, np.sqrt(likely)


def test_the_formula_of_the_papers() -> None:
    right, said = drawn(0.8, 400, seed=0)
    y, f, others = right[:50].astype(float), said[:50], said[50:]
    slope = np.cov(y, f)[0, 1] / said.var()
    weight = slope / (1 + 50 / 350)
    value = y.mean() + weight * (others.mean() - f.mean())
    variance = (y - weight * f).var() / 50 + weight**2 * others.var() / 350
    expected = wilson(value, n_effective=value * (1 - value) / variance, n_units=50)
    found = assisted_interval(right[:50], f, Moments.of(others))
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )
    alone = interval_of_share(int(y.sum()), 50)
    assert found.high - found.low < alone.high - alone.low


@pytest.mark.parametrize(
    ("right", "said", "others"),
    [
        (np.arange(50) < 40, np.full(50, 0.7), np.full(900, 0.7)),  # tells nothing
        (np.arange(50) < 40, np.arange(50) / 50, np.arange(900) / 900),  # surer where it is wrong
        (np.arange(FEWEST - 1) < 20, np.linspace(1, 0, FEWEST - 1), np.full(900, 0.4)),  # too few
        (np.arange(50) < 40, np.linspace(1, 0, 50), np.zeros(0)),  # no other row
        (np.ones(50, bool), np.linspace(1, 0, 50), np.full(900, 0.4)),  # all are right
    ],
)
def test_labels_alone_count_where_nothing_helps(
    right: np.ndarray, said: np.ndarray, others: np.ndarray
) -> None:
    found = assisted_interval(right, said, Moments.of(others))
    assert found == interval_of_share(int(right.sum()), len(right))


def test_without_a_label_nothing_is_known() -> None:
    found = assisted_interval(np.zeros(0, bool), np.zeros(0), Moments.of(np.ones(5)))
    assert np.isnan(found.value)


@pytest.mark.parametrize(
    "accuracy", [0.8, *(pytest.param(one, marks=pytest.mark.full) for one in (0.6, 0.9, 0.97))]
)
@pytest.mark.parametrize("n_rows", [60, 1000])
def test_the_interval_holds_and_is_narrower(accuracy: float, n_rows: int) -> None:
    held, widths, alone = [], [], []
    for seed in range(600):
        right, said = drawn(accuracy, n_rows, seed=seed)
        found = assisted_interval(right[:50], said[:50], Moments.of(said[50:]))
        held.append(found.low <= accuracy <= found.high)
        widths.append(found.high - found.low)
        plain = interval_of_share(int(right[:50].sum()), 50)
        alone.append(plain.high - plain.low)
    assert np.mean(held) >= 0.92
    assert np.mean(widths) < np.mean(alone)
