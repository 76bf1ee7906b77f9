"""The three kinds of heads seen alike: the linear part that each has, and what that part reads."""

from dataclasses import replace

import numpy as np

from isogloss.arrays import Bools1d, Doubles2d, Floats2d, Ints1d
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.learn.linear_head import LinearHead

Head = LinearHead | MboeHead | MboePlusHead


def linear_part(head: Head) -> LinearHead:
    """Return the classifier of encoder vectors h, or for ``mboe`` of h + z."""
    match head:
        case LinearHead():
            return head
        case MboeHead():
            return head.linear
        case MboePlusHead():
            return head.encoder_only


def with_linear_part(head: Head, linear: LinearHead) -> Head:
    """Return the same head with another linear part."""
    match head:
        case LinearHead():
            return linear
        case MboeHead():
            return replace(head, linear=linear)
        case MboePlusHead():
            return replace(head, encoder_only=linear)


def linear_inputs(head: Head, vectors: Floats2d, batch: EntityBatch | None) -> Floats2d | Doubles2d:
    """Return what the linear part reads of documents: (n_documents, width).

    Parameters
    ----------
    vectors
        (n_documents, width): h.
    batch
        Their entities; None for a classifier without.
    """
    if isinstance(head, MboeHead) and batch is not None:
        return head.inputs(vectors, batch)
    return vectors


def log_probabilities_of(head: Head, vectors: Floats2d, batch: EntityBatch | None) -> Doubles2d:
    """Return log p(c | D): float64 (n_documents, n_classes); parameters as in `linear_inputs`."""
    if isinstance(head, LinearHead):
        return head.log_probabilities(vectors)
    if batch is None:
        raise ValueError("a head with entities needs them")
    return head.log_probabilities(vectors, batch)


def entities_have_weight(head: Head) -> bool:
    """Say whether entities can move a probability; ``mboe-plus`` may find that they do not help."""
    match head:
        case LinearHead():
            return False
        case MboeHead():
            return True
        case MboePlusHead():
            return head.mixture.strength > 0


def seen_entities(head: Head, entities: Ints1d) -> Bools1d:
    """Return bool (n,): which knowledge base indices training met."""
    if isinstance(head, LinearHead):
        return np.zeros(len(entities), dtype=bool)
    return head.memory.is_seen(entities)
