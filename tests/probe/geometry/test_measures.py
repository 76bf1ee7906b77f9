"""The measures against slow, obvious versions, packages and known answers."""

from dataclasses import astuple
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from IsoScore.IsoScore import IsoScore
from sklearn.decomposition import PCA, TruncatedSVD

from isogloss.probe.geometry.isotropy import (
    baseline_of,
    inverse_ratios,
    isoscore,
    isotropy,
    log_partition,
    participation_ratio,
    rogue_dimensions,
    transform_effects,
)
from isogloss.probe.geometry.measures import (
    explained_variance,
    gram,
    mean_cosine,
    released_share,
    self_similarity,
)
from isogloss.statistics.jackknife import jackknife_interval

VECTORS = arrays(
    np.float64, st.tuples(st.integers(2, 12), st.integers(1, 9)),
    elements=st.floats(-9, 9).filter(lambda value: abs(value) > 1e-3),
)  # fmt: skip


def units(vectors: np.ndarray) -> np.ndarray:
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def pairwise(vectors: np.ndarray, groups: np.ndarray | None = None) -> float:
    """Return the mean cosine over pairs, of different groups if there are some: the definition."""
    return float(
        np.mean(
            [
                np.dot(vectors[i], vectors[j])
                / (np.linalg.norm(vectors[i]) * np.linalg.norm(vectors[j]))
                for i, j in combinations(range(len(vectors)), 2)
                if groups is None or groups[i] != groups[j]
            ]
        )
    )


@given(VECTORS)
def test_streamed_self_similarity_is_the_pairwise_definition(vectors: np.ndarray) -> None:
    sums = units(vectors).sum(0)[None]
    assert self_similarity(sums, np.array([len(vectors)]))[0] == pytest.approx(
        pairwise(vectors), abs=1e-6
    )


def test_self_similarity_of_one_occurrence_is_not_known() -> None:
    assert np.isnan(self_similarity(np.ones((2, 1, 3)), np.array([1]))).all()


@given(VECTORS, st.randoms(use_true_random=False))
def test_baseline_is_over_pairs_of_different_sentences(vectors: np.ndarray, random) -> None:
    groups = np.array([0, 1, *(random.randrange(4) for _ in vectors[2:])])
    assert baseline_of(vectors, groups) == pytest.approx(pairwise(vectors, groups), abs=1e-6)


def test_a_sentence_drawn_twice_is_no_pair_with_itself() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.normal(size=(6, 5))
    groups = np.array([0, 0, 1, 2, 2, 2])
    times = np.array([2, 1, 3])
    sums = np.array([units(vectors)[groups == group].sum(0) for group in range(3)])
    found = mean_cosine(sums, np.array([2.0, 1.0, 3.0]), times[None].astype(float))
    again = np.repeat(np.arange(6), times[groups])
    assert found[0] == pytest.approx(pairwise(vectors[again], groups[again]))
    alone = mean_cosine(sums, np.array([2.0, 1.0, 3.0]), np.array([[3.0, 0.0, 0.0]]))
    assert np.isnan(alone[0])


def test_one_vector_again_and_again_is_explained_by_one() -> None:
    same = np.tile(np.random.default_rng(0).normal(size=20).astype(np.float32), (7, 1))
    found = explained_variance(gram(same))
    assert found.uncentred == pytest.approx(1)
    assert np.isnan(found.centred)  # there is no variance to explain
    assert np.isnan(found.released)
    assert np.isnan(released_share(same))


@pytest.mark.parametrize("n", [2, 5, 16])
def test_orthonormal_vectors_are_explained_by_one_nth(n: int) -> None:
    turned = np.linalg.qr(np.random.default_rng(n).normal(size=(16, 16)))[0][:n]
    found = explained_variance(gram(turned))
    assert found.uncentred == pytest.approx(1 / n)
    assert found.centred == pytest.approx(1 / (n - 1))


@given(arrays(np.float64, (9, 5), elements=st.floats(-9, 9), unique=True))
@settings(max_examples=30)
def test_explained_variance_is_that_of_svd_and_of_pca(vectors: np.ndarray) -> None:
    squares = np.linalg.svd(vectors, compute_uv=False) ** 2
    found = explained_variance(gram(vectors))
    assert found.uncentred == pytest.approx(squares[0] / squares.sum())
    ratio = PCA(n_components=1).fit(vectors).explained_variance_ratio_[0]
    assert found.centred == pytest.approx(ratio, abs=1e-6)


