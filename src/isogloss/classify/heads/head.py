"""What every head can do, and the head without entities; those with are `mboe` and `mboe_plus`.

Each has a linear part, which a correction of a language's shift replaces (`shift`).
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import EntityMemory
from isogloss.learn.linear_head import LinearHead


class Head(Protocol):
    """Documents' vectors and entities → log p(c | D)."""

    @property
    def linear(self) -> LinearHead:
        """The classifier of encoder vectors h, or for ``mboe`` of h + z."""
        ...

    @property
    def memory(self) -> EntityMemory | None:
        """What is known of entities; None: the head reads none."""
        ...

    @property
    def uses_entities(self) -> bool:
        """Whether entities can change a probability; ``mboe-plus`` may find them of no help."""
        ...

    def with_linear(self, linear: LinearHead) -> "Head":
        """Return the same head with another linear part."""
        ...

    def inputs(self, vectors: Floats2d, batch: EntityBatch | None) -> Floats2d | Doubles2d:
        """Return what the linear part reads of documents: (n_documents, width)."""
        ...

    def log_probabilities(self, vectors: Floats2d, batch: EntityBatch | None = None) -> Doubles2d:
        """Return log p(c | D): float64 (n_documents, n_classes).

        Parameters
        ----------
        vectors
            h: (n_documents, width).
        batch
            The documents' entities; needed where the head has a memory of some.
        """
        ...

    def log_probabilities_without_each(self, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
        """Return log p(c | D) without the entity of each pair: float64 (n_pairs, n_classes)."""
        ...

    def entity_weights(self, vectors: Floats2d, batch: EntityBatch) -> Doubles1d:
        """Return a_e of each pair of a document and an entity: float64 (n_pairs,)."""
        ...


@dataclass(frozen=True)
class EncoderOnlyHead:
    """A `Head` that reads no entities: `linear` is all of it."""

    linear: LinearHead
    memory: ClassVar[None] = None
    uses_entities: ClassVar[bool] = False

    def with_linear(self, linear: LinearHead) -> "EncoderOnlyHead":
        """Return a head of another linear classifier."""
        return EncoderOnlyHead(linear)

    def inputs(self, vectors: Floats2d, batch: EntityBatch | None) -> Floats2d:
        """Return the vectors as they are."""
        return vectors

    def log_probabilities(self, vectors: Floats2d, batch: EntityBatch | None = None) -> Doubles2d:
        """Return log p(c | D): float64 (n_documents, n_classes)."""
        return self.linear.log_probabilities(vectors)

    def log_probabilities_without_each(self, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
        """Return log p(c | D), which no entity changes: float64 (n_pairs, n_classes)."""
        return self.linear.log_probabilities(vectors)[batch.documents]

    def entity_weights(self, vectors: Floats2d, batch: EntityBatch) -> Doubles1d:
        """Return 0 for each pair: float64 (n_pairs,)."""
        return np.zeros(len(batch.columns))


def needed(batch: EntityBatch | None) -> EntityBatch:
    """Return the entities that a head with a memory cannot do without."""
    if batch is None:
        raise ValueError("a head with entities needs them")
    return batch
