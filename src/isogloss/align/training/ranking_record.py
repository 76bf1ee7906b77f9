"""How pairs were ranked in their batches: what the log of training says beside the loss."""

from dataclasses import dataclass

import torch
from torch import Tensor

from isogloss.errors import counted


@dataclass(frozen=True)
class RankedEpoch:
    """The pairs of an epoch, as they were ranked when their batch was trained on.

    Attributes
    ----------
    n_pairs
        Pairs in all batches; of a resumed run those since.
    accuracy
        Share of sentences whose translation was the nearest of the batch, over both directions.
    n_masked
        Pairs for which another of their batch was no negative, as a sentence of both is the same.
    """

    n_pairs: int
    accuracy: float
    n_masked: int


class RankingRecord:
    """Counts of the batches so far; they stay on the device until the end of an epoch."""

    def __init__(self) -> None:
        self.epochs: list[RankedEpoch] = []
        self._counts: list[Tensor] = []

    def add(self, sources: Tensor, targets: Tensor, is_no_negative: Tensor) -> None:
        """Count a batch: unit vectors (n_pairs, width), bool (n_pairs, n_pairs)."""
        cosines = (sources @ targets.T).masked_fill(is_no_negative, -torch.inf)
        gold = torch.arange(len(cosines), device=cosines.device)
        n_right = (cosines.argmax(1) == gold).sum() + (cosines.argmax(0) == gold).sum()
        n_pairs = torch.full_like(n_right, len(cosines))
        self._counts.append(torch.stack([n_pairs, n_right, is_no_negative.any(1).sum()]))

    def end_epoch(self) -> str:
        """Keep the counts of the epoch and return them in words; "" where nothing was ranked."""
        if not self._counts:
            return ""
        n_pairs, n_right, n_masked = torch.stack(self._counts).sum(0).tolist()
        self._counts = []
        self.epochs.append(RankedEpoch(n_pairs, n_right / (2 * n_pairs), n_masked))
        return (
            f"accuracy in the batch {self.epochs[-1].accuracy:.4f}, "
            f"{counted(n_masked, 'pair')} with equal sentences masked"
        )