@pytest.mark.parametrize("common", [0.5, 2.0, 9.0])
@pytest.mark.parametrize("n", [6, 80])
def test_the_released_share_is_that_of_the_authors_code(n: int, common: float) -> None:
    vectors = np.random.default_rng(3).normal(size=(n, 20)) + common
    svd = TruncatedSVD(n_components=3, algorithm="arpack", random_state=0).fit(vectors)
    found = explained_variance(gram(vectors))
    assert found.released == pytest.approx(svd.explained_variance_ratio_[0])
    assert released_share(vectors) == pytest.approx(found.released)
    if common > 2:  # one direction explains nearly all, and the released share is below its bound
        assert found.uncentred > 0.95
        assert found.released < 1 / (n - 1) < found.centred or n == 80


@pytest.mark.parametrize("seed", range(5))
def test_isoscore_is_the_package_s_and_the_participation_ratio_s(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, width = int(rng.integers(40, 90)), int(rng.integers(2, 30))
    vectors = rng.normal(size=(n, width)) * rng.gamma(1, size=width) + rng.normal(size=width)
    values = np.linalg.eigvalsh(np.cov(vectors.T))
    ratio = values.sum() ** 2 / (values**2).sum()
    plain = 1 / float(inverse_ratios(vectors, np.ones((n, 1)))[0])
    assert plain == pytest.approx(ratio)
    found = isoscore(plain, width)
    assert found == pytest.approx((ratio - 1) / (width - 1))
    assert found == pytest.approx(float(IsoScore(vectors)), abs=1e-5)


@pytest.mark.parametrize("words", [1, 3], ids=["of many sentences", "of few"])
@pytest.mark.parametrize("n_sentences", [30, 60])
def test_the_participation_ratio_does_not_depend_on_how_many_vectors_there_are(
    n_sentences: int, words: int
) -> None:
    """Vectors of a sentence are alike; the plain ratio of these falls far short."""
    rng = np.random.default_rng(n_sentences)
    scales = np.sqrt(np.linspace(0.1, 2, 20))
    ratio = (scales**2).sum() ** 2 / (scales**4).sum()  # 15
    sentences = np.repeat(np.arange(n_sentences), words)
    found, plain = [], []
    for _ in range(600):
        vectors = rng.normal(size=(n_sentences, 20))[sentences] * scales
        vectors += 0.5 * rng.normal(size=vectors.shape) * scales
        found.append(participation_ratio(vectors, rng.permutation(n_sentences)[sentences] % 20))
        plain.append(1 / inverse_ratios(vectors, np.ones((len(vectors), 1)))[0])
    assert np.median([one.value for one in found]) == pytest.approx(ratio, rel=0.05)
    assert np.mean([one.low <= ratio <= one.high for one in found]) >= 0.92
    assert np.mean(plain) < 0.85 * ratio
    assert all(1 <= one.low <= one.value <= one.high <= 20 for one in found)


def test_the_ratio_of_some_vectors_is_that_of_these_alone() -> None:
    vectors = np.random.default_rng(2).normal(size=(30, 6)) + 4
    is_in = np.arange(30) % 3 > 0
    some = inverse_ratios(vectors, np.column_stack([is_in, ~is_in]).astype(float))
    alone = [inverse_ratios(vectors[which], np.ones((which.sum(), 1)))[0] for which in
             (is_in, ~is_in)]  # fmt: skip
    assert some == pytest.approx(alone)
    assert np.isnan(participation_ratio(np.ones((8, 3)), np.arange(8)).value)


@pytest.mark.parametrize(
    ("groups", "is_known"),
    [([0, 1], False), ([0, 1, 2], False), ([0, 0, 1, 1, 1], False), ([0, 0, 0, 0], False),
     ([0, 1, 2, 3], True), ([0, 0, 0, 1, 1, 1], True)],
)  # fmt: skip
def test_three_vectors_must_be_left_without_any_group(groups: list[int], is_known: bool) -> None:
    vectors = np.random.default_rng(3).normal(size=(len(groups), 6))
    found = isotropy(vectors, np.arange(len(groups)), np.array(groups))
    for interval in (found.participation_ratio, found.isoscore):
        assert np.isfinite(astuple(interval)).tolist() == [is_known] * 3
    assert np.isfinite(found.log10_partition)
    assert all(np.isfinite(one.share.value) for one in found.rogues)


def test_shares_of_dimensions_are_over_pairs_of_different_sentences() -> None:
    vectors = units(np.random.default_rng(4).normal(size=(12, 3)) + np.array([3, 1, 0]))
    sentences, groups = np.repeat(np.arange(6), 2), np.repeat(np.arange(6), 2) % 3

    def shares(of: np.ndarray) -> np.ndarray:
        pairs = [vectors[i] * vectors[j] for i, j in combinations(of, 2)
                 if sentences[i] != sentences[j]]  # fmt: skip
        return np.mean(pairs, 0) / np.sum(np.mean(pairs, 0))

    found = rogue_dimensions(vectors, sentences, groups)
    assert sum(one.share.value for one in found) == pytest.approx(1)
    left_out = [shares(np.flatnonzero(groups != group)) for group in range(3)]
    for one in found:
        at = one.dimension
        assert one.share.value == pytest.approx(shares(np.arange(12))[at])
        expected = jackknife_interval(one.share.value, np.array([some[at] for some in left_out]))
        assert (one.share.low, one.share.high) == pytest.approx((expected.low, expected.high))


def test_an_isotropic_gaussian_is_isotropic() -> None:
    vectors = np.random.default_rng(0).normal(size=(3000, 12))
    found = isotropy(vectors, np.arange(len(vectors)), np.arange(len(vectors)) % 20)
    assert found.isoscore.value == pytest.approx(1, abs=0.01)
    assert found.log10_partition == pytest.approx(0, abs=0.06)
    sums = units(vectors).sum(0)[None]
    assert self_similarity(sums, np.array([len(vectors)]))[0] == pytest.approx(0, abs=1e-3)
    assert baseline_of(vectors, np.arange(len(vectors))) == pytest.approx(0, abs=1e-3)


@pytest.mark.parametrize("strength", [0.5, 1.0, 3.0])
def test_a_common_direction_gives_its_baseline(strength: float) -> None:
    """For x = s e + g with |e| = 1 and |g| near 1, pairs have the cosine s² / (s² + 1)."""
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(1500, 800)) / np.sqrt(800)
    vectors[:, 17] += strength
    expected = strength**2 / (strength**2 + 1)
    groups = np.arange(len(vectors))
    assert baseline_of(vectors, groups) == pytest.approx(expected, abs=0.01)
    first, *others = isotropy(vectors, groups, groups % 20).rogues
    assert first.dimension == 17
    assert first.share.low < 1 < first.share.high
    assert first.share.value == pytest.approx(1, abs=0.02)
    assert all(one.share.low < 0.01 for one in others)
    effects = {
        one.transform: one
        for one in transform_effects(vectors, groups, groups % 20, groups // 20 % 2 == 0)
    }
    assert effects["none"].baseline == pytest.approx(expected, abs=0.01)
    for kind in ("centring", "z-score", "whitening", "all-but-the-top"):
        assert effects[kind].baseline == pytest.approx(0, abs=0.01)


def test_transforms_are_measured_on_other_vectors_than_they_are_fitted_on() -> None:
    rng = np.random.default_rng(1)
    vectors = rng.normal(size=(40, 3))
    vectors[20:] += 5  # a mean that the fitted half does not have
    sentences, groups = np.arange(40), np.arange(40) % 5
    effects = transform_effects(vectors, sentences, groups, sentences < 20)
    centred = next(one for one in effects if one.transform == "centring")
    assert centred.baseline > 0.8
    assert transform_effects(vectors, sentences, groups, sentences < 1) == []
    few = transform_effects(vectors, sentences, groups, sentences < 2)
    assert [one.transform for one in few] == ["none", "centring", "z-score", "all-but-the-top"]


def test_partition_function_is_its_definition() -> None:
    vectors = np.random.default_rng(5).normal(size=(30, 4)) + 0.3
    directions = np.linalg.eigh(vectors.T @ vectors)[1].T
    values = [
        sum(np.exp(sign * direction @ vector) for vector in vectors)
        for direction in directions for sign in (1, -1)
    ]  # fmt: skip
    assert log_partition(vectors) == pytest.approx(np.log(min(values) / max(values)))
    assert np.isfinite(log_partition(vectors * 1e4))  # no overflow
