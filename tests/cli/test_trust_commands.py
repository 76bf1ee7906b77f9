"""``classify forecast`` and ``--abstain-below``: what is printed, counted and refused."""

import math
from pathlib import Path

import pytest
from cli_world import JAPANESE, TRAIN, Refuse, Run, World, write_tsv

from isogloss import Encoder, TextClassifier


def test_forecast_prints_a_row_a_language(cli: Run, world: World) -> None:
    words = ["classify", "forecast", world.model, world.japanese, "--lang", "ja"]
    outcome = cli(*words)
    assert outcome.code == 0, outcome.err
    assert "expected" in outcome.out
    assert "an interval alone" in outcome.err
    assert "held-out texts of the training language" in outcome.err
    assert "label 50 texts in ja: 'isogloss classify audit draw' draws them" in outcome.err
    (row,) = cli(*words, "--json").json["rows"]
    assert (row["lang"], row["n"]) == ("ja", len(JAPANESE))
    assert row["expected"] is None
    assert 0 <= row["low"] < row["high"] <= 1


def test_forecast_against_a_target_says_where_labels_are_worth_it(cli: Run, world: World) -> None:
    words = ["classify", "forecast", world.model, world.japanese, "--lang", "ja"]
    (row,) = cli(*words, "--json").json["rows"]
    assert "target" not in row
    assert "target" not in cli(*words).out
    middle = (row["low"] + row["high"]) / 2
    for target, verdict in ((middle, "open"), (0.0, "above"), (1.0, "below")):
        said = cli(*words, "--target", target, "--json").json
        expected = "open" if target == 1.0 <= row["high"] else verdict
        assert (said["target"], said["rows"][0]["target"]) == (target, expected)
    shown = cli(*words, "--target", middle)
    assert "open" in shown.out
    assert "label 50 texts in ja" in shown.err


def test_forecast_needs_a_language_and_can_be_strict(refuse: Refuse, world: World) -> None:
    words = ["classify", "forecast", world.model, world.japanese]
    assert "give --lang CODE" in refuse(*words)
    assert "an interval alone" in refuse(*words, "--lang", "ja", "--strict")


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


def test_evaluate_says_on_which_side_of_a_target_a_language_is(cli: Run, world: World) -> None:
    words = ["classify", "evaluate", world.model, "--test", f"ja={world.japanese}"]
    assert "target" not in cli(*words, "--json").json
    for target in (0, 1, 0.75):
        found = cli(*words, "--target", target, "--json").json
        row = found["rows"][0]
        is_above, is_below = row["accuracy_low"] >= target, row["accuracy_high"] < target
        expected = "above" if is_above else "below" if is_below else "open"
        assert (found["target"], row["target"]) == (target, expected)
        shown = cli(*words, "--target", target).out
        assert f"An accuracy of {target} is shown in {int(is_above)} of 1 language" in shown
        assert expected in shown


@pytest.mark.parametrize("tail", [" ", "\u00a0"])
def test_labels_with_blanks_around_them_are_met_in_a_file(
    cli: Run, refuse: Refuse, world: World, tmp_path: Path, tail: str
) -> None:
    labels, texts = zip(*JAPANESE, strict=True)
    model = TextClassifier(Encoder.load(world.encoder))
    model.fit(list(texts), [label + tail for label in labels], "ja").save(tmp_path / "model")
    words = ["classify", "evaluate", tmp_path / "model", "--test", f"ja={world.japanese}"]
    (row,) = cli(*words, "--json").json["rows"]
    assert row["n_unseen_label"] == 0
    (own,) = model.evaluate(list(texts), [label + tail for label in labels], "ja").rows
    assert row["accuracy"] == own["accuracy"]
    mixed = [*labels, *(label + tail for label in labels)]
    model.fit([*texts, *texts], mixed, "ja").save(tmp_path / "mixed")
    words[2] = tmp_path / "mixed"
    assert "are the same in a file; fit it with labels that differ" in refuse(*words)


def test_a_threshold_is_called_a_guess_without_calibration(
    cli: Run, world: World, tmp_path: Path
) -> None:
    talk = {}
    for name, rows in (("few", TRAIN), ("enough", [*TRAIN, *TRAIN])):
        table = write_tsv(tmp_path / f"{name}.tsv", rows)
        fit = ["classify", "fit", "--train", f"en={table}", "--encoder", world.encoder]
        talk[name] = cli(*fit, "--out", tmp_path / name).talk
    why = "not calibrated: too few texts (12 of 20)"
    assert f"isogloss: probabilities: {why}" in talk["few"]
    found = "isogloss: probabilities: calibrated on training texts, out-of-fold, T = "
    assert any(line.startswith(found) for line in talk["enough"])
    said = f"isogloss: the model is {why}; the threshold of --abstain-below is only a guess"
    for command in (
        ("predict", world.japanese, "--lang", "ja"),
        ("evaluate", "--test", f"ja={world.japanese}"),
    ):
        name, *rest = command
        asked = ["--abstain-below", 0.5, "--strict"]  # nothing is lost, so it is no error
        assert said in cli("classify", name, tmp_path / "few", *rest, *asked).talk
        assert said not in cli("classify", name, tmp_path / "few", *rest).talk
        calibrated = cli("classify", name, tmp_path / "enough", *rest, *asked)
        assert calibrated.code == 0
        assert "only a guess" not in calibrated.err


def test_a_threshold_is_a_probability(refuse: Refuse, world: World) -> None:
    sentence = refuse(
        "classify", "predict", world.model, world.japanese, "--lang", "ja", "--abstain-below", 2
    )
    assert "--abstain-below" in sentence
