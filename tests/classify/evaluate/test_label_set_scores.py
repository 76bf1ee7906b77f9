"""Micro and macro F1 of label sets, and their intervals."""

from typing import Any

import numpy as np
import pytest
from sklearn.metrics import f1_score

from isogloss.classify.evaluate.label_set_scores import (
    Decisions,
    f1_intervals,
    f1_intervals_of_mean,
    f1_of_runs,
    micro_f1_of_runs,
    swap_p,
)

RNG = np.random.default_rng(1)
GOLD = RNG.random((300, 4)) < [0.5, 0.3, 0.1, 0.05]
GIVEN = GOLD ^ (RNG.random((300, 4)) < 0.1)
DECISIONS = Decisions(GOLD, GIVEN)


def test_the_scores_are_those_of_scikit_learn() -> None:
    scores = f1_intervals(DECISIONS, seed=0)
    assert scores.micro.value == pytest.approx(f1_score(GOLD, GIVEN, average="micro"))
    assert scores.macro.value == pytest.approx(f1_score(GOLD, GIVEN, average="macro"))
    assert DECISIONS.exact.tolist() == (GOLD == GIVEN).all(axis=1).tolist()


def test_by_hand_with_a_label_that_training_lacks() -> None:
    gold = [("a", "b"), ("c",), (), ("a",)]
    given = [("a",), ("b",), (), ("a", "b")]
    decisions = Decisions.of(gold, given, ["a", "b", "never"])
    scores = f1_intervals(decisions, seed=0)
    # a: 2 hits; b: 1 missed, 2 false alarms; c: 1 missed; the label "never" has no part.
    assert scores.micro.value == pytest.approx(2 * 2 / (2 * 2 + 2 + 2))
    assert scores.macro.value == pytest.approx((1 + 0 + 0) / 3)
    assert decisions.exact.tolist() == [False, False, True, False]


def test_intervals_hold_the_value_and_agree_with_a_slow_bootstrap() -> None:
    scores = f1_intervals(DECISIONS, seed=0)
    rng = np.random.default_rng(9)
    rows = [rng.integers(0, 300, 300) for _ in range(400)]
    for average in ("micro", "macro"):
        interval = getattr(scores, average)
        drawn = [f1_score(GOLD[row], GIVEN[row], average=average) for row in rows]
        assert interval.low < interval.value < interval.high
        assert [interval.low, interval.high] == pytest.approx(
            np.quantile(drawn, [0.025, 0.975]), abs=0.012
        )


def test_documents_of_several_languages_are_resampled_together() -> None:
    ids = [str(row) for row in range(300)]
    languages = dict.fromkeys(("de", "fr", "ja"), DECISIONS)
    alone = f1_intervals_of_mean(languages, dict.fromkeys(languages), seed=0)
    joint = f1_intervals_of_mean(languages, dict.fromkeys(languages, ids), seed=0)
    one = f1_intervals(DECISIONS, seed=0)
    assert alone.micro.value == pytest.approx(one.micro.value)
    width = {name: f1.micro.high - f1.micro.low for name, f1 in
             (("alone", alone), ("joint", joint), ("one", one))}  # fmt: skip
    # Translations of one set are no new evidence; independent sets are.
    assert width["joint"] == pytest.approx(width["one"], rel=0.1)
    assert width["alone"] == pytest.approx(width["one"] / 3**0.5, rel=0.15)


def test_nothing_to_decide_scores_nothing() -> None:
    scores = f1_intervals(Decisions.of([(), ()], [(), ()], ["a"]), seed=0)
    assert scores.micro.value == scores.macro.value == 0.0


WORSE = Decisions(GOLD, GOLD ^ (RNG.random((300, 4)) < 0.2))


def test_runs_are_resampled_on_the_same_documents() -> None:
    """Against a slow bootstrap: the difference of two runs."""
    found = f1_of_runs({"de": [DECISIONS, WORSE]}, {}, seed=0)
    rng = np.random.default_rng(9)
    rows = [rng.integers(0, 300, 300) for _ in range(300)]

    def gain(average: str, row: Any) -> float:
        scores = [f1_score(run.gold[row], run.given[row], average=average)
                  for run in (DECISIONS, WORSE)]  # fmt: skip
        return float(scores[0] - scores[1])

    for average in ("micro", "macro"):
        runs = getattr(found, average)
        assert runs.values[0] - runs.values[1] == pytest.approx(gain(average, np.arange(300)))
        drawn = [gain(average, row) for row in rows]
        gains = runs.drawn[:, 0] - runs.drawn[:, 1]
        assert np.quantile(gains, [0.025, 0.975]) == pytest.approx(
            np.quantile(drawn, [0.025, 0.975]), abs=0.012
        )
    assert found.micro.values == pytest.approx(micro_f1_of_runs([DECISIONS, WORSE], seed=0).values)
    assert micro_f1_of_runs([DECISIONS, WORSE], seed=0).drawn.std(axis=0) == pytest.approx(
        found.micro.drawn.std(axis=0), rel=0.15
    )


def test_swapped_answers_know_chance_from_a_difference() -> None:
    assert swap_p([DECISIONS], [DECISIONS]) == 1.0
    assert swap_p([DECISIONS], [WORSE]) < 0.001
    again = Decisions(GOLD, GOLD ^ (np.random.default_rng(5).random((300, 4)) < 0.1))
    assert swap_p([DECISIONS], [again]) > 0.05
    # All 2^5 ways to swap are equally likely; two are as extreme as all one way.
    gold = np.ones((5, 1), dtype=bool)
    right, wrong = Decisions(gold, gold), Decisions(gold, ~gold)
    assert swap_p([right], [wrong]) == pytest.approx(2 / 32, abs=0.01)
