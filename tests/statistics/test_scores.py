"""Scores, intervals and paired differences, against values computed by hand."""

import numpy as np
import pytest

from isogloss.statistics.bootstrap import resampled_ratios
from isogloss.statistics.scores import (
    f1_scores,
    holm,
    interval_of_language_mean,
    interval_of_mean,
    interval_of_mean_accuracy,
    paired_difference,
)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ([0.01, 0.04, 0.03], [0.03, 0.06, 0.06]),
        ([0.5, 0.9], [1.0, 1.0]),
        ([0.02], [0.02]),
        ([0.01, 0.01, 0.011], [0.03, 0.03, 0.03]),
        ([], []),
    ],
)
def test_holm(given: list[float], expected: list[float]) -> None:
    assert holm(given) == pytest.approx(expected)


def test_f1_by_hand() -> None:
    # a: P 1/1, R 1/2, F 2/3; b: P 1/2, R 1/1, F 2/3; c: never predicted, F 0.
    scores = f1_scores(["a", "a", "b", "c"], ["a", "b", "b", "a"])
    assert scores["micro_f1"] == 0.5
    assert scores["macro_f1"] == pytest.approx((2 * 0.5 * 0.5 / 1 + 2 / 3 + 0) / 3)
    assert f1_scores(["1", 1], ["1", "1"])["micro_f1"] == 0.5  # labels of mixed kinds


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_interval_of_a_constant_is_a_point(value: float) -> None:
    interval = interval_of_mean(np.full(7, value), seed=0)
    assert (interval.value, interval.low, interval.high) == (value, value, value)


def test_interval_of_nothing_is_not_a_number() -> None:
    assert np.isnan(interval_of_mean(np.zeros(0), seed=0).low)
    assert np.isnan(interval_of_language_mean({}, {}, seed=0).value)


def test_interval_holds_the_truth_about_95_times_in_100() -> None:
    rng = np.random.default_rng(0)
    n_held = 0
    for seed in range(300):
        interval = interval_of_mean(rng.random(100) < 0.7, seed=seed)
        n_held += interval.low <= 0.7 <= interval.high
    assert 0.90 <= n_held / 300 <= 0.98


def test_interval_agrees_with_the_normal_one() -> None:
    right = np.arange(400) % 4 > 0
    interval = interval_of_mean(right, seed=0)
    half = 1.96 * (0.75 * 0.25 / 400) ** 0.5
    assert (interval.low, interval.high) == pytest.approx((0.75 - half, 0.75 + half), abs=0.004)
    assert interval == interval_of_mean(right, seed=0)


def width_of(columns: list[np.ndarray], ids: list[str] | None) -> float:
    values = {str(number): column for number, column in enumerate(columns)}
    interval = interval_of_language_mean(values, dict.fromkeys(values, ids), seed=0)
    return interval.high - interval.low


def test_translations_of_a_document_are_not_new_evidence() -> None:
    rng = np.random.default_rng(0)
    columns = [rng.random(200) < 0.6 for _ in range(4)]
    ids = [str(row) for row in range(200)]
    single = width_of(columns[:1], ids)
    assert width_of([columns[0]] * 4, ids) == pytest.approx(single, rel=0.1)
    assert width_of(columns, ids) == pytest.approx(single / 2, rel=0.15)
    assert width_of([columns[0]] * 4, None) == pytest.approx(single / 2, rel=0.15)


def test_languages_with_and_without_ids_and_unequal_rows_are_averaged() -> None:
    values = {"de": np.array([1.0, 0.0]), "ja": np.array([1.0, 1.0, 1.0, 0.0]), "sw": np.ones(1)}
    ids = {"de": ["a", "b"], "ja": ["a", "b", "b", "c"], "sw": None}
    interval = interval_of_language_mean(values, ids, seed=0)
    assert interval.value == pytest.approx((0.5 + 0.75 + 1) / 3)
    assert interval.low < interval.value < interval.high


