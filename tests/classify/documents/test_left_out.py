"""z without each entity, against sums over the others."""

from typing import Any

import numpy as np
import pytest

from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.left_out import pooled_without_each

RNG = np.random.default_rng(3)
COUNTS = [3, 0, 1, 2, 4]


def batch_of(counts: list[int]) -> EntityBatch:
    n = sum(counts)
    return EntityBatch(
        offsets=np.concatenate([[0], np.cumsum(counts)]).astype(np.int64),
        columns=RNG.integers(0, 6, n),
        commonness=np.ones(n),
        link_probability=np.ones(n),
        entities=np.arange(6),
        vectors=RNG.normal(size=(6, 5)).astype(np.float32),
    )


def slow(weights: Any, batch: EntityBatch, *, as_sum: bool) -> Any:
    rows = []
    for first, last in zip(batch.offsets[:-1], batch.offsets[1:], strict=True):
        for pair in range(first, last):
            others = [other for other in range(first, last) if other != pair]
            total = 1.0 if as_sum or not others else weights[others].sum()
            parts = [weights[o] / total * batch.vectors[batch.columns[o]] for o in others]
            rows.append(np.sum(parts, axis=0) if parts else np.zeros(5))
    return np.array(rows)


@pytest.mark.parametrize("sharpness", [0.0, 1.0, 12.0, 40.0])
def test_the_rest_has_all_the_attention(sharpness: float) -> None:
    batch = batch_of(COUNTS)
    raised = np.exp(sharpness * RNG.normal(size=len(batch.columns)))
    weights = raised / np.bincount(batch.documents, raised)[batch.documents]
    found = pooled_without_each(weights, batch.vectors, batch, as_sum=False)
    assert found == pytest.approx(slow(weights, batch, as_sum=False), abs=1e-9)


def test_of_a_sum_the_rest_keeps_its_own() -> None:
    batch = batch_of(COUNTS)
    weights = np.ones(len(batch.columns))
    found = pooled_without_each(weights, batch.vectors, batch, as_sum=True)
    assert found == pytest.approx(slow(weights, batch, as_sum=True), abs=1e-12)


def test_documents_without_entities_have_no_row() -> None:
    batch = batch_of([0, 0])
    found = pooled_without_each(np.ones(0), batch.vectors, batch, as_sum=False)
    assert found.shape == (0, 5)
