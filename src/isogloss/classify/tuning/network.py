"""The whole classifier as one torch module: encoder, attention over entities, linear map.

    h = the encoder's vector of the text
    z = Σ a_e v_e,  a = softmax(W_aᵀ [cos(h, v_e); p_e])        (`documents.attention`)
    logits = W dropout(h + z) + b

the equations of Nishikawa et al. (2022); without entities z is 0. Batches of texts are made here
too. What is trained, and how, is `task`'s business.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.arrays import Ints1d, SmallInts1d
from isogloss.classify.documents.attention import EntityPairs, EntityPooling
from isogloss.classify.documents.entity_batch import EntityBatch
from isogloss.encode.batches import pad
from isogloss.encode.model import Network
from isogloss.encode.plan import Plan
from isogloss.learn.objective import Targets
from isogloss.learn.tuned_encoder import vectors_in_training

INITIAL_SPREAD = 0.02  # standard deviation of W at the start, as transformers has it


@dataclass(frozen=True)
class TextBatch:
    """Some texts, padded, with their entities."""

    ids: Tensor  # int64 (n_texts, longest)
    mask: Tensor  # int64 (n_texts, longest)
    gold: Tensor  # int64 (n_texts,): classes; or float (n_texts, n_classes): 1 for each label
    entities: Tensor | None  # int64 (n,): rows of v that occur; None without a knowledge base
    pairs: EntityPairs | None  # the entities of each text, numbered within `entities`


class TextExamples:
    """Tokenised texts with their labels and entities; an example is its number.

    Parameters
    ----------
    ids
        Tokens of each text.
    gold
        int64 (n_texts,), or bool (n_texts, n_classes) for several labels a text.
    batch
        The texts' entities, or None.
    known
        int64 ascending: the entities that v has rows for; those of `batch` must be among them.
    """

    def __init__(
        self,
        ids: list[SmallInts1d],
        gold: Targets,
        batch: EntityBatch | None,
        *,
        known: Ints1d | None,
        pad_id: int,
        device: str,
    ) -> None:
        self.ids, self.gold, self.batch = ids, gold, batch
        self._known, self._pad_id, self._device = known, pad_id, device
        self.lengths = np.array([len(one) for one in ids], dtype=np.int64)

    def __len__(self) -> int:
        return len(self.ids)

    def collate(self, rows: list[int]) -> TextBatch:
        """Return a batch of some texts."""
        padded = pad([self.ids[row] for row in rows], pad_id=self._pad_id)
        gold = torch.from_numpy(self.gold[np.asarray(rows)]).to(self._device)
        entities, pairs = None, None
        if self.batch is not None and self._known is not None:
            chosen = self.batch.select(np.asarray(rows, dtype=np.int64))
            met, columns = np.unique(chosen.columns, return_inverse=True)
            places = np.searchsorted(self._known, chosen.entities[met])
            entities = torch.from_numpy(places.astype(np.int64)).to(self._device)
            features = chosen.commonness[:, None]
            pairs = EntityPairs.of(chosen.offsets, columns, features).to(self._device)
        return TextBatch(
            torch.from_numpy(padded.ids).to(self._device),
            torch.from_numpy(padded.mask).to(self._device),
            gold if gold.dtype == torch.int64 else gold.float(),
            entities,
            pairs,
        )


class TunedNetwork(nn.Module):
    """Encoder, entities and linear map, to be trained together.

    Parameters
    ----------
    network
        The encoder's; it is trained in place.
    plan
        Pooling and normalisation of h.
    pooling
        v and W_a; None: the encoder alone.
    n_classes
        Rows of W.
    dropout
        Share of h + z that is dropped in training.
    seed
        Of W, which starts from small random numbers.
    """

    def __init__(
        self,
        network: Network,
        plan: Plan,
        pooling: EntityPooling | None,
        *,
        n_classes: int,
        dropout: float,
        seed: int,
    ) -> None:
        super().__init__()
        self.encoder = network.model
        self.dense = nn.ModuleList(network.dense)
        self.pooling = pooling
        self.dropout = nn.Dropout(dropout)
        self.classify = nn.Linear(network.width, n_classes)
        generator = torch.Generator().manual_seed(seed)
        with torch.no_grad():
            self.classify.weight.normal_(std=INITIAL_SPREAD, generator=generator)
            self.classify.bias.zero_()
        self._network, self._plan = network, plan

    def vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Return h: float32 (n_texts, width)."""
        return vectors_in_training(
            self._network, self.encoder, ids, mask, pooling=self._plan.pooling,
            normalize=self._plan.normalize,
        )  # fmt: skip

    def forward(self, batch: TextBatch) -> Tensor:
        """Return the logits: float32 (n_texts, n_classes)."""
        vectors = self.vectors(batch.ids, batch.mask)
        with torch.autocast(vectors.device.type, enabled=False):
            if self.pooling is not None and batch.pairs is not None:
                vectors = vectors + self.pooling(vectors, batch.pairs, batch.entities)
            logits: Tensor = self.classify(self.dropout(vectors))
            return logits


def summed_loss(logits: Tensor, gold: Tensor, weights: Tensor | None) -> Tensor:
    """Return the loss summed over texts: cross-entropy, or the mean over labels of its binary form.

    Parameters
    ----------
    gold
        As in `TextBatch`.
    weights
        (n_classes,): of each class; with several labels a text, of the presence of each.
    """
    logits = logits.float()
    if gold.ndim == 1:
        return functional.cross_entropy(logits, gold, weight=weights, reduction="sum")
    summed = functional.binary_cross_entropy_with_logits(
        logits, gold, pos_weight=weights, reduction="sum"
    )
    return summed / gold.shape[1]


def balanced_weights(gold: Targets, n_classes: int) -> Tensor:
    """Return the weight of each class under ``class_weights="balanced"``: float32 (n_classes,)."""
    if gold.ndim == 1:
        counts = np.bincount(gold, minlength=n_classes)
        weights = len(gold) / (n_classes * np.maximum(counts, 1))
    else:
        counts = gold.sum(axis=0)
        weights = (len(gold) - counts) / np.maximum(counts, 1)
    return torch.from_numpy(weights.astype(np.float32))


def dev_score(logits: Tensor, gold: Tensor) -> tuple[float, float]:
    """Return what epochs are compared by: the share of right answers, then the loss.

    Right answers are counted as accuracy; with several labels a text as micro F1, at a
    probability of one half.
    """
    loss = float(summed_loss(logits, gold, None)) / len(gold)
    if gold.ndim == 1:
        return float((logits.argmax(dim=1) == gold).double().mean()), -loss
    predicted, wanted = logits >= 0, gold > 0
    n_both = float((predicted & wanted).sum())
    n_either = float(predicted.sum() + wanted.sum())
    return (2 * n_both / n_either if n_either else 1.0), -loss


def score_in_words(score: tuple[float, ...], *, several: bool) -> str:
    """Return a `dev_score` with its numbers named; `several`: of several labels a text."""
    right, minus_loss = score
    return f"{'micro F1' if several else 'accuracy'} {right:.4f}, log-loss {-minus_loss:.4f}"
