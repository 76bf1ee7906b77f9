"""The entities' own classifier: p(c | entities), linear in the attention-weighted vectors.

    log p_z(c) = log softmax( Σ_e a_e u_e + b ),   u_e = W v_e / s,   a = softmax(W_aᵀ φ)

with φ = [cos(h, v_e); log p_e; log idf_e] and s the standard deviations of the training z. Each
entity so casts a vote u_e over the classes; attention says how much it counts. The vectors v are
frozen: W is fitted to them, and an entity that training never saw votes by its vector.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import scipy
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d
from isogloss.classify.documents.attention import EntityPairs, softmax_by_document
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.classify.documents.entity_memory import EntityMemory
from isogloss.classify.documents.left_out import pooled_without_each
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.objective import Targets, objective_of
from isogloss.learn.search import SEARCH

SMALLEST_IDF = 0.05  # an entity of every document keeps a little weight, and a finite logarithm


@dataclass(frozen=True)
class EntityVote:
    """A fitted p_z."""

    linear: LinearHead  # W, b and the standardisation of z
    memory: EntityMemory  # document counts of the seen entities, and W_a
    # log p(c) among the linked documents that p_z was fitted on, which is what it answers when it
    # knows nothing, or the log-odds of a label: float64 (n_classes,); see `Objective.prior`
    log_priors: Doubles1d

    @classmethod
    def fit(
        cls,
        memory: EntityMemory,
        parts: Sequence[tuple[Floats2d, EntityBatch]],
        y: Targets,
        n_classes: int,
        *,
        C: float,
    ) -> "EntityVote":
        """Fit W and b at the attention of `memory`, on documents that have an entity.

        Parameters
        ----------
        parts, y
            As in `learn_attention`. Where the linked documents hold nothing to tell apart there
            is nothing to learn, and no evidence for any class.
        """
        inputs, rows = [], []
        for vectors, batch in parts:
            linked = np.flatnonzero(batch.counts)
            inputs.append(pooled(memory, vectors, batch)[linked])
            rows.append(linked)
        gold = y[np.concatenate(rows)]
        linear = LinearHead.fit_where_possible(np.vstack(inputs), gold, n_classes, C=C)
        objective = objective_of(gold)
        if objective.can_learn(gold):
            return cls(linear, memory, objective.prior(gold, n_classes))
        nothing = objective.log_probabilities(linear.bias[None])
        return cls(linear, memory, objective.scores(nothing)[0])

    def log_evidence(self, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
        """Return log p_z(c) − log p(c), or the same of log-odds: float64 (n_documents, n_classes).

        0 for a class that no linked training document has: nothing is known of it.
        """
        return self._evidence(pooled(self.memory, vectors, batch))

    def log_evidence_without_each(self, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
        """Return the same without the entity of each pair: float64 (n_pairs, n_classes)."""
        weights, as_sum = pair_weights(self.memory, vectors, batch), self.memory.attention == "sum"
        return self._evidence(pooled_without_each(weights, batch.vectors, batch, as_sum=as_sum))

    def _evidence(self, pooled: Doubles2d) -> Doubles2d:
        voted = self.linear.log_probabilities(pooled)
        scores = self.linear.objective.scores(voted)
        return np.where(np.isneginf(scores), 0.0, scores - self.log_priors)

    def learn_attention(
        self, parts: Sequence[tuple[Floats2d, EntityBatch]], y: Targets, *,
        n_steps: int = SEARCH.n_vote_steps,
    ) -> "EntityVote":  # fmt: skip
        """Train W, b and W_a together on copies of the training documents.

        The objective is that of `joint`, at the C of the linear part.

        Parameters
        ----------
        parts
            Copies of the documents: encoder vectors and entities; the same entities and entity
            vectors in each.
        y
            int64 (n_documents,): class of each, the same for every copy; or its labels, bool
            (n_documents, n_classes).
        """
        if self.memory.attention != "learned" or not self._has_every_class():
            return self
        scale = self.linear.standardisation
        # Copies differ in their pairs alone: one matrix v / s serves them all.
        scaled = torch.from_numpy(parts[0][1].vectors / scale.deviation)
        copies = [_Votes.of(self.memory, vectors, batch, scaled) for vectors, batch in parts]
        mean = torch.from_numpy(scale.mean / scale.deviation)
        weight = nn.Parameter(torch.from_numpy(self.linear.weight.copy()))
        bias = nn.Parameter(torch.from_numpy(self.linear.bias.copy()))
        start = torch.from_numpy(self.memory.attention_weight.astype(np.float64))
        attention = nn.Parameter(start.clone())
        gold, answer = torch.from_numpy(y), objective_of(y)

        def closure() -> Tensor:
            optimizer.zero_grad()
            loss = answer.squared_size(weight) + (attention - start).square().sum()
            loss = loss / (2 * self.linear.C)
            for copy in copies:
                logits = copy.logits(weight, attention) + bias - weight @ mean
                linked = copy.linked
                loss = loss + answer.summed_loss(logits[linked], gold[linked])
            loss.backward()
            return loss

        optimizer = torch.optim.LBFGS(
            [weight, bias, attention], max_iter=n_steps, line_search_fn="strong_wolfe"
        )
        optimizer.step(closure)
        return EntityVote(
            replace(self.linear, weight=weight.detach().numpy(), bias=bias.detach().numpy()),
            replace(self.memory, attention_weight=attention.detach().numpy().astype(np.float32)),
            self.log_priors,
        )

    def _has_every_class(self) -> bool:
        return bool(np.isfinite(self.linear.bias).all() and self.linear.weight.any())


@dataclass(frozen=True)
class _Votes:
    """A copy of the documents, ready for repeated passes."""

    pairs: EntityPairs
    vectors: Tensor  # v / s: (n_entities, width)
    linked: Tensor  # documents with an entity

    @classmethod
    def of(
        cls, memory: EntityMemory, vectors: Floats2d, batch: EntityBatch, scaled: Tensor
    ) -> "_Votes":
        features = attention_features(memory, vectors, batch)
        linked = torch.from_numpy(np.flatnonzero(batch.counts))
        return cls(EntityPairs.of(batch.offsets, batch.columns, features), scaled, linked)

    def logits(self, weight: Tensor, attention: Tensor) -> Tensor:
        weights = softmax_by_document(self.pairs.features @ attention, self.pairs)
        return functional.embedding_bag(
            self.pairs.entities,
            self.vectors @ weight.T,
            self.pairs.offsets,
            mode="sum",
            per_sample_weights=weights,
            include_last_offset=True,
        )


def attention_features(memory: EntityMemory, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
    """Return φ of each pair: float64 (n_pairs, 3): cos(h, v), log commonness, log idf.

    Vectors of another width than the documents' have no cosine with them: 0.
    """
    documents, columns = batch.documents, batch.columns
    features = np.zeros((len(columns), 3))
    if batch.vectors.shape[1] == vectors.shape[1]:
        unit_documents, unit_vectors = _unit(vectors), _unit(batch.vectors)
        for start in range(0, len(columns), 100_000):  # bounds the memory
            rows = slice(start, start + 100_000)
            features[rows, 0] = np.einsum(
                "pd,pd->p", unit_documents[documents[rows]], unit_vectors[columns[rows]]
            )
    frequency = np.maximum(memory.inverse_document_frequency(batch), SMALLEST_IDF)
    features[:, 1] = np.log(np.maximum(batch.commonness, 1e-6))
    features[:, 2] = np.log(frequency)[columns]
    return features


def pair_weights(memory: EntityMemory, vectors: Floats2d, batch: EntityBatch) -> Doubles1d:
    """Return a_e of each pair: float64 (n_pairs,); they add up to 1 in a document, or are 1."""
    if memory.attention == "sum":
        return np.ones(len(batch.columns))
    if memory.attention == "mean":
        return (1.0 / np.maximum(batch.counts, 1))[batch.documents]
    features = attention_features(memory, vectors, batch)
    scores = torch.from_numpy(features @ memory.attention_weight.astype(np.float64))
    pairs = EntityPairs.of(batch.offsets, batch.columns, features)
    return softmax_by_document(scores, pairs).numpy()


def pooled(memory: EntityMemory, vectors: Floats2d, batch: EntityBatch) -> Doubles2d:
    """Return z = Σ a_e v_e: float64 (n_documents, width of v); zeros where nothing is linked."""
    weights = pair_weights(memory, vectors, batch)
    shape = (len(batch), len(batch.entities))
    matrix = scipy.sparse.csr_array((weights, batch.columns, batch.offsets), shape=shape)
    return np.asarray(matrix @ batch.vectors.astype(np.float64), dtype=np.float64)


def _unit(vectors: Floats2d) -> Floats2d:
    norms = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors / np.maximum(norms, np.float32(1e-12))
