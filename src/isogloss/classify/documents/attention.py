"""Attention over a document's entities and the vector z they add up to.

The equations of Nishikawa et al. (2022), as in the design: features φ(e, D) of each entity, the
weights a = softmax over e of W_aᵀ φ(e, D), and z = Σ a_e v_e. What is done with z (added to the
encoder's vector, or classified on its own) is the business of the heads.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.arrays import Doubles2d, Floats2d, Ints1d
from isogloss.classify.documents.entity_memory import Attention


@dataclass(frozen=True)
class EntityPairs:
    """Documents and their entities as flat arrays, a pair for each entity of each document."""

    # int64 (n_documents + 1,); document i owns the pairs ``offsets[i]:offsets[i + 1]``
    offsets: Tensor
    entities: Tensor  # int64 (n_pairs,); rows of the matrix of entity vectors
    features: Tensor  # float (n_pairs, n_features); what is known of a pair beside its cosine

    @classmethod
    def of(cls, offsets: Ints1d, entities: Ints1d, features: Doubles2d | Floats2d) -> "EntityPairs":
        """Take numpy arrays; the features keep double precision."""
        return cls(
            torch.from_numpy(np.asarray(offsets, dtype=np.int64)),
            torch.from_numpy(np.asarray(entities, dtype=np.int64)),
            torch.from_numpy(np.asarray(features, dtype=np.float64)),
        )

    @property
    def counts(self) -> Tensor:
        """Entities of each document, K: int64 (n_documents,)."""
        return self.offsets.diff()

    @property
    def documents(self) -> Tensor:
        """Document of each pair: int64 (n_pairs,)."""
        counts = self.counts
        return torch.repeat_interleave(torch.arange(len(counts), device=counts.device), counts)

    def to(self, device: str) -> "EntityPairs":
        """Return the pairs on a device."""
        features = self.features
        if device == "mps":  # it has no double precision
            features = features.float()
        return EntityPairs(self.offsets.to(device), self.entities.to(device), features.to(device))


class EntityPooling(nn.Module):
    """Hold W_a and the entity vectors v; give z for each document.

    Parameters
    ----------
    initial_vectors
        float (n_entities, width): where v starts from.
    initial_attention
        W_a before training: the weight of the cosine, then of each feature of a pair.
    attention
        ``"learned"``: softmax of W_aᵀ φ; ``"mean"``: 1 / K; ``"sum"``: 1 for each entity.
    projection
        (width, width of v): a linear map that takes v to the width of the documents, learned with
        the rest; None where v has that width.
    """

    def __init__(
        self,
        initial_vectors: Tensor,
        initial_attention: Tensor,
        *,
        attention: Attention,
        projection: Tensor | None = None,
    ) -> None:
        super().__init__()
        self.attention: Attention = attention
        self.vectors = nn.Parameter(initial_vectors.clone())
        self.attention_weight = nn.Parameter(initial_attention.to(initial_vectors.dtype).clone())
        self.projection = None if projection is None else nn.Parameter(projection.clone())

    def projected(self, entities: Tensor | None = None) -> Tensor:
        """Return v in the width of the documents, of all or some: (n_entities, width)."""
        vectors = self.vectors if entities is None else self.vectors[entities]
        return vectors if self.projection is None else vectors @ self.projection.T

    def weights(self, documents: Tensor, pairs: EntityPairs) -> Tensor:
        """Return a_e for each pair: (n_pairs,); the weights of a document add up to 1.

        With ``attention="sum"`` each is 1.
        """
        return self._weights(documents, pairs, self.projected())

    def forward(
        self, documents: Tensor, pairs: EntityPairs, entities: Tensor | None = None
    ) -> Tensor:
        """Return z: (n_documents, width); zeros where a document has no entities.

        Parameters
        ----------
        documents
            Encoder vectors h: (n_documents, width).
        entities
            Rows of v that the pairs are numbered by; None: all.
        """
        vectors = self.projected(entities)
        return functional.embedding_bag(
            pairs.entities,
            vectors,
            pairs.offsets,
            mode="sum",
            per_sample_weights=self._weights(documents, pairs, vectors),
            include_last_offset=True,
        )

    def _weights(self, documents: Tensor, pairs: EntityPairs, vectors: Tensor) -> Tensor:
        n_pairs = len(pairs.entities)
        if self.attention == "sum":
            return vectors.new_ones(n_pairs)
        if self.attention == "mean":
            return (1.0 / pairs.counts.to(vectors.dtype))[pairs.documents]
        cosine = _pair_cosines(documents, vectors, pairs)
        features = torch.cat([cosine[:, None], pairs.features.to(vectors.dtype)], dim=1)
        return softmax_by_document(features @ self.attention_weight, pairs)


def softmax_by_document(scores: Tensor, pairs: EntityPairs) -> Tensor:
    """Return exp(score) over its sum within the document: (n_pairs,)."""
    rows, n_documents = pairs.documents, len(pairs.counts)
    largest = scores.new_full((n_documents,), -math.inf)
    largest = largest.scatter_reduce(0, rows, scores.detach(), reduce="amax")
    raised = (scores - largest[rows]).exp()
    sums = scores.new_zeros(n_documents).index_add(0, rows, raised)
    return raised / sums[rows]


def _pair_cosines(documents: Tensor, vectors: Tensor, pairs: EntityPairs) -> Tensor:
    unit_documents = functional.normalize(documents, dim=1)
    unit_vectors = functional.normalize(vectors, dim=1)
    return (unit_documents[pairs.documents] * unit_vectors[pairs.entities]).sum(dim=1)
