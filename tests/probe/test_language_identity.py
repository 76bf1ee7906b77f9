"""The language probe on planted languages."""

import numpy as np
import pytest

from isogloss.probe.language_identity import recognised

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


def test_shuffled_labels_are_a_control() -> None:
    vectors = made(3.0)
    shuffled = recognised(vectors, PART, shuffle=np.random.default_rng(0))
    assert 0.1 < shuffled.mean() < 0.45
    again = recognised(vectors, PART, shuffle=np.random.default_rng(0))
    np.testing.assert_array_equal(shuffled, again)


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
