"""A classifier as one module of torch: tokens to logits, with entities where it has them.

It is what `torch.onnx.export` traces; the arithmetic is that of the heads (`heads`), in float32 and
on a matrix of entities with a mask in place of flat pairs. Of the result the softmax counts, so
constants of a row are left out.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.classify.documents.entity_memory import EntityMemory
from isogloss.classify.export.parts import Linear, folded
from isogloss.classify.heads.head import Head
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.encode.transforms import Transform
from isogloss.learn.export.graph import Sentences
from isogloss.learn.objective import SOFTMAX

LEAST = 1e-12


class TransformedSentences(nn.Module):
    """Vectors after a transform, as `Encoder.with_transform` has it."""

    def __init__(self, sentences: Sentences, transform: Transform, *, normalize: bool) -> None:
        super().__init__()
        self.sentences, self.normalize = sentences, normalize
        self.map = linear_module(affine(transform))

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return vectors, (n_texts, width)."""
        mapped: Tensor = self.map(self.sentences(input_ids, attention_mask))
        return functional.normalize(mapped, dim=-1) if self.normalize else mapped


class EncoderOnlyNetwork(nn.Module):
    """Vectors to logits."""

    def __init__(self, reader: nn.Module, linear: Linear) -> None:
        super().__init__()
        self.reader, self.linear = reader, linear_module(linear)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return logits, (n_texts, n_classes)."""
        logits: Tensor = self.linear(self.reader(input_ids, attention_mask))
        return logits


class MboeNetwork(nn.Module):
    """Logits of h + z; see `heads.mboe`."""

    def __init__(self, reader: nn.Module, head: MboeHead, *, temperature: float) -> None:
        super().__init__()
        self.reader = reader
        self.linear = linear_module(folded(head.linear, temperature=temperature))
        self.pooling = MaskedPooling(head.memory, with_cosine=True)

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, entity_vectors: Tensor,
        entity_features: Tensor, entity_mask: Tensor,
    ) -> Tensor:  # fmt: skip
        """Return logits, (n_texts, n_classes)."""
        vectors = self.reader(input_ids, attention_mask)
        pooled = self.pooling(vectors, entity_vectors, entity_features, entity_mask)
        logits: Tensor = self.linear(vectors + pooled)
        return logits


class MboePlusNetwork(nn.Module):
    """Logits of the encoder with the vote of the entities; see `heads.mboe_plus`."""

    known: Tensor
    log_priors: Tensor

    def __init__(self, reader: nn.Module, head: MboePlusHead, *, temperature: float) -> None:
        super().__init__()
        vote = head.vote
        self.reader = reader
        self.linear = linear_module(folded(head.linear))
        self.vote = linear_module(folded(vote.linear))
        same_width = vote.linear.weight.shape[1] == head.linear.weight.shape[1]
        self.pooling = MaskedPooling(vote.memory, with_cosine=same_width)
        self.mixture, self.temperature = head.mixture, temperature
        self.excludes = head.linear.objective is SOFTMAX
        # Of a class that no linked training text has nothing is known.
        _hold(self, "known", np.isfinite(vote.linear.bias))
        _hold(self, "log_priors", np.nan_to_num(vote.log_priors, neginf=0.0).astype(np.float32))

    def forward(
        self, input_ids: Tensor, attention_mask: Tensor, entity_vectors: Tensor,
        entity_features: Tensor, entity_mask: Tensor,
    ) -> Tensor:  # fmt: skip
        """Return logits, (n_texts, n_classes)."""
        vectors = self.reader(input_ids, attention_mask)
        pooled = self.pooling(vectors, entity_vectors, entity_features, entity_mask)
        voted = self.vote(pooled)
        if self.excludes:
            voted = functional.log_softmax(voted, dim=-1)
        evidence = torch.where(self.known, voted - self.log_priors, torch.zeros_like(voted))
        counts = entity_mask.sum(dim=1, keepdim=True).to(evidence.dtype)
        weights = self.mixture.strength * counts / (counts + max(self.mixture.half_count, LEAST))
        logits: Tensor = (self.linear(vectors) + weights * evidence) / self.temperature
        return logits


class MaskedPooling(nn.Module):
    """z of each text, zeros where it has no entity; see `documents.attention` and `heads.vote`.

    Parameters
    ----------
    with_cosine
        Whether vectors of texts and entities can be compared.
    """

    attention_weight: Tensor

    def __init__(self, memory: EntityMemory, *, with_cosine: bool) -> None:
        super().__init__()
        self.attention, self.with_cosine = memory.attention, with_cosine
        _hold(self, "attention_weight", memory.attention_weight.astype(np.float32))

    def forward(self, texts: Tensor, vectors: Tensor, features: Tensor, mask: Tensor) -> Tensor:
        """Return z: (n_texts, width of `vectors`)."""
        there = mask.to(vectors.dtype)
        weights = there
        if self.attention == "mean":
            weights = there / there.sum(dim=1, keepdim=True).clamp(min=1)
        elif self.attention == "learned":
            scores = features @ self.attention_weight[1:]
            if self.with_cosine:
                unit = functional.normalize(texts, dim=-1)[:, None]
                cosines = (functional.normalize(vectors, dim=-1) * unit).sum(dim=-1)
                scores = scores + cosines * self.attention_weight[0]
            scores = torch.where(mask > 0, scores, torch.full_like(scores, -1e30))
            raised = (scores - scores.amax(dim=1, keepdim=True)).exp() * there
            weights = raised / raised.sum(dim=1, keepdim=True).clamp(min=LEAST)
        return (weights[..., None] * vectors).sum(dim=1)


def network_of(reader: nn.Module, head: Head, *, temperature: float) -> nn.Module:
    """Return the module of a head with its entities; `reader` takes tokens and gives vectors."""
    if isinstance(head, MboeHead):
        return MboeNetwork(reader, head, temperature=temperature)
    if isinstance(head, MboePlusHead):
        return MboePlusNetwork(reader, head, temperature=temperature)
    return EncoderOnlyNetwork(reader, folded(head.linear, temperature=temperature))


def affine(transform: Transform) -> Linear:
    """Return a transform as W and b: W x + b is (x - mean) · matrix."""
    own = transform.matrix
    matrix: np.ndarray[Any, Any] = np.eye(transform.width) if own is None else own
    if matrix.ndim == 1:
        matrix = np.diag(matrix)
    weight = matrix.astype(np.float64).T
    return Linear(weight, -weight @ transform.mean.astype(np.float64))


def linear_module(linear: Linear) -> nn.Linear:
    """Return a linear map of torch in float32."""
    n_out, n_in = linear.weight.shape
    module = nn.Linear(n_in, n_out, device="meta").to_empty(device="cpu").requires_grad_(False)
    module.weight.copy_(torch.from_numpy(np.ascontiguousarray(linear.weight)))
    module.bias.copy_(torch.from_numpy(np.ascontiguousarray(linear.bias)))
    return module


def _hold(module: nn.Module, name: str, values: np.ndarray[Any, Any]) -> None:
    module.register_buffer(name, torch.from_numpy(np.ascontiguousarray(values)))
