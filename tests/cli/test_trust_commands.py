"""``classify forecast`` and ``--abstain-below``: what is printed, counted and refused."""

import math

import pytest
from cli_world import JAPANESE, Refuse, Run, World


def test_forecast_prints_a_row_a_language(cli: Run, world: World) -> None:
    words = ["classify", "forecast", world.model, world.japanese, "--lang", "ja"]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    assert "expected" in outcome.out
    assert "rough forecast" in outcome.err
    assert "held-out texts of the training language" in outcome.err
    (row,) = cli(*words, "--json").json["rows"]
    assert (row["lang"], row["n"]) == ("ja", len(JAPANESE))
    assert 0 <= row["low"] <= row["expected"] <= row["high"] <= 1


def test_forecast_needs_a_language_and_can_be_strict(refuse: Refuse, world: World) -> None:
    words = ["classify", "forecast", world.model, world.japanese]
    assert "give --lang CODE" in refuse(*words)
    assert "rough forecast" in refuse(*words, "--lang", "ja", "--strict")


@pytest.mark.parametrize("threshold", [0.0, 0.55, 1.0])
def test_rows_below_the_threshold_get_no_label(cli: Run, world: World, threshold: float) -> None:
    words = ["classify", "predict", world.model, world.japanese, "--lang", "ja"]
    plain = [line.split("\t") for line in cli(*words).lines]
    outcome = cli(*words, "--abstain-below", threshold)
    shown = [line.split("\t") for line in outcome.lines]
    exact = [max(row["probabilities"].values()) for row in cli(*words, "--json").json["rows"]]
    for (label, probability), (kept, same), value in zip(plain, shown, exact, strict=True):
        assert probability == same
        assert kept == (label if value >= threshold else "")
    n_left = sum(kept == "" for kept, _ in shown)
    assert f"{n_left} without a label" in outcome.err
    rows = cli(*words, "--abstain-below", threshold, "--json").json["rows"]
    assert [row["label"] is None for row in rows] == [kept == "" for kept, _ in shown]


def test_evaluate_reports_accuracy_at_coverage(cli: Run, world: World) -> None:
    words = ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}", "--json"]
    (plain,) = cli(*words).json["rows"]
    assert "coverage" not in plain
    found = cli(*words, "--abstain-below", 0).json
    assert found["rows"][0]["coverage"] == found["mean"]["coverage"] == 1.0
    assert math.isclose(found["rows"][0]["accuracy_covered"], plain["accuracy"])
    (none,) = cli(*words, "--abstain-below", 1).json["rows"]
    assert (none["coverage"], none["accuracy_covered"]) == (0.0, None)
    assert none["accuracy"] == plain["accuracy"]


def test_a_threshold_is_a_probability(refuse: Refuse, world: World) -> None:
    sentence = refuse(
        "classify", "predict", world.model, world.japanese, "--lang", "ja", "--abstain-below", 2
    )
    assert "--abstain-below" in sentence
