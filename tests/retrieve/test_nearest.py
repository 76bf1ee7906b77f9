"""Exact search is a full sort, whatever the blocks; approximate search says what it misses."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.retrieve import approximate, search
from isogloss.retrieve.approximate import ApproximateIndex
from isogloss.retrieve.search import NOTHING, SomeVectors, nearest, nearest_both


def unit_vectors(n: int, *, width: int = 16, seed: int = 0, around: int = 0) -> np.ndarray:
    """Return random unit vectors; around so many centres where that is not 0."""
    generator = np.random.default_rng(seed)
    made = generator.normal(size=(n, width))
    if around:
        centres = 3 * np.random.default_rng(9).normal(size=(around, width))
        made += centres[generator.integers(0, around, n)]
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def sorted_rows(cosines: np.ndarray, k: int) -> np.ndarray:
    return np.argsort(-cosines, axis=1, kind="stable")[:, :k]


@pytest.fixture(params=[(1 << 24, 1 << 13), (35, 7), (9, 1), (64, 64)])
def _blocks(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    scores, queries = request.param
    monkeypatch.setattr(search, "N_SCORES_AT_ONCE", scores)
    monkeypatch.setattr(search, "N_QUERIES_AT_ONCE", queries)


@pytest.mark.usefixtures("_blocks")
def test_in_any_blocks_it_is_a_full_sort() -> None:
    generator = np.random.default_rng(0)
    one, other = (generator.integers(-2, 3, (n, 6)).astype(np.float32) / 2 for n in (50, 23))
    cosines = one @ other.T  # exact, and full of equals, of which the first row is taken
    found = nearest_both(one, other, k=5)
    assert np.array_equal(found.of_sources.rows, sorted_rows(cosines, 5))
    assert np.array_equal(found.of_targets.rows, sorted_rows(cosines.T, 5))
    assert np.array_equal(nearest(one, other, k=5).rows, found.of_sources.rows)
    np.testing.assert_allclose(
        found.of_targets.cosines,
        np.take_along_axis(cosines.T, found.of_targets.rows, axis=1),
        rtol=1e-5,
    )
    assert nearest(one, other[:3], k=5).rows.shape == (50, 3)


@pytest.mark.usefixtures("_blocks")
def test_some_rows_alone_are_searched() -> None:
    one, other = unit_vectors(11), unit_vectors(40, seed=1)
    rows = np.array([2, 3, 17, 30, 39])
    some = SomeVectors(other, rows)
    found = nearest(one, some, k=2)
    assert np.array_equal(some.rows_of(found.rows), rows[sorted_rows(one @ other[rows].T, 2)])
    assert some.rows_of(np.array([[NOTHING, 1]])).tolist() == [[NOTHING, 3]]
    assert nearest(one, SomeVectors(other, rows[:0])).rows.shape == (11, 0)


@pytest.mark.usefixtures("_blocks")
def test_a_vector_is_no_neighbour_of_itself() -> None:
    one = unit_vectors(20)
    cosines = one @ one.T
    np.fill_diagonal(cosines, -np.inf)
    found = nearest_both(one, one, k=3, without_self=True)
    assert np.array_equal(found.of_sources.rows, sorted_rows(cosines, 3))
    assert np.array_equal(found.of_targets.rows, found.of_sources.rows)
    alone = nearest_both(one[:1], one[:1], without_self=True)
    assert alone.of_sources.rows.tolist() == [[NOTHING]]


def test_memory_is_that_of_a_block(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "N_SCORES_AT_ONCE", 1 << 14)
    monkeypatch.setattr(search, "N_QUERIES_AT_ONCE", 1 << 7)
    one, other = unit_vectors(3000, width=8), unit_vectors(3000, width=8, seed=1)
    nearest_both(one[:9], other[:9], k=4)  # compiled
    tracemalloc.start()
    nearest_both(one, other, k=4)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    n_found = 2 * 3000 * 4 * 12
    assert peak < n_found + 4 * (1 << 14) * 3  # all cosines would be 36 MB


def test_faiss_finds_what_it_says(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    vectors = unit_vectors(2000, around=25)
    made = ApproximateIndex.build(vectors)
    assert made.recall >= approximate.WANTED_RECALL
    queries = unit_vectors(50, seed=4, around=25)
    exact, found = nearest(queries, vectors, k=10), made.nearest(queries, vectors, k=10)
    assert (exact.rows[:, :, None] == found.rows[:, None]).any(2).mean() > 0.9
    shared = exact.rows[:, 0] == found.rows[:, 0]
    assert shared.mean() > 0.9
    np.testing.assert_allclose(found.cosines[shared, 0], exact.cosines[shared, 0], rtol=1e-5)
    made.write(tmp_path / "lists")
    read = ApproximateIndex.read(tmp_path / "lists", (2000, 16), n_probe=made.n_probe, recall=1.0)
    assert np.array_equal(read.nearest(queries, vectors, k=10).rows, found.rows)


def test_a_file_of_other_lists_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("faiss")
    made = ApproximateIndex.build(unit_vectors(90))
    made.write(tmp_path / "lists")
    for shape in ((91, 16), (90, 8)):
        with pytest.raises(InputError, match="of other vectors"):
            ApproximateIndex.read(tmp_path / "lists", shape, n_probe=1, recall=1.0)
    (tmp_path / "none").write_bytes(b"nothing of FAISS")
    with pytest.raises(InputError, match="not a file of FAISS"):
        ApproximateIndex.read(tmp_path / "none", (90, 16), n_probe=1, recall=1.0)
