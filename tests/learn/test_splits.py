"""Documents with label sets divided so that every part keeps the shares of the labels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from isogloss.learn.splits import stratified_parts

RNG = np.random.default_rng(0)
RARE = RNG.random((500, 6)) < [0.5, 0.2, 0.1, 0.05, 0.02, 0.01]


@pytest.mark.parametrize("shares", [[0.2] * 5, [0.95, 0.05], [0.5, 0.3, 0.2]])
def test_documents_and_labels_keep_their_shares(shares: list[float]) -> None:
    part = stratified_parts(RARE, shares, seed=0)
    for number, share in enumerate(shares):
        inside = part == number
        assert abs(inside.sum() - share * 500) <= 6
        assert np.all(np.abs(RARE[inside].sum(axis=0) - share * RARE.sum(axis=0)) <= 3)


def test_a_label_of_five_documents_is_in_each_of_five_parts() -> None:
    y = np.zeros((100, 2), bool)
    y[:5, 0] = True
    y[::2, 1] = True
    part = stratified_parts(y, [0.2] * 5, seed=3)
    assert sorted(part[:5]) == [0, 1, 2, 3, 4]


@pytest.mark.parametrize(
    ("sizes", "n_held_out"),
    [([8] * 100, 40), ([30] * 26, 39), ([1] * 50 + [2] * 40 + [7] * 30 + [400, 1000], 87)],
)
def test_many_small_classes_keep_the_size_of_a_small_part(
    sizes: list[int], n_held_out: int
) -> None:
    """A class of eight wants 0.4 of a document at 5 %: a hundred of them want forty."""
    y = np.eye(len(sizes), dtype=bool)[np.repeat(np.arange(len(sizes)), sizes)]
    part = stratified_parts(y, [0.95, 0.05], seed=0)
    assert part.sum() == n_held_out
    assert np.all(np.abs(y[part == 1].sum(axis=0) - 0.05 * np.array(sizes)) < 1)
    assert y[part == 0].any(axis=0).all()
    assert np.array_equal(part, stratified_parts(y, [0.95, 0.05], seed=0))


def test_the_same_seed_gives_the_same_parts_and_another_others() -> None:
    first, second, third = (stratified_parts(RARE, [0.5, 0.5], seed=seed) for seed in (1, 1, 2))
    assert np.array_equal(first, second)
    assert not np.array_equal(first, third)


@settings(max_examples=50, deadline=None)
@given(
    rows=st.lists(st.lists(st.booleans(), min_size=3, max_size=3), max_size=30),
    n_parts=st.integers(1, 5),
)
def test_every_document_is_in_just_one_part(rows: list[list[bool]], n_parts: int) -> None:
    y = np.array(rows, dtype=bool).reshape(len(rows), 3)
    part = stratified_parts(y, [1 / n_parts] * n_parts, seed=0)
    assert part.shape == (len(rows),)
    assert np.isin(part, np.arange(n_parts)).all()