def test_paired_difference_by_hand() -> None:
    ours = np.array([True] * 5 + [False] + [True] * 10 + [False] * 4)
    theirs = np.array([False] * 5 + [True] + [True] * 10 + [False] * 4)
    pair = paired_difference(ours, theirs)
    assert pair.difference.value == pytest.approx(4 / 20)
    assert pair.p_value == pytest.approx(2 * (1 + 6) / 2**6)  # 5 or 6 heads of 6, either side
    assert pair.difference.low <= 0.2 <= pair.difference.high
    back = paired_difference(theirs, ours)
    assert back.difference.value == pytest.approx(-0.2)
    assert back.p_value == pytest.approx(pair.p_value)


def test_a_model_does_not_differ_from_itself() -> None:
    right = np.arange(20) > 5
    pair = paired_difference(right, right)
    assert pair.difference.value == 0  # and 20 texts cannot show that none would differ
    assert (-pair.difference.low, pair.difference.high) == pytest.approx((0.161, 0.161), abs=1e-3)
    assert pair.p_value == 1.0


def test_a_document_that_repeats_in_a_language_wins_or_loses_once() -> None:
    ours, theirs = np.ones(12, dtype=bool), np.arange(12) >= 6
    rows = paired_difference(ours, theirs)
    documents = paired_difference(ours, theirs, ids=[str(row // 3) for row in range(12)])
    assert rows.difference.value == documents.difference.value == 0.5
    assert (rows.p_value, documents.p_value) == (2 / 2**6, 2 / 2**2)
    widths = [one.difference.high - one.difference.low for one in (rows, documents)]
    assert widths[1] > 1.4 * widths[0]


def test_a_mean_accuracy_of_1_is_not_certain() -> None:
    right = {"de": np.ones(20, dtype=bool), "ja": np.ones(20, dtype=bool)}
    ids = [str(row) for row in range(20)]
    shared = interval_of_mean_accuracy(right, {"de": ids, "ja": ids}, seed=0)
    alone = interval_of_mean_accuracy(right, {"de": None, "ja": None}, seed=0)
    assert (shared.value, shared.high) == (1, 1)
    assert shared.low == pytest.approx(20 / (20 + 1.959964**2))
    assert alone.low == pytest.approx(40 / (40 + 1.959964**2))


def test_ratios_of_sums_are_resampled_by_id_in_all_languages() -> None:
    """Against a loop; the second column has the denominators of the first."""
    rng = np.random.default_rng(0)
    n = {"de": 40, "fr": 30, "sw": 25}
    below = {lang: rng.integers(0, 9, size=(size, 2)).astype(float) for lang, size in n.items()}
    above = {
        lang: rng.binomial(some.astype(int), 0.7).astype(float) for lang, some in below.items()
    }
    ids = {"de": [f"{i}" for i in range(40)], "fr": [f"{i}" for i in range(30)], "sw": None}
    found = resampled_ratios(above, below, ids, seed=3)
    ratios = [above[lang].sum(0) / below[lang].sum(0) for lang in n]
    assert found.values == pytest.approx(np.mean(ratios, axis=0))
    drawn = []
    for _ in range(2000):
        shared, own = rng.integers(0, 40, size=40), rng.integers(0, 25, size=25)
        rows = {"de": shared, "fr": shared[shared < 30], "sw": own}
        drawn.append(
            np.mean(
                [above[lang][at].sum(0) / below[lang][at].sum(0) for lang, at in rows.items()],
                axis=0,
            )
        )
    assert found.drawn.std(axis=0) == pytest.approx(np.std(drawn, axis=0), rel=0.1)
    assert found.drawn.mean(axis=0) == pytest.approx(found.values, abs=0.003)
    one = {lang: some[:, :1] for lang, some in below.items()}
    shared_by_both = resampled_ratios(above, one, ids, seed=3)
    assert shared_by_both.values[0] == pytest.approx(found.values[0])


def test_a_ratio_of_nothing_is_0() -> None:
    nothing = {"de": np.zeros((3, 1))}
    found = resampled_ratios(nothing, nothing, {}, seed=0)
    assert found.values == [0]
    assert not found.drawn.any()
