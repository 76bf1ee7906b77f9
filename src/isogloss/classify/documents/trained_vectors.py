"""The entity vectors that preset ``mboe`` trains, and the map to the width of the documents.

At prediction an entity seen in training has its trained vector, any other keeps its initial one
(and is counted).
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from isogloss.arrays import Floats2d
from isogloss.classify.documents.attention import EntityPooling
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import EntityMemory


@dataclass(frozen=True)
class TrainedVectors:
    """v, with W_a in its memory."""

    memory: EntityMemory  # the entities of the training documents, and W_a
    vectors: Floats2d  # float32 (n_seen, width of v): v of the memory's entities
    # float32 (width, width of v), or None where v has the width of the documents
    projection: Floats2d | None

    @classmethod
    def initial(
        cls, memory: EntityMemory, batch: EntityBatch, *, width: int, seed: int
    ) -> "TrainedVectors":
        """Take the vectors as they are before training.

        Parameters
        ----------
        batch
            The training documents.
        width
            Of the documents' vectors. A projection leads there from another width of v, from an
            orthogonal start drawn with `seed`.
        """
        own_width = batch.vectors.shape[1]
        projection = None
        if width != own_width:
            start = torch.empty(width, own_width)
            torch.nn.init.orthogonal_(start, generator=torch.Generator().manual_seed(seed))
            projection = start.numpy()
        rows = np.searchsorted(batch.entities, memory.entities)
        return cls(memory, batch.vectors[rows], projection)

    def learn(self, pooling: EntityPooling) -> "TrainedVectors":
        """Return these with the parameters of `pooling`, whose rows are the memory's entities."""
        weight = pooling.attention_weight.detach().cpu().numpy().astype(np.float32)
        projection = pooling.projection
        return TrainedVectors(
            replace(self.memory, attention_weight=weight),
            pooling.vectors.detach().cpu().numpy().astype(np.float32),
            None if projection is None else projection.detach().cpu().numpy(),
        )

    def of(self, batch: EntityBatch) -> Floats2d:
        """Return v of the batch's entities: trained where seen, initial elsewhere."""
        vectors = batch.vectors.copy()
        seen = self.memory.is_seen(batch.entities)
        vectors[seen] = self.vectors[np.searchsorted(self.memory.entities, batch.entities[seen])]
        return vectors

    def pooling(self, batch: EntityBatch) -> EntityPooling:
        """Return the pooling with a row for each entity of `batch`."""
        return EntityPooling(
            torch.from_numpy(self.of(batch)),
            torch.from_numpy(self.memory.attention_weight),
            attention=self.memory.attention,
            projection=None if self.projection is None else torch.from_numpy(self.projection),
        )
