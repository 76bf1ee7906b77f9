"""What both presets learn about entities: which occurred, how often, and the attention."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Floats1d, Ints1d
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.limits import Count

Attention = Literal["learned", "mean", "sum"]


@dataclass(frozen=True)
class EntityMemory:
    """The learned side of entity pooling."""

    entities: Ints1d  # int64 (n_seen,), ascending: entities of the training documents
    n_documents_with: Ints1d  # int64 (n_seen,): training documents that hold each
    n_documents: Count  # training documents
    attention: Attention  # how weights are made
    attention_weight: Floats1d  # W_a: float32 (n_features,)

    @classmethod
    def of(
        cls, batch: EntityBatch, *, attention: Attention, initial_attention: tuple[float, ...]
    ) -> "EntityMemory":
        """Take the training documents' entities, and W_a as it is before training."""
        seen = np.unique(batch.columns)
        counts = np.bincount(batch.columns, minlength=len(batch.entities))[seen]
        return cls(
            entities=batch.entities[seen],
            n_documents_with=counts.astype(np.int64),
            n_documents=len(batch),
            attention=attention,
            attention_weight=np.array(initial_attention, dtype=np.float32),
        )

    def is_seen(self, entities: Ints1d) -> Bools1d:
        """Return bool (n,): which entities occurred in training."""
        return np.isin(entities, self.entities)

    def inverse_document_frequency(self, batch: EntityBatch) -> Doubles1d:
        """Return log((1 + N) / (1 + n_e)) for the batch's entities: float64 (n_entities,).

        N training documents, n_e of them with the entity; 0 for an entity of every document.
        """
        counts = np.zeros(len(batch.entities))
        seen = self.is_seen(batch.entities)
        counts[seen] = self.n_documents_with[np.searchsorted(self.entities, batch.entities[seen])]
        return np.log((1 + self.n_documents) / (1 + counts))
