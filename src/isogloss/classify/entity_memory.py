"""What training learned about entities: their vectors, how often each occurred, the pooling.

At prediction an entity seen in training has its trained vector, any other keeps its initial one
(and is counted).
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from isogloss.arrays import Bools1d, Doubles1d, Floats1d, Floats2d, Ints1d
from isogloss.classify.entity_batch import EntityBatch
from isogloss.classify.entity_pooling import Attention, EntityPooling


@dataclass(frozen=True)
class EntityMemory:
    """The learned side of entity pooling.

    Attributes
    ----------
    entities
        int64 (n_seen,), ascending: entities of the training documents.
    vectors
        float32 (n_seen, width of v): their vectors after training.
    n_documents_with
        int64 (n_seen,): training documents that hold each.
    n_documents
        Training documents.
    attention
        How weights are made.
    attention_weight
        W_a: float32 (n_features,).
    projection
        float32 (width, width of v), or None where v has the width of the documents.
    """

    entities: Ints1d
    vectors: Floats2d
    n_documents_with: Ints1d
    n_documents: int
    attention: Attention
    attention_weight: Floats1d
    projection: Floats2d | None

    @classmethod
    def of(
        cls,
        batch: EntityBatch,
        *,
        attention: Attention,
        initial_attention: tuple[float, ...],
        width: int | None = None,
        seed: int,
    ) -> "EntityMemory":
        """Take the training documents' entities as they are before training.

        Parameters
        ----------
        width
            Where v is to be added to document vectors: their width. A projection leads there
            from another width of v, from an orthogonal start drawn with `seed`.
        """
        seen = np.unique(batch.columns)
        counts = np.bincount(batch.columns, minlength=len(batch.entities))[seen]
        own_width = batch.vectors.shape[1]
        projection = None
        if width is not None and width != own_width:
            start = torch.empty(width, own_width)
            torch.nn.init.orthogonal_(start, generator=torch.Generator().manual_seed(seed))
            projection = start.numpy()
        return cls(
            entities=batch.entities[seen],
            vectors=batch.vectors[seen],
            n_documents_with=counts.astype(np.int64),
            n_documents=len(batch),
            attention=attention,
            attention_weight=np.array(initial_attention, dtype=np.float32),
            projection=projection,
        )

    def learn(self, pooling: EntityPooling) -> "EntityMemory":
        """Return the memory with the parameters of `pooling`, whose rows are its entities."""
        projection = pooling.projection
        return replace(
            self,
            vectors=pooling.vectors.detach().numpy().astype(np.float32),
            attention_weight=pooling.attention_weight.detach().numpy().astype(np.float32),
            projection=None if projection is None else projection.detach().numpy(),
        )

    def is_seen(self, entities: Ints1d) -> Bools1d:
        """Return bool (n,): which entities occurred in training."""
        return np.isin(entities, self.entities)

    def vectors_of(self, batch: EntityBatch) -> Floats2d:
        """Return v of the batch's entities: trained where seen, initial elsewhere."""
        vectors = batch.vectors.copy()
        seen = self.is_seen(batch.entities)
        vectors[seen] = self.vectors[np.searchsorted(self.entities, batch.entities[seen])]
        return vectors

    def inverse_document_frequency(self, batch: EntityBatch) -> Doubles1d:
        """Return log((1 + N) / (1 + n_e)) for the batch's entities: float64 (n_entities,).

        N training documents, n_e of them with the entity; 0 for an entity of every document.
        """
        counts = np.zeros(len(batch.entities))
        seen = self.is_seen(batch.entities)
        counts[seen] = self.n_documents_with[np.searchsorted(self.entities, batch.entities[seen])]
        return np.log((1 + self.n_documents) / (1 + counts))

    def pooling(self, batch: EntityBatch) -> EntityPooling:
        """Return the pooling with a row for each entity of `batch`."""
        return EntityPooling(
            torch.from_numpy(self.vectors_of(batch)),
            torch.from_numpy(self.attention_weight),
            attention=self.attention,
            projection=None if self.projection is None else torch.from_numpy(self.projection),
        )
