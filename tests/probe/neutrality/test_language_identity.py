"""The language probe on planted languages."""

import numpy as np
import pytest

from isogloss.probe.neutrality.language_identity import (
    exchanged,
    interval_of_all_languages,
    interval_of_another,
    recognised,
)
from isogloss.statistics.intervals import Interval

N_LANGS, N = 4, 120


def made(offset: float, width: int = 16, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    own = offset * rng.normal(size=(N_LANGS, 1, width))
    sense = rng.normal(size=(N, width))
    return (sense + rng.normal(size=(N_LANGS, N, width)) + own).astype(np.float32)


PART = np.arange(N) % 2 == 1


@pytest.mark.parametrize(("offset", "low", "high"), [(3.0, 0.98, 1.0), (0.0, 0.15, 0.35)])
def test_languages_apart_are_told_and_languages_alike_are_not(
    offset: float, low: float, high: float
) -> None:
    hits = recognised(made(offset), PART)
    assert hits.shape == (N_LANGS, N)
    assert low <= hits.mean() <= high


def test_exchanged_languages_keep_sentences_and_lose_shifts_and_scales() -> None:
    vectors = made(3.0)
    vectors[2] = 4 * vectors[2] + 7
    found = exchanged(vectors, np.random.default_rng(0))
    deviations = vectors - vectors.mean(1, keepdims=True)
    for sentence in (0, 5, N - 1):  # the same translations, in another order
        given = {tuple(vector) for vector in np.round(deviations[:, sentence], 3)}
        assert {tuple(vector) for vector in np.round(found[:, sentence], 3)} == given
    is_there = (np.abs(found - deviations).max(2) < 1e-5).mean()
    assert 0.15 < is_there < 0.35  # one in four stays where it was
    assert np.ptp(deviations.std((1, 2))) > 4
    assert np.ptp(found.std((1, 2))) < 0.5
    again = exchanged(vectors, np.random.default_rng(0))
    np.testing.assert_array_equal(found, again)


def test_the_interval_of_another_holds_one_more_of_its_kind() -> None:
    rng = np.random.default_rng(0)
    shares = 0.3 + 0.02 * rng.normal(size=(2000, 7))
    found = [interval_of_another(some[:6]) for some in shares]
    is_in = [one.low < another < one.high for one, another in zip(found, shares[:, 6], strict=True)]
    assert np.mean(is_in) == pytest.approx(0.95, abs=0.015)
    near_1 = interval_of_another(np.array([0.9, 1.0, 1.0]))
    assert 0.5 < near_1.low < near_1.value < near_1.high == 1.0


@pytest.mark.parametrize("common", [0.0, 0.7], ids=["independent", "alike in an exchange"])
@pytest.mark.parametrize("n_langs", [2, 28])
def test_in_19_of_20_exchanges_no_language_is_outside(n_langs: int, common: float) -> None:
    rng = np.random.default_rng(1)
    noise = np.sqrt(1 - common**2) * rng.normal(size=(1000, 11, n_langs))
    shares = 0.3 + 0.02 * (noise + common * rng.normal(size=(1000, 11, 1)))
    found = [interval_of_all_languages(some[:10]) for some in shares]
    are_in = [
        one.low < another.min() and another.max() < one.high
        for one, another in zip(found, shares[:, 10], strict=True)
    ]
    assert np.mean(are_in) > 0.93
    assert np.mean(are_in) < 0.97 or common  # of values that are alike fewer lie outside
    assert interval_of_all_languages(np.ones((10, n_langs))) == Interval(1.0, 1.0, 1.0)


def test_each_part_is_tested_by_the_probe_of_the_other() -> None:
    """Offsets that the second part has and the first lacks help no sentence."""
    vectors = made(0.0)
    vectors[:, PART] += 5 * np.random.default_rng(3).normal(size=(N_LANGS, 1, 16))
    assert recognised(vectors, PART).mean() < 0.5  # within a part alone it would be 1


def test_a_sentence_that_is_equal_in_all_languages_is_never_learned() -> None:
    """Translations of a test sentence in training would give its language away by their absence."""
    rng = np.random.default_rng(0)
    vectors = np.repeat(rng.normal(size=(1, N, 16)), N_LANGS, axis=0).astype(np.float32)
    assert recognised(vectors, PART).mean() == 1 / N_LANGS  # one answer for all translations
