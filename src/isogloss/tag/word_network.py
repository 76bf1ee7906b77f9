"""Encoder and head as one torch module: the logits of the words of some windows of sentences.

What is trained, and how, is `tuning`'s business.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from isogloss.arrays import Ints1d
from isogloss.encode.batches import pad
from isogloss.encode.layer_states import LayeredModel
from isogloss.encode.model import Network
from isogloss.encode.words.sentence_windows import WordTokens
from isogloss.learn.linear_head import LinearHead


@dataclass(frozen=True)
class WordBatch:
    """Some windows, padded, and their words, one behind another.

    Attributes
    ----------
    ids, mask
        int64 (n_windows, longest).
    rows, words
        Pairs: row of a token among all of the batch, and the word that it is of.
    gold
        int64 (n_words,): number of each word's tag.
    """

    ids: Tensor
    mask: Tensor
    rows: Tensor
    words: Tensor
    gold: Tensor


class WordExamples:
    """Windows of sentences with the tags of their words; an example is its number.

    Parameters
    ----------
    windows
        Those to learn from.
    gold
        The tags of the words of each window, by number.
    """

    def __init__(
        self, windows: Sequence[WordTokens], gold: Sequence[Ints1d], *, pad_id: int, device: str
    ) -> None:
        self.windows, self.gold = windows, gold
        self._pad_id, self._device = pad_id, device
        self.lengths = np.array([len(one.ids) for one in windows], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.windows)

    def collate(self, rows: list[int]) -> WordBatch:
        """Return a batch of some windows."""
        some = [self.windows[row] for row in rows]
        padded = pad([one.ids for one in some], pad_id=self._pad_id)
        longest = padded.ids.shape[1]
        first = np.concatenate([[0], np.cumsum([one.n_words for one in some])])
        made = (
            padded.ids,
            padded.mask,
            np.concatenate([at * longest + one.tokens for at, one in enumerate(some)]),
            np.concatenate([first[at] + one.words for at, one in enumerate(some)]),
            np.concatenate([self.gold[row] for row in rows]),
        )
        return WordBatch(*(torch.from_numpy(one).to(self._device) for one in made))


class WordNetwork(nn.Module):
    """Encoder and head, to be trained together; no layer above the highest of `layers` is run.

    Parameters
    ----------
    network
        The encoder's; it is trained in place.
    adapted
        What peft made of its model; None: the model itself.
    layers
        Whose mean the vector of a word is.
    start
        W and b start from it, its standardisation folded in.
    dropout
        Share of a word's vector that is dropped in training.
    """

    def __init__(
        self, network: Network, adapted: Any, layers: tuple[int, ...], start: LinearHead, *,
        dropout: float,
    ) -> None:  # fmt: skip
        super().__init__()
        self.encoder = adapted or network.model
        self.dropout = nn.Dropout(dropout)
        n_tags, width = start.weight.shape
        self.classify = nn.Linear(width, n_tags)
        weight = start.weight / start.standardisation.deviation
        bias = start.bias - weight @ start.standardisation.mean
        with torch.no_grad():
            self.classify.weight.copy_(torch.from_numpy(weight))
            self.classify.bias.copy_(torch.from_numpy(bias))
        self._layers, self._network = layers, network
        self._layered: LayeredModel | None = None

    def forward(self, batch: WordBatch) -> Tensor:
        """Return the logits of the batch's words: float32 (n_words, n_tags)."""
        inputs = {"input_ids": batch.ids, "attention_mask": batch.mask}
        if self._layered is None:
            with torch.no_grad():
                self._layered = LayeredModel(
                    self._network.model, n_layers=self._network.n_layers, like=inputs
                )
        states = self._layered(inputs, self._layers).hidden_states
        with torch.autocast(batch.ids.device.type, enabled=False):
            mean = torch.stack([states[layer].float() for layer in self._layers]).mean(dim=0)
            tokens = mean.flatten(0, 1)[batch.rows]
            sums = torch.zeros(len(batch.gold), mean.shape[-1], device=mean.device)
            sums = sums.index_add(0, batch.words, tokens)
            counts = torch.bincount(batch.words, minlength=len(batch.gold))[:, None]
            logits: Tensor = self.classify(self.dropout(sums / counts))
            return logits


def freeze_unused(module: WordNetwork, examples: WordExamples) -> None:
    """Freeze parameters that no logit depends on: of layers above, of a pooler."""
    module.eval()
    module(examples.collate([0])).sum().backward()
    for parameter in module.parameters():
        if parameter.grad is None:
            parameter.requires_grad_(False)
        parameter.grad = None
