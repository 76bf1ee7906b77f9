"""Sums of streamed vectors against the pairwise definition; known geometries end to end."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.probe import GeometryOptions, measure_vectors
from isogloss.probe.geometry import vector_file
from isogloss.probe.geometry.occurrences import Choice, Sentence, choose
from isogloss.probe.geometry.result import GeometryResult, Measured
from isogloss.probe.geometry.sums import VectorSums
from isogloss.probe.geometry.vector_file import LayerVectors


def vectors_of(sentences: list[list[str]], layers: list[np.ndarray]) -> LayerVectors:
    starts = np.concatenate([[0], np.cumsum([len(words) for words in sentences])])
    words = [word for sentence in sentences for word in sentence]
    return LayerVectors([layer.astype(np.float32) for layer in layers], words, starts)


def measured(sentences: list[list[str]], layers: list[np.ndarray]) -> Measured:
    options = GeometryOptions(min_contexts=2)
    given = vectors_of(sentences, layers)
    return measure_vectors(given, name="planted", lang="en", options=options)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.lists(st.sampled_from("abcde"), min_size=1, max_size=6), min_size=6, max_size=20),
    st.integers(1, 12), st.integers(0, 9), st.floats(0, 30),
)  # fmt: skip
def test_streamed_in_any_parts_it_is_the_pairwise_definition(
    drawn: list[list[str]], n_at_once: int, seed: int, common: float
) -> None:
    sentences = [[*words, "all", f"own{at}"] for at, words in enumerate(drawn)]  # all different
    rng = np.random.default_rng(seed)
    n_rows = sum(map(len, sentences))
    layers = [rng.normal(size=(n_rows, 7)) * scale + common for scale in (1.0, 50.0)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(vector_file, "N_ROWS_AT_ONCE", n_at_once)
        found = measured(sentences, layers).words
    names = np.array([word for sentence in sentences for word in sentence])
    for layer, vectors in enumerate(layers):
        doubles = vectors.astype(np.float32).astype(np.float64)
        for at, name in enumerate(found.words):
            own = doubles[names == name]
            assert found.counts[at] == len(own)
            cosines = [a @ b / np.sqrt((a @ a) * (b @ b)) for a, b in combinations(own, 2)]
            assert found.self_similarity[layer, at] == pytest.approx(np.mean(cosines), abs=1e-6)


@pytest.mark.parametrize("strength", [0.0, 1.0, 3.0])
def test_a_common_direction_end_to_end(strength: float) -> None:
    """Words without meaning around a common direction s have the cosine s² / (s² + 1), adjusted 0.

    With s = 0 that is an isotropic Gaussian.
    """
    rng = np.random.default_rng(2)
    width, n_sentences = 40, 300
    sentences = [[f"w{number}" for number in rng.integers(20, size=6)] for _ in range(n_sentences)]
    vectors = rng.normal(size=(6 * n_sentences, width)) / np.sqrt(width)
    vectors[:, 3] += strength
    found = measured(sentences, [vectors])
    (layer,) = found.layers
    expected = strength**2 / (strength**2 + 1)
    assert layer.baseline.value == pytest.approx(expected, abs=0.02)
    assert layer.self_similarity.raw.value == pytest.approx(expected, abs=0.02)
    assert layer.self_similarity.adjusted.value == pytest.approx(0, abs=0.01)
    assert layer.mev.adjusted.value == pytest.approx(0, abs=0.02)
    assert layer.mev_centred.adjusted.value == pytest.approx(0, abs=0.02)
    assert layer.isotropy.isoscore.value > 0.95  # does not see what is common
    (row,) = GeometryResult([found], options=GeometryOptions()).isotropy.rows
    if layer.baseline.interval.low > 0:
        assert row["rogue_dimensions"][0] == 3
        assert row["shares_of_cosine_low"][0] < 1 < row["shares_of_cosine_high"][0]
    else:  # of next to nothing there are no shares
        assert (row["rogue_dimensions"], row["shares_of_cosine"]) == ([], [])
    assert (strength > 0) == bool(row["rogue_dimensions"])


def test_a_word_that_never_changes_end_to_end() -> None:
    rng = np.random.default_rng(0)
    sentences = [["same", f"w{at % 5}"] for at in range(40)]
    sentences = [[*words, f"own{at}"] for at, words in enumerate(sentences)]
    vectors = rng.normal(size=(120, 9))
    vectors[::3] = vectors[0]
    found = measured(sentences, [vectors]).words
    at = found.words.index("same")
    assert found.self_similarity[0, at] == pytest.approx(1)
    assert found.mev[0, at] == pytest.approx(1)
    assert np.isnan(found.mev_centred[0, at])


def kept_bytes(choice: Choice) -> int:
    with VectorSums(choice, n_layers=3, width=16) as sums:
        return (
            sum(value.nbytes for value in vars(sums).values() if isinstance(value, np.ndarray))
            + 4 * 3 * 16 * len(choice.words) * choice.n_most_drawn
        )


def test_what_is_kept_does_not_grow_with_the_text() -> None:
    def choice_of(n_sentences: int) -> Choice:
        names = [[f"w{at % 9}", f"x{at % 7}", "y", f"own{at}"] for at in range(n_sentences)]
        sentences = [Sentence(" ".join(words), words) for words in names]
        return choose(sentences, min_contexts=2, max_words=10, max_contexts=4, n_random=20, seed=0)

    few, many = choice_of(100), choice_of(3000)
    assert many.counts.n_sentences == 30 * few.counts.n_sentences
    assert kept_bytes(many) == kept_bytes(few)
