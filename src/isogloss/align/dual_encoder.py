"""The dual encoder as a torch module: one network for both sides, and the loss of a batch.

The loss sees the whole batch, also where its texts do not fit into memory together: texts are
encoded in micro-batches, sorted by length, and where there is more than one each is computed again
in the backward pass instead of being kept (gradient caching, Gao et al. 2021, by torch's own
activation checkpointing). Under several processes every process ranks its pairs among those of all.
"""

import math

import numpy as np
import torch
from torch import Tensor, nn
from torch.utils.checkpoint import checkpoint

from isogloss.align.pairs import PairBatch
from isogloss.align.ranking import Sentences, ranking_losses
from isogloss.arrays import SmallInts1d
from isogloss.encode.batches import budgeted_batches, pad
from isogloss.encode.model import Network
from isogloss.encode.plan import Plan
from isogloss.learn.tuned_encoder import vectors_in_training
from isogloss.train.processes import Gathered, gathered

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
    margin, scale
        Of the loss (`ranking_losses`).
    learns_scale
        Whether the scale is trained too, from `scale` on, as the exponential of a parameter.
    """

    def __init__(
        self, network: Network, plan: Plan, *, margin: float, scale: float, learns_scale: bool
    ) -> None:
        super().__init__()
        self.encoder = network.model
        self.dense = nn.ModuleList(network.dense)
        self.log_scale = nn.Parameter(
            torch.tensor(math.log(scale), device=network.device), requires_grad=learns_scale
        )
        self.margin = margin
        self._network, self._plan = network, plan

    def loss(self, batch: PairBatch) -> Tensor:
        """Return the loss summed over the pairs of this process; see the module."""
        vectors = self.vectors(batch.ids)
        n = batch.n_pairs
        device = vectors.device
        sources = gathered(vectors[:n])
        targets = gathered(vectors[n : 2 * n])
        sentences = Sentences(
            gathered(batch.sentences.sources.to(device)).values,
            gathered(batch.sentences.targets.to(device)).values,
        )
        further, masked = self._negatives(vectors[2 * n :], batch, sentences)
        losses = ranking_losses(
            sources.values, targets.values, margin=self.margin, scale=self._scale(sources.size),
            is_no_negative=sentences.is_no_negative(), negatives=further, negatives_masked=masked,
        )  # fmt: skip
        # Its gradient is that of the pairs of all processes, its value that of our own: the loop
        # adds up both over the processes.
        whole, own = losses.sum(), losses[sources.own].sum()
        return whole + (own - whole).detach()

    def vectors(self, ids: list[SmallInts1d]) -> Tensor:
        """Return the unit vectors of tokenised texts, in order: float32 (n_texts, width)."""
        lengths = np.array([len(one) for one in ids], np.int64)
        kind = self._network.device.partition(":")[0]
        budget = TOKENS_OF_A_MICRO_BATCH.get(kind, ON_A_CARD)
        parts = list(budgeted_batches(lengths, budget=budget))
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
        further: Gathered = gathered(vectors)
        numbers = gathered(batch.negatives.to(vectors.device)).values
        masked = (sentences.targets[:, None] == numbers) | (sentences.sources[:, None] == numbers)
        return further.values, masked
