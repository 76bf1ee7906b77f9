"""Mining finds planted translations among noise, each sentence once, and margins beat cosines."""

from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.mine.pairs import mine_pairs
from isogloss.retrieve.approximate import nearest_both_by_faiss
from isogloss.retrieve.benchmarks import best_f1
from isogloss.retrieve.margins import MARGINS
from isogloss.retrieve.search import NOTHING, BothNeighbours, nearest_both


def unit_vectors(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def planted(n: int, n_pairs: int, *, crowded: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Return vectors of two languages whose first `n_pairs` are translations."""
    generator = np.random.default_rng(0)
    one, other = generator.normal(size=(2, n, 32))
    other[:n_pairs] = one[:n_pairs] + 0.6 * generator.normal(size=(n_pairs, 32))
    if crowded:  # every other sentence lies where all are near to each other
        one[1::2] += 1.0
        other[1::2] += 1.0
    return unit_vectors(one), unit_vectors(other)


@pytest.mark.parametrize("margin", MARGINS)
def test_planted_translations_are_found_once_each(margin: str) -> None:
    found = mine_pairs(*planted(80, 20), margin=margin)
    assert len(set(found.sources)) == len(found.sources)
    assert len(set(found.targets)) == len(found.targets)
    assert (np.diff(found.scores) <= 0).all()
    best = list(zip(found.sources[:20], found.targets[:20], strict=True))
    assert sum(source == target < 20 for source, target in best) >= 18
    threshold = float(found.scores[9])
    assert len(found.above(threshold).scores) >= 10
    assert found.above(threshold).scores.min() >= threshold


def test_a_margin_does_better_where_some_sentences_are_near_to_all() -> None:
    one, other = planted(200, 40, crowded=True)
    f1 = {}
    for margin in MARGINS:
        found = mine_pairs(one, other, margin=margin)
        is_right = (found.sources == found.targets) & (found.sources < 40)
        f1[margin] = best_f1(found.scores, is_right, n_gold=40)["f1"]
    assert f1["distance"] > f1["cosine"]


def test_a_sentence_for_which_nothing_is_found_is_in_no_pair() -> None:
    def finds_nothing_of_the_last(one: Any, other: Any, *, k: int) -> BothNeighbours:
        found = nearest_both(one, other, k=k)
        for side in found:
            side.rows[-1], side.cosines[-1] = NOTHING, -np.inf
        return found

    found = mine_pairs(*planted(40, 40), search=finds_nothing_of_the_last, n_neighbours=1)
    assert np.isfinite(found.scores).all()
    assert min(found.sources.min(), found.targets.min()) >= 0
    assert len(found.scores) >= 35


def test_the_ratio_is_its_equation() -> None:
    one, other = planted(6, 3)
    cosines = one @ other.T
    found = mine_pairs(one, other, margin="ratio", n_neighbours=2)
    mean = (np.sort(cosines, axis=1)[:, -2:].mean(1)[:, None]
            + np.sort(cosines, axis=0)[-2:].mean(0)[None]) / 2  # fmt: skip
    expected = (cosines / mean)[found.sources, found.targets]
    np.testing.assert_allclose(found.scores, expected, rtol=1e-6)


def test_mining_by_faiss_finds_nearly_the_same() -> None:
    pytest.importorskip("faiss")
    one, other = planted(400, 200)
    exact, found = mine_pairs(one, other), mine_pairs(one, other, search=nearest_both_by_faiss)
    pairs = [
        set(zip(some.sources[:200], some.targets[:200], strict=True)) for some in (exact, found)
    ]
    assert len(pairs[0] & pairs[1]) >= 180
    few = mine_pairs(one[:9], other[:9], search=nearest_both_by_faiss)
    assert np.array_equal(few.targets, mine_pairs(one[:9], other[:9]).targets)


def test_nothing_gives_nothing() -> None:
    one, _ = planted(5, 1)
    assert len(mine_pairs(one[:0], one).scores) == 0
    with pytest.raises(InputError, match="ratio"):
        mine_pairs(one, one, margin="rato")  # type: ignore[arg-type]
