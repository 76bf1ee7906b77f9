"""A masked language model as a module of the training loop, and its loss on development text."""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from torch import Tensor, nn

from isogloss.align.pretraining.epoch_blocks import MaskedBatch, Masking
from isogloss.align.pretraining.head import hidden_states, prediction_loss
from isogloss.align.pretraining.packing import Blocks
from isogloss.encode.batches import budgeted_batches

DEV = -1  # in place of an epoch, for masks that are always the same
TOKENS_AT_ONCE = 2048


class MaskedLanguageModel(nn.Module):
    """A masked language model of `transformers`, to be trained in place.

    Parameters
    ----------
    n_predicted
        Tokens that a block has to predict, on average: what a block's loss is divided by, so that
        every token counts alike, in whatever way a batch is cut.
    stage
        Which of several runs this is, for the log of each epoch; "" where there is one only.
    """

    def __init__(self, model: Any, *, n_predicted: float = 1.0, stage: str = "") -> None:
        super().__init__()
        self._stage = stage
        self.model = model
        self.n_predicted = n_predicted

    def epoch_in_words(self) -> str:
        """Return which stage an epoch was of, for the log."""
        return self._stage

    def loss(self, batch: MaskedBatch) -> Tensor:
        """Return the cross-entropy of the masked tokens, summed, over `n_predicted`."""
        return self.summed(batch) / self.n_predicted

    def summed(self, batch: MaskedBatch) -> Tensor:
        """Return the cross-entropy summed over the masked tokens."""
        states = hidden_states(self.model, batch.ids, batch.mask)
        return prediction_loss(self.model, states.flatten(0, 1)[batch.places], batch.targets)


class DevLoss:
    """The loss on development blocks, as a score that grows: its negative, mean over tokens.

    Kinds of blocks count by their tokens; the scores after the first are those of each kind that
    there is, of single languages first.
    """

    def __init__(self, module: MaskedLanguageModel, blocks: Blocks, masking: Masking) -> None:
        self._module, self._blocks, self._masking = module, blocks, masking
        is_pair = np.array(blocks.is_pair, np.bool_)[blocks.group]
        self._kinds = {
            name: np.flatnonzero(is_pair == kind)
            for name, kind in (("MLM", False), ("TLM", True))
            if (is_pair == kind).any()
        }

    def __call__(self) -> tuple[float, ...]:
        """Return the scores; see the class."""
        sums = {name: self._sums(rows) for name, rows in self._kinds.items()}
        total = sum(loss for loss, _ in sums.values()) / sum(n for _, n in sums.values())
        return (-total, *(-loss / n for loss, n in sums.values()))

    def in_words(self, score: tuple[float, ...]) -> str:
        """Return the perplexities of a score."""
        said = (
            f"{name} perplexity {math.exp(min(-one, 700)):.3f}"
            for name, one in zip(self._kinds, score[1:], strict=True)
        )
        return ", ".join(said)

    def _sums(self, rows: Any) -> tuple[float, int]:
        loss, n = 0.0, 0
        for batch in self._batches(rows):
            loss += float(self._module.summed(batch))
            n += len(batch.targets)
        return loss, n

    def _batches(self, rows: Any) -> Iterator[MaskedBatch]:
        lengths = self._blocks.lengths[rows]
        for some in budgeted_batches(lengths, budget=TOKENS_AT_ONCE):
            chosen = [int(row) for row in rows[some]]
            yield self._masking.batch(
                [self._blocks[row] for row in chosen], [(DEV, row) for row in chosen]
            )
