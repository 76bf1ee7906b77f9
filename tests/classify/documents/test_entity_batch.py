"""Selecting and thinning documents with their entities."""

import itertools
from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.kb import EntityBags

Document = list[tuple[int, float]]


def batch_of(documents: list[Document]) -> EntityBatch:
    """Return a batch of documents given as (entity, commonness) pairs, of 5 entities."""
    flat = [pair for document in documents for pair in document]
    commonness = np.array([common for _, common in flat], dtype=np.float64)
    return EntityBatch(
        offsets=np.cumsum([0, *map(len, documents)]),
        columns=np.array([column for column, _ in flat], dtype=np.int64),
        commonness=commonness,
        link_probability=commonness / 2,
        entities=np.arange(5) * 10,
        vectors=np.eye(5, 3, dtype=np.float32),
    )


def documents_of(batch: EntityBatch) -> list[Document]:
    assert np.array_equal(batch.link_probability, batch.commonness / 2)
    pairs = list(zip(batch.columns.tolist(), batch.commonness.tolist(), strict=True))
    bounds = batch.offsets.tolist()
    return [pairs[start:end] for start, end in itertools.pairwise(bounds)]


pairs = st.tuples(st.integers(0, 4), st.sampled_from([0.25, 0.5, 1.0]))
many_documents = st.lists(st.lists(pairs, max_size=4, unique_by=lambda pair: pair[0]), max_size=6)


@given(many_documents, st.lists(st.integers(0, 99), max_size=8))
def test_select_takes_documents_in_the_order_given(
    documents: list[Document], numbers: list[int]
) -> None:
    rows = [number % len(documents) for number in numbers] if documents else []
    selected = batch_of(documents).select(np.array(rows, dtype=np.int64))
    assert documents_of(selected) == [documents[row] for row in rows]
    assert selected.counts.tolist() == [len(documents[row]) for row in rows]
    assert len(selected.entities) == 5


@given(many_documents, st.floats(0, 1), st.integers(0, 9))
def test_thin_keeps_a_subset_in_order(documents: list[Document], share: float, seed: int) -> None:
    drawn = iter(np.random.default_rng(seed).random(sum(map(len, documents))))
    expected = [[pair for pair in document if next(drawn) < share] for document in documents]
    thinned = batch_of(documents).thin(share, np.random.default_rng(seed))
    assert documents_of(thinned) == expected


def test_thin_by_nothing_and_by_all() -> None:
    batch = batch_of([[(0, 1.0), (3, 0.5)], [], [(1, 0.5)]])
    rng = np.random.default_rng(0)
    assert documents_of(batch.thin(1.0, rng)) == documents_of(batch)
    assert batch.thin(0.0, rng).counts.tolist() == [0, 0, 0]


def test_documents_and_counts() -> None:
    batch = batch_of([[(0, 1.0), (3, 0.5)], [], [(1, 0.5)]])
    assert (len(batch), batch.counts.tolist(), batch.documents.tolist()) == (
        3,
        [2, 0, 1],
        [0, 0, 2],
    )


def test_bags_become_a_batch_with_the_vectors_of_their_entities() -> None:
    class Tens:
        def known(self, entities: Any) -> Any:
            return np.ones(len(entities), bool)

        def vectors(self, entities: Any) -> Any:
            return np.ones((len(entities), 2), np.float32) * entities[:, None] * 10

    bags = EntityBags(
        indptr=np.array([0, 2, 2, 3]),
        entity=np.array([3, 7, 3], dtype=np.int32),
        commonness=np.array([0.5, 1.0, 0.25], dtype=np.float32),
        link_probability=np.ones(3, dtype=np.float32),
        n_mentions=np.ones(3, dtype=np.int32),
    )
    batch = EntityBatch.of(bags, Tens())
    assert batch.entities.tolist() == [3, 7]
    assert batch.vectors.tolist() == [[30, 30], [70, 70]]
    assert (batch.offsets.tolist(), batch.columns.tolist()) == ([0, 2, 2, 3], [0, 1, 0])
    assert batch.commonness.tolist() == [0.5, 1.0, 0.25]
