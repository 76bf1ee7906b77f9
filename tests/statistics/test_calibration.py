"""Temperature scaling, calibration error and coverage on answers whose truth is known."""

import numpy as np
import pytest
from scipy.special import log_softmax, softmax

from isogloss.classify.trust.trust import Calibration, Trust, calibrated
from isogloss.statistics.calibration import (
    FEWEST_TEXTS,
    N_BINS,
    coverage_at,
    expected_calibration_error,
    fit_temperature,
    reliability,
    tempered,
)


def _drawn(n: int, sharpness: float, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Answers that say p^sharpness where p is the truth, and labels drawn from p."""
    rng = np.random.default_rng(seed)
    logits = 2 * rng.standard_normal((n, 4))
    truth = softmax(logits, axis=1)
    y = np.array([rng.choice(4, p=row) for row in truth])
    return log_softmax(sharpness * logits, axis=1), y


@pytest.mark.parametrize("sharpness", [0.4, 1.0, 3.0])
def test_a_planted_miscalibration_is_recovered(sharpness: float) -> None:
    said, y = _drawn(4000, sharpness)
    temperature = fit_temperature(said, y)
    assert temperature == pytest.approx(sharpness, rel=0.08)
    before, after = (np.exp(p.max(axis=1)) for p in (said, tempered(said, temperature)))
    correct = said.argmax(axis=1) == y
    assert expected_calibration_error(after, correct) < 0.035
    if sharpness != 1.0:
        assert expected_calibration_error(before, correct) > 0.09


def test_a_temperature_keeps_the_order_of_the_classes() -> None:
    said, _ = _drawn(300, 1.0)
    said[0, 2] = -np.inf  # a class that training had no document of
    said = log_softmax(said, axis=1)
    for temperature in (0.05, 0.5, 1.0, 7.0):
        scaled = tempered(said, temperature)
        assert np.exp(scaled).sum(axis=1) == pytest.approx(1.0)
        assert (np.argsort(scaled, axis=1) == np.argsort(said, axis=1)).all()
    assert tempered(said, 1.0) is said
    sure = np.exp(tempered(said, 0.5)).max(axis=1)
    assert (sure >= np.exp(said).max(axis=1) - 1e-12).all()


def test_a_few_documents_that_are_all_right_do_not_make_it_certain() -> None:
    said = log_softmax(np.array([[1.0, 0.0], [0.0, 1.0]] * 10), axis=1)
    y = np.array([0, 1] * 10)
    assert fit_temperature(said, y) < 1.0
    assert np.exp(tempered(said, fit_temperature(said, y))).max() < 0.98


@pytest.mark.parametrize("n", [1, 2, 3, FEWEST_TEXTS - 1])
def test_too_few_documents_fit_no_temperature(n: int) -> None:
    said = log_softmax(np.tile([1.0, 0.0], (FEWEST_TEXTS, 1)), axis=1)
    y = np.zeros(FEWEST_TEXTS, dtype=np.int64)
    assert fit_temperature(said[:n], y[:n]) == 1.0
    assert calibrated(said[:n], y[:n], Calibration.DEVELOPMENT) == Trust(
        fitted_on=Calibration.TOO_FEW_TEXTS, n_texts=n
    )
    assert fit_temperature(said, y) < 1.0  # as all of them agree
    assert calibrated(said, y, Calibration.DEVELOPMENT).is_calibrated


def test_a_gain_within_one_standard_error_is_none() -> None:
    """27 of 31 right where .73 is said: a gain between the errors of ddof 0 and ddof 1."""
    said = log_softmax(np.tile([1.0, 0.0], (31, 1)), axis=1)
    within, beyond = (
        fit_temperature(said, (np.arange(31) < n_wrong).astype(np.int64)) for n_wrong in (4, 3)
    )
    assert within == 1.0
    assert beyond < 0.5


def test_an_answer_that_says_nothing_is_left_as_it_is() -> None:
    y = np.arange(60) % 3
    said = np.log(np.full((60, 3), 1 / 3)) + 0.01 * np.random.default_rng(0).random((60, 3))
    assert fit_temperature(log_softmax(said, axis=1), y) == 1.0


def test_the_error_is_that_of_a_slow_reference() -> None:
    rng = np.random.default_rng(1)
    confidence, correct = rng.random(131), rng.random(131) < 0.6
    order = sorted(range(131), key=lambda row: confidence[row])
    total = 0.0
    for rows in np.array_split(order, N_BINS):
        total += abs(sum(correct[rows]) - sum(confidence[rows]))
    assert expected_calibration_error(confidence, correct) == pytest.approx(total / 131)
    bins = reliability(confidence, correct)
    assert len(bins) == N_BINS
    assert sum(entry.n for entry in bins) == 131
    assert [entry.n for entry in reliability(confidence, correct, n_bins=3)] == [44, 44, 43]
    assert [entry.confidence for entry in bins] == sorted(entry.confidence for entry in bins)


def test_few_or_no_documents() -> None:
    assert len(reliability(np.array([0.5, 0.7]), np.array([True, False]))) == 2
    empty = np.array([])
    assert reliability(empty, empty.astype(bool)) == []
    assert np.isnan(expected_calibration_error(empty, empty.astype(bool)))


def test_coverage_counts_what_is_left() -> None:
    confidence, correct = np.array([0.9, 0.8, 0.5, 0.4]), np.array([True, True, True, False])
    assert coverage_at(confidence, correct, 0.0).coverage == 1.0
    half = coverage_at(confidence, correct, 0.8)
    assert (half.coverage, half.accuracy) == (0.5, 1.0)
    none = coverage_at(confidence, correct, 0.95)
    assert (none.coverage, none.accuracy) == (0.0, None)


def test_the_order_of_documents_makes_no_difference() -> None:
    """Documents of one confidence were cut as they came: .32 with the right ones first."""
    confidence, correct = np.full(300, 0.8), np.arange(300) < 240
    assert expected_calibration_error(confidence, correct) == pytest.approx(0, abs=1e-12)
    assert [entry.n for entry in reliability(confidence, correct)] == [300]
    generator = np.random.default_rng(0)
    confidence = generator.choice(
        [0.5, 0.52, 0.6, 0.7, 0.9, 1.0], 200, p=[0.4, 0.1, 0.1, 0.1, 0.2, 0.1]
    )
    correct = generator.random(200) < confidence
    found = expected_calibration_error(confidence, correct)
    for _ in range(5):
        order = generator.permutation(200)
        assert expected_calibration_error(confidence[order], correct[order]) == pytest.approx(found)
