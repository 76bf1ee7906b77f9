"""Texts through tokenizer and network in batches, for `Encoder`; vectors in order of the texts."""

import contextlib
from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

import numpy as np

from isogloss.arrays import Floats3d
from isogloss.encode.batches import BUDGETS, PaddedBatch, budgeted_batches, pad
from isogloss.encode.plan import Plan
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.encode.transforms import to_unit_length
from isogloss.encode.vector_cache import Vectors
from isogloss.encode.windows import WindowMeans, Windows
from isogloss.errors import NotFiniteError
from isogloss.progress import progress

Advance = Callable[[int], None]
N_TOKENS_WORTH_A_BAR = 20_000


class Pools(Protocol):
    """What turns one padded batch into vectors: a `Network`, a `StaticNetwork`."""

    @property
    def n_layers(self) -> int: ...  # noqa: D102

    @property
    def width(self) -> int: ...  # noqa: D102

    @property
    def hidden_size(self) -> int: ...  # noqa: D102

    @property
    def device(self) -> str: ...  # noqa: D102

    @property
    def pad_id(self) -> int: ...  # noqa: D102

    def pool(self, batch: PaddedBatch, plan: Plan) -> Floats3d:
        """Return vectors before normalisation: (n_layers_asked, n_texts, width), float32."""


class Encodes(Protocol):
    """The parts of an encoder that are needed here."""

    @property
    def name(self) -> str: ...  # noqa: D102

    @property
    def dtype(self) -> str: ...  # noqa: D102

    @property
    def network(self) -> Pools: ...  # noqa: D102

    @property
    def tokenizer(self) -> TextTokenizer: ...  # noqa: D102


def encode_texts(
    encoder: Encodes, texts: list[str], plan: Plan, *, number: Callable[[int], int]
) -> Vectors:
    """Tokenise and encode texts.

    A text without a token, which a tokenizer without special tokens can give, keeps zeros; so does
    one without a token of its own, where vectors are of these alone.
    Windows of long texts are sorted into batches like texts: memory does not grow with them.

    Parameters
    ----------
    number
        From the place of a text to its number for the user, counted from 0.

    Raises
    ------
    NotFiniteError
        For a vector that is not finite.
    """
    network = encoder.network
    windows = _windows(encoder.tokenizer, texts, plan)
    lengths = windows.lengths
    vectors = np.zeros((len(plan.layers), len(texts), width_of(network, plan)), np.float32)
    budget = BUDGETS[network.device.partition(":")[0], encoder.dtype]
    where = f"texts {number(0) + 1} to {number(len(texts) - 1) + 1}"
    means = WindowMeans(vectors, windows)
    with _progress(f"encoding {where}", int(lengths.sum())) as advance:
        for batch in budgeted_batches(lengths, budget=budget):
            padded = pad([windows.ids[i] for i in batch], pad_id=network.pad_id)
            if plan.tokens == "text":
                padded = replace(padded, own=encoder.tokenizer.own_mask(padded))
            means.add(batch, network.pool(padded, plan))
            advance(int(lengths[batch].sum()))
    means.finish()
    if plan.normalize:
        to_unit_length(vectors)
    is_bad = ~np.isfinite(vectors).all(axis=(0, 2))
    if is_bad.any():
        raise NotFiniteError(
            f"{encoder.name} gives a vector that is not finite for text "
            f"{number(int(is_bad.argmax()))} (counted from 0); the model is broken, or its "
            f"numbers overflow in {encoder.dtype}"
        )
    return Vectors(vectors, windows.n_tokens)


def width_of(network: Pools, plan: Plan) -> int:
    """Return the width of a call's vectors: Dense modules follow the last layer only."""
    has_dense = plan.layers == [network.n_layers] and plan.tokens == "all"
    return network.width if has_dense else network.hidden_size


def _windows(tokenizer: TextTokenizer, texts: list[str], plan: Plan) -> Windows:
    if plan.long_texts == "windows":
        return tokenizer.windows(texts)
    cut = tokenizer(texts)
    return Windows.one_each(cut.ids, cut.n_tokens)


def _progress(description: str, n_tokens: int) -> contextlib.AbstractContextManager[Advance]:
    if n_tokens < N_TOKENS_WORTH_A_BAR:
        return contextlib.nullcontext(lambda n: None)
    return progress(description, n_tokens, "tokens")
