"""The entities of a set of documents, with their vectors, as the heads take them."""

from dataclasses import dataclass, replace

import numpy as np

from isogloss.arrays import Doubles1d, Floats2d, Ints1d
from isogloss.classify.documents.entity_source import EntitySource
from isogloss.kb import EntityBags


@dataclass(frozen=True)
class EntityBatch:
    """Documents and their entities in flat arrays."""

    # int64 (n_documents + 1,); document i owns the pairs ``offsets[i]:offsets[i + 1]``
    offsets: Ints1d
    columns: Ints1d  # int64 (n_pairs,): row of `entities` and `vectors` of each pair
    # float64 (n_pairs,): the largest over the mentions that yield the entity
    commonness: Doubles1d
    link_probability: Doubles1d
    entities: Ints1d  # int64 (n_entities,): indices in the knowledge base, ascending
    vectors: Floats2d  # float32 (n_entities, width): their vectors before training

    @classmethod
    def of(cls, bags: EntityBags, source: EntitySource) -> "EntityBatch":
        """Look up the vectors of the bags' entities, which must be known to `source`."""
        entities, columns = np.unique(bags.entity.astype(np.int64), return_inverse=True)
        return cls(
            offsets=bags.indptr.astype(np.int64),
            columns=columns.astype(np.int64),
            commonness=bags.commonness.astype(np.float64),
            link_probability=bags.link_probability.astype(np.float64),
            entities=entities,
            vectors=source.vectors(entities),
        )

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.offsets) - 1

    @property
    def counts(self) -> Ints1d:
        """Entities of each document, K: int64 (n_documents,)."""
        return np.diff(self.offsets)

    @property
    def documents(self) -> Ints1d:
        """Document of each pair: int64 (n_pairs,)."""
        return np.repeat(np.arange(len(self)), self.counts)

    def select(self, rows: Ints1d) -> "EntityBatch":
        """Return the documents `rows`, in that order; all entities and vectors stay."""
        counts = self.counts[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        pairs = np.repeat(self.offsets[:-1][rows] - offsets[:-1], counts) + np.arange(offsets[-1])
        return self._with_pairs(offsets, pairs)

    def thin(self, share: float, generator: np.random.Generator) -> "EntityBatch":
        """Keep each pair with probability `share`: documents as a language with few names has."""
        kept = generator.random(len(self.columns)) < share
        counts = np.bincount(self.documents[kept], minlength=len(self))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return self._with_pairs(offsets, np.flatnonzero(kept))

    def _with_pairs(self, offsets: Ints1d, pairs: Ints1d) -> "EntityBatch":
        return replace(
            self,
            offsets=offsets,
            columns=self.columns[pairs],
            commonness=self.commonness[pairs],
            link_probability=self.link_probability[pairs],
        )
