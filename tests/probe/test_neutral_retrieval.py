"""Retrieval, CSLS and hubness against slow versions, and planted hubs."""

import numpy as np
import pytest
from scipy.stats import skew

from isogloss.retrieve.neighbours import Pair, search_pairs, skewness

K = 3


def made(n_langs: int = 3, n: int = 30, width: int = 6, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n, width)) + rng.normal(size=(n_langs, n, width))).astype(np.float32)


def cosines(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    return np.array(
        [[a @ b / np.linalg.norm(a) / np.linalg.norm(b) for b in second] for a in first]
    )


def slow(scores: np.ndarray) -> tuple[list[bool], list[int]]:
    hits = [max(range(len(row)), key=row.__getitem__) == at for at, row in enumerate(scores)]
    counts = [0] * scores.shape[1]
    for row in scores:
        for at in sorted(range(len(row)), key=lambda column: -row[column])[:K]:
            counts[at] += 1
    return hits, counts


def test_against_loops() -> None:
    vectors = made()
    pairs = [Pair(0, 1), Pair(0, 2), Pair(1, 2)]
    found = search_pairs(vectors, pairs, n_neighbours=K)
    for at, pair in enumerate(pairs):
        scores = cosines(vectors[pair.first], vectors[pair.second])
        of_rows = np.sort(scores, axis=1)[:, -K:].mean(1)
        of_columns = np.sort(scores, axis=0)[-K:].mean(0)
        csls = np.array(
            [[2 * scores[i, j] - of_rows[i] - of_columns[j] for j in range(30)] for i in range(30)]
        )
        for name, table in (("cosine", scores), ("CSLS", csls)):
            for way, some in enumerate((table, table.T)):
                hits, counts = slow(some)
                assert found[name].hits[at, way].tolist() == hits
                assert found[name].occurrences[at, way].tolist() == counts
                assert 0 < sum(hits) < 30


def test_distances_against_loops_also_far_from_the_origin() -> None:
    """What all vectors share would leave no digit for distances in float32."""
    vectors = made() + 1000 * np.linspace(-1, 1, 6, dtype=np.float32)
    found = search_pairs(vectors, [Pair(0, 1)], n_neighbours=K, scores=["L2"])
    first, second = vectors[:2].astype(np.float64)
    table = np.array([[-np.linalg.norm(a - b) for b in second] for a in first])
    assert list(found) == ["L2"]
    for way, some in enumerate((table, table.T)):
        hits, counts = slow(some)
        assert found["L2"].hits[0, way].tolist() == hits
        assert found["L2"].occurrences[0, way].tolist() == counts
        assert 0 < sum(hits) < 30


def test_hubs_are_counted_where_they_are_asked_for() -> None:
    scores = ("cosine", "CSLS", "L2")
    counted, not_counted = (
        search_pairs(made(), [Pair(0, 1)], n_neighbours=K, scores=scores, counts_hubs=counts)
        for counts in (True, False)
    )
    for score in scores:
        np.testing.assert_array_equal(counted[score].hits, not_counted[score].hits)
        assert counted[score].occurrences.sum() == 2 * 30 * K
        assert not not_counted[score].occurrences.any()


def test_lengths_change_nothing() -> None:
    vectors = made()
    lengths = np.random.default_rng(1).uniform(0.1, 9, size=(3, 30, 1)).astype(np.float32)
    one = search_pairs(vectors, [Pair(0, 1)], n_neighbours=K)
    other = search_pairs(vectors * lengths, [Pair(0, 1)], n_neighbours=K)
    for name in one:
        np.testing.assert_array_equal(one[name].hits, other[name].hits)


def test_a_planted_hub_is_seen_and_csls_takes_it_away() -> None:
    rng = np.random.default_rng(0)
    sense = rng.normal(size=(60, 40))
    vectors = np.stack([sense + 1.2 * rng.normal(size=sense.shape) for _ in range(2)]) + 1.0
    vectors[1, 0] = 1.0  # the common part alone: near to everything
    found = search_pairs(vectors.astype(np.float32), [Pair(0, 1)], n_neighbours=K)
    forwards = {name: some.occurrences[0, 0] for name, some in found.items()}
    assert forwards["cosine"][0] > 30
    assert forwards["CSLS"][0] < 15
    every = np.ones((1, 60))
    cosine, csls = (skewness(forwards[name][None], every)[0, 0] for name in ("cosine", "CSLS"))
    assert cosine > 4
    assert csls < cosine / 2
    assert found["CSLS"].hits.mean() > found["cosine"].hits.mean()


def test_skewness_is_scipy_s_and_draws_are_resamples() -> None:
    rng = np.random.default_rng(0)
    counts = rng.poisson(2, size=(4, 50))
    assert skewness(counts, np.ones((1, 50)))[0] == pytest.approx(skew(counts, axis=1))
    times = rng.multinomial(50, np.full(50, 1 / 50), size=3).astype(float)
    for draw, found in zip(times, skewness(counts, times), strict=True):
        again = np.repeat(counts, draw.astype(int), axis=1)
        assert found == pytest.approx(skew(again, axis=1))
    assert np.isnan(skewness(np.full((1, 50), 3), np.ones((1, 50)))).all()
