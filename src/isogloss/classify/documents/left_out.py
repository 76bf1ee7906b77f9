"""z of documents without one of their entities, each entity in turn.

    z₋ₑ = Σ a_j v_j / Σ a_j  over j ≠ e

The attention of what stays is as it was, up to its sum: the features φ of an entity know nothing of
the others. So a document with K entities costs K vectors, not K².
"""

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d
from isogloss.classify.documents.entity_batch import EntityBatch

SMALLEST_REST = 1e-4  # of the attention; where less is left, subtraction would lose its digits


def pooled_without_each(
    weights: Doubles1d, vectors: Floats2d | Doubles2d, batch: EntityBatch, *, as_sum: bool
) -> Doubles2d:
    """Return z without the entity of each pair: float64 (n_pairs, width); 0 where none is left.

    Parameters
    ----------
    weights
        a_e of each pair: (n_pairs,).
    vectors
        v of the batch's entities: (n_entities, width).
    as_sum
        The weights do not add up to 1: the rest keeps its own.
    """
    documents, doubles = batch.documents, vectors.astype(np.float64)
    shape = (len(batch), len(batch.entities))
    matrix = scipy.sparse.csr_array((weights, batch.columns, batch.offsets), shape=shape)
    rest: Doubles2d = np.asarray(matrix @ doubles)[documents]
    rest -= weights[:, None] * doubles[batch.columns]
    left = np.bincount(documents, weights, minlength=len(batch))[documents] - weights
    is_alone = batch.counts[documents] == 1
    rest[is_alone] = 0.0
    if as_sum:
        return rest
    has_rest = left > SMALLEST_REST
    rest[has_rest] /= left[has_rest, None]
    for pair in np.flatnonzero(~has_rest & ~is_alone).tolist():
        first, last = batch.offsets[documents[pair]], batch.offsets[documents[pair] + 1]
        others = np.delete(np.arange(first, last), pair - first)
        own = weights[others] / max(weights[others].sum(), np.finfo(np.float64).tiny)
        rest[pair] = own @ doubles[batch.columns[others]]
    return rest
