"""Preset ``mboe``: the multilingual bag of entities of Nishikawa et al. (2022), frozen encoder.

    φ(e, D) = [cos(h, v_e); p_e],  a = softmax(W_aᵀ φ),  z = Σ a_e v_e
    p(c | D) = softmax(W S(h + z) + b), or the sigmoid where a document has any number of labels

S standardises with the training documents' statistics, as the encoder-only classifier does; C is
chosen as for it, at the initial parameters (v from its source, W_a = 0: equal weights). Then W, b,
W_a and v are trained together. Dropout has no part in a frozen head: the penalty takes its place.
"""

from dataclasses import dataclass, replace

import numpy as np
import torch

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d
from isogloss.classify.documents.attention import EntityPairs
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import Attention, EntityMemory
from isogloss.classify.documents.left_out import pooled_without_each
from isogloss.classify.documents.trained_vectors import TrainedVectors
from isogloss.classify.heads.head import needed
from isogloss.classify.heads.joint import train_together
from isogloss.learn.linear_head import LinearHead, fit_with_search
from isogloss.learn.objective import Targets
from isogloss.learn.search import SEARCH, Search

INITIAL_ATTENTION = (0.0, 0.0)  # cosine, commonness
PRECISION = torch.float32  # of the training, as of the vectors


@dataclass(frozen=True)
class MboeHead:
    """The classifier of the design's equations."""

    linear: LinearHead  # S, W and b
    trained: TrainedVectors  # v and W_a

    @classmethod
    def fit(
        cls,
        vectors: Floats2d,
        batch: EntityBatch,
        y: Targets,
        n_classes: int,
        *,
        attention: Attention,
        seed: int,
        dev: tuple[Floats2d, EntityBatch, Targets] | None = None,
        search: Search = SEARCH,
    ) -> "MboeHead":
        """Fit on encoder vectors (n_documents, width), their entities and classes."""
        memory = EntityMemory.of(batch, attention=attention, initial_attention=INITIAL_ATTENTION)
        start = TrainedVectors.initial(memory, batch, width=vectors.shape[1], seed=seed)
        judged_by = None if dev is None else (_add(start, dev[0], dev[1]), dev[2])
        summed = _add(start, vectors, batch)
        linear = fit_with_search(summed, y, n_classes, seed=seed, dev=judged_by, search=search)
        return cls(linear, start)._train(vectors, batch, y, n_steps=search.n_joint_steps)

    @property
    def memory(self) -> EntityMemory:
        """What is known of the entities beside their vectors."""
        return self.trained.memory

    @property
    def uses_entities(self) -> bool:
        """They always count."""
        return True

    def with_linear(self, linear: LinearHead) -> "MboeHead":
        """Return the same head with other S, W and b."""
        return replace(self, linear=linear)

    def inputs(self, vectors: Floats2d, batch: EntityBatch | None) -> Doubles2d:
        """Return h + z: float64 (n_documents, width)."""
        return _add(self.trained, vectors, needed(batch))

    def log_probabilities(self, vectors: Floats2d, batch: EntityBatch | None = None) -> Doubles2d:
        """Return log p(c | D): float64 (n_documents, n_classes)."""
        return self.linear.log_probabilities(self.inputs(vectors, batch))

    def log_probabilities_without_each(self, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
        """Return log p(c | D) without the entity of each pair: float64 (n_pairs, n_classes)."""
        pooling = self.trained.pooling(batch)
        with torch.inference_mode():
            own = pooling.projected().numpy()
        weights = self.entity_weights(vectors, batch)
        rest = pooled_without_each(weights, own, batch, as_sum=pooling.attention == "sum")
        return self.linear.log_probabilities(vectors.astype(np.float64)[batch.documents] + rest)

    def entity_weights(self, vectors: Floats2d, batch: EntityBatch) -> Doubles1d:
        """Return a_e of each pair: float64 (n_pairs,)."""
        pooling = self.trained.pooling(batch)
        with torch.inference_mode():
            weights = pooling.weights(torch.from_numpy(vectors), _pairs(batch))
        return weights.numpy().astype(np.float64)

    def _train(
        self, vectors: Floats2d, batch: EntityBatch, y: Targets, *, n_steps: int
    ) -> "MboeHead":
        if not len(batch.columns):
            return self
        standardisation = self.linear.standardisation
        mean, deviation = (
            torch.from_numpy(side).to(PRECISION)
            for side in (standardisation.mean, standardisation.deviation)
        )
        documents, pairs = torch.from_numpy(vectors), _pairs(batch)
        pooling = self.trained.pooling(batch)
        scales = {"vectors": deviation} if pooling.projection is None else {}
        result = train_together(
            lambda: (documents + pooling(documents, pairs) - mean) / deviation,
            pooling,
            torch.from_numpy(y),
            weight=torch.from_numpy(self.linear.weight).to(PRECISION),
            bias=torch.from_numpy(self.linear.bias).to(PRECISION),
            C=self.linear.C,
            scales=scales,
            n_steps=n_steps,
        )
        linear = replace(
            self.linear,
            weight=result.weight.numpy().astype(np.float64),
            bias=result.bias.numpy().astype(np.float64),
        )
        return MboeHead(linear, self.trained.learn(pooling))


def _add(trained: TrainedVectors, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
    """Return h + z: float64 (n_documents, width)."""
    with torch.inference_mode():
        pooled = trained.pooling(batch)(torch.from_numpy(vectors), _pairs(batch))
    return vectors.astype(np.float64) + pooled.numpy()


def _pairs(batch: EntityBatch) -> EntityPairs:
    return EntityPairs.of(batch.offsets, batch.columns, np.stack([batch.commonness], axis=1))
