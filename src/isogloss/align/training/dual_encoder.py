"""The dual encoder as a torch module: one network for both sides, and the loss of a batch.

The loss sees the whole batch, also where its texts do not fit into memory together: texts are
encoded in micro-batches, sorted by length, and where there is more than one each is computed again
in the backward pass instead of being kept (gradient caching, Gao et al. 2021, by torch's own
activation checkpointing). Under several processes every process ranks its pairs among those of all.
Distillation needs no other pairs: each process adds that of its own.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from isogloss.align.training.distillation import distillation_losses
from isogloss.align.training.objective import Objective
from isogloss.align.training.pairs import PairBatch
from isogloss.align.training.ranking import Sentences, ranking_losses
from isogloss.align.training.ranking_record import RankingRecord
from isogloss.arrays import Ints1d, SmallInts1d
from isogloss.encode.batches import budgeted_batches, pad
from isogloss.encode.model import Network
from isogloss.encode.plan import Plan
from isogloss.learn.tuned_encoder import vectors_in_training
from isogloss.train.loop import PART_COST
from isogloss.train.order import micro_batches
from isogloss.train.processes import gathered

TOKENS_OF_A_MICRO_BATCH = {"cpu": 2048}
TOKENS_KEPT = {"cpu": 16_384}  # padded tokens whose activations are kept for the backward pass
ON_A_CARD = 65_536


class DualEncoder(nn.Module):
    """An encoder to be trained on pairs.

    Parameters
    ----------
    network
        It is trained in place.
    plan
        Pooling of the vectors; they always have unit length here.
    objective
        What is minimised.

    Attributes
    ----------
    record
        How pairs were ranked in their batches so far.
    """

    def __init__(self, network: Network, plan: Plan, objective: Objective) -> None:
        super().__init__()
        self.encoder = network.model
        self.dense = nn.ModuleList(network.dense)
        self.log_scale = nn.Parameter(
            torch.tensor(math.log(objective.scale), device=network.device),
            requires_grad=objective.learns_scale,
        )
        self.record = RankingRecord()
        self._network, self._plan, self._objective = network, plan, objective

    def loss(self, batch: PairBatch) -> Tensor:
        """Return the loss summed over the pairs of this process; see the module."""
        vectors = self.vectors(batch.ids)
        weight = self._objective.ranking_weight
        total = weight * self._ranking(vectors, batch) if weight else vectors.new_zeros(())
        if batch.teacher is not None:
            n = batch.n_pairs
            teacher = batch.teacher.to(vectors.device)
            losses = distillation_losses(vectors[:n], vectors[n : 2 * n], teacher)
            total = total + self._objective.distillation_weight * losses.sum()
        return total

    def epoch_in_words(self) -> str:
        """Return how pairs were ranked in this epoch, for the log, and begin the next."""
        return self.record.end_epoch()

    def vectors(self, ids: list[SmallInts1d]) -> Tensor:
        """Return the unit vectors of tokenised texts, in order: float32 (n_texts, width).

        A text without any token has the vector of padding: it stays in its place.
        """
        nothing = np.array([self._network.pad_id], np.int32)
        ids = [one if len(one) else nothing for one in ids]
        lengths = np.array([len(one) for one in ids], np.int64)
        kind = self._network.device.partition(":")[0]
        parts = _micro_batches(lengths, kind)
        is_kept = int(lengths.sum()) <= TOKENS_KEPT.get(kind, ON_A_CARD)
        found = []
        for rows in parts:
            padded = pad([ids[row] for row in rows], pad_id=self._network.pad_id)
            tensors = [
                torch.from_numpy(one).to(self._network.device) for one in (padded.ids, padded.mask)
            ]
            if is_kept or not torch.is_grad_enabled():
                found.append(self._pooled(*tensors))
            else:
                found.append(checkpoint(self._pooled, *tensors, use_reentrant=False))
        places = torch.from_numpy(np.argsort(np.concatenate(parts), kind="stable"))
        return torch.cat(found)[places.to(self._network.device)]

    def _ranking(self, vectors: Tensor, batch: PairBatch) -> Tensor:
        n, device = batch.n_pairs, vectors.device
        sources = gathered(vectors[:n])
        targets = gathered(vectors[n : 2 * n])
        sentences = Sentences(
            gathered(batch.sentences.sources.to(device)).values,
            gathered(batch.sentences.targets.to(device)).values,
        )
        is_no_negative = sentences.is_no_negative()
        further, masked = self._negatives(vectors[2 * n :], batch, sentences)
        losses = ranking_losses(
            sources.values, targets.values, margin=self._objective.margin,
            scale=self._scale(sources.size), is_no_negative=is_no_negative, negatives=further,
            negatives_masked=masked,
        )  # fmt: skip
        if self.training:
            self.record.add(sources.values.detach(), targets.values.detach(), is_no_negative)
        # Its gradient is that of the pairs of all processes, its value that of our own: the loop
        # adds up both over the processes.
        whole, own = losses.sum(), losses[sources.own].sum()
        return whole + (own - whole).detach()

    def _pooled(self, ids: Tensor, mask: Tensor) -> Tensor:
        return vectors_in_training(
            self._network, self.encoder, ids, mask, pooling=self._plan.pooling, normalize=True
        )

    def _scale(self, n_processes: int) -> Tensor:
        """Return the scale; its gradient is a share, as every process computes the whole loss."""
        scale = self.log_scale.exp()
        return scale / n_processes + (1 - 1 / n_processes) * scale.detach()

    def _negatives(
        self, vectors: Tensor, batch: PairBatch, sentences: Sentences
    ) -> tuple[Tensor | None, Tensor | None]:
        if batch.negatives is None:
            return None, None
        own, device = batch.negatives, vectors.device
        further = gathered(vectors)
        numbers = gathered(own.numbers.to(device)).values
        masked = (sentences.targets[:, None] == numbers) | (sentences.sources[:, None] == numbers)
        places = gathered(own.places.to(device) + further.own.start).values
        known = gathered(own.sources.to(device)).values
        is_known = (sentences.sources[:, None] == known).float()  # (n_pairs, n_known)
        n_known = torch.zeros(masked.shape, device=device).index_add_(1, places, is_known)
        return further.values, masked | (n_known > 0)


def _micro_batches(lengths: Ints1d, kind: str) -> list[Ints1d]:
    """Return the texts of each micro-batch, of like lengths.

    A processor pays for every padded token, so they are cut where it is cheapest; a graphics card
    for every call, so they are as few as the budget allows.
    """
    budget = TOKENS_OF_A_MICRO_BATCH.get(kind, ON_A_CARD)
    if kind not in PART_COST:
        return list(budgeted_batches(lengths, budget=budget))
    longest_first = np.argsort(-lengths, kind="stable")
    return micro_batches(
        longest_first, lengths, accumulate=None, max_tokens=budget, part_cost=PART_COST[kind]
    )
