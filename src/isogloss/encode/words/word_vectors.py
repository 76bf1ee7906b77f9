"""Vectors of words: those of their tokens, pooled, in any layers of one forward pass.

`encode_words` is for sentences that are already cut into words. `add_word_vectors` of
`probe.geometry` takes the steps one by one, as it wants few words of a long text:
`words_within` cuts a sentence to the encoder's maximum length, `pooled_words` encodes a batch.

The encoder's prefix and special tokens are seen by the model and belong to no word. A word is
dropped where its last token lies beyond the maximum length, or where it has none. (Sentences are
one window each; overlapping windows of long ones would be several `WordTokens` of a sentence.)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Floats3d, Ints1d
from isogloss.encode.batches import BUDGETS, budgeted_batches, pad
from isogloss.encode.encoder import Encoder
from isogloss.encode.model import Network, capped_threads
from isogloss.encode.tokenizer import N_TEXTS_AT_ONCE, TextTokenizer
from isogloss.encode.words.tokens_of_words import (
    Parts,
    SpannedText,
    Tokens,
    overlapping,
    tokens_of,
)
from isogloss.errors import InputError
from isogloss.progress import progress

WordPooling = Literal["mean", "first", "last"]


@dataclass(frozen=True, eq=False)
class WordTokens:
    """A sentence as the network reads it, and which of its tokens are of a word.

    Attributes
    ----------
    ids
        Tokens of the sentence, special ones included, cut; int32.
    n_words
        Words that have a vector.
    words, tokens
        Pairs: word ``words[i]``, of `n_words`, holds token ``tokens[i]``; sorted.
    """

    ids: "np.ndarray[tuple[int], np.dtype[np.int32]]"
    n_words: int
    words: Ints1d
    tokens: Ints1d


@dataclass
class Dropped:
    """Words without a vector: cut off, wholly or in part, or without a token."""

    n_words: int = 0
    n_cut: int = 0
    n_without_token: int = 0


class WordVectors(NamedTuple):
    """Vectors of the words of sentences, one sentence after the other.

    Attributes
    ----------
    vectors
        float32 (n_layers, n_words, width); zeros where a word has none.
    has_vector
        bool (n_words,).
    starts
        Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``; (n_sentences + 1,).
    """

    vectors: Floats3d
    has_vector: Bools1d
    starts: Ints1d
    dropped: Dropped


def network_of(encoder: Encoder) -> Network:
    """Return an encoder's network.

    Raises
    ------
    InputError
        When it is static, and so has no layers.
    """
    network = encoder.network
    if not isinstance(network, Network):
        raise InputError(
            f"{encoder.name} is a static encoder: a word has one vector in it whatever its "
            "sentence, and there are no layers to compare; choose a transformer"
        )
    return network


def encode_words(
    encoder: Encoder,
    sentences: Sequence[SpannedText],
    *,
    layers: Sequence[int] = (-1,),
    pooling: WordPooling = "mean",
) -> WordVectors:
    """Return vectors of the words of sentences.

    Parameters
    ----------
    layers
        From 0, the embeddings; negative ones count from the last.
    pooling
        Of a word's tokens.

    Raises
    ------
    InputError
        For a static encoder, or a layer that it lacks.
    """
    network, dropped = network_of(encoder), Dropped()
    numbers = range(network.n_layers + 1)
    if not all(-len(numbers) <= layer < len(numbers) for layer in layers):
        raise InputError(f"no layers {list(layers)}; the layers are 0 to {network.n_layers}")
    starts = np.cumsum([0, *(len(one.spans) for one in sentences)])
    rows: list[Ints1d] = []
    wanted: list[WordTokens] = []
    for first in range(0, len(sentences), N_TEXTS_AT_ONCE):
        some = sentences[first : first + N_TEXTS_AT_ONCE]
        for at, tokens in enumerate(tokens_of(encoder.tokenizer, [one.text for one in some])):
            spans = some[at].spans
            kept, sentence = words_within(
                encoder.tokenizer, tokens, overlapping(spans, tokens), np.arange(len(spans)),
                dropped,
            )  # fmt: skip
            rows.append(starts[first + at] + kept)
            wanted.append(sentence)
    n_words = int(starts[-1])
    vectors = np.zeros((len(layers), n_words, network.hidden_size), np.float32)
    has_vector = np.zeros(n_words, np.bool_)
    lengths = np.array([len(one.ids) if one.n_words else 0 for one in wanted], np.int64)
    budget = BUDGETS[network.device.partition(":")[0], encoder.dtype]
    with (
        capped_threads(encoder.threads),
        progress("encoding sentences", int(lengths.sum()), "tokens") as advance,
    ):
        for batch in budgeted_batches(lengths, budget=budget):
            where = np.concatenate([rows[at] for at in batch])
            vectors[:, where] = pooled_words(
                network, [wanted[at] for at in batch], layers=[numbers[one] for one in layers],
                pooling=pooling,
            )  # fmt: skip
            has_vector[where] = True
            advance(int(lengths[batch].sum()))
    return WordVectors(vectors, has_vector, starts, dropped)


def words_within(
    tokenizer: TextTokenizer, tokens: Tokens, parts: Parts, wanted: Ints1d, dropped: Dropped
) -> tuple[Ints1d, WordTokens]:
    """Cut a sentence to the maximum length, and keep the wanted words that are whole.

    Parameters
    ----------
    parts
        Tokens of each word of the sentence.
    wanted
        Numbers of words, ascending.
    dropped
        Counts the words that are not kept.

    Returns
    -------
    Numbers of the words that are kept, and these with their tokens.
    """
    room = tokenizer.max_length - len(tokenizer.head) - len(tokenizer.tail)
    n_words = int(max(wanted.max(initial=-1), parts.units.max(initial=-1))) + 1
    last = np.full(n_words, -1, np.int64)  # token of each word; -1: it has none
    np.maximum.at(last, parts.units, parts.tokens)
    dropped.n_words += len(wanted)
    dropped.n_without_token += int((last[wanted] < 0).sum())
    dropped.n_cut += int((last[wanted] >= room).sum())
    kept = wanted[(last[wanted] >= 0) & (last[wanted] < room)]
    number = np.full(n_words, -1, np.int64)
    number[kept] = np.arange(len(kept))
    is_used = number[parts.units] >= 0
    return kept, WordTokens(
        ids=np.array([*tokenizer.head, *tokens.ids[:room], *tokenizer.tail], np.int32),
        n_words=len(kept),
        words=number[parts.units[is_used]],
        tokens=parts.tokens[is_used] + len(tokenizer.head),
    )


def pooled_words(
    network: Network, sentences: Sequence[WordTokens], *, layers: Sequence[int] | None = None,
    pooling: WordPooling = "mean",
) -> Floats3d:  # fmt: skip
    """Return the vectors of a batch's words: float32 (n_layers, n_words, width).

    Parameters
    ----------
    layers
        From 0, the embeddings; None: all.
    """
    import torch

    padded = pad([sentence.ids for sentence in sentences], pad_id=network.pad_id)
    longest = padded.ids.shape[1]
    first = np.concatenate([[0], np.cumsum([one.n_words for one in sentences])])
    # Of each pair of word and token: its row among all states of a layer, its word in the batch.
    rows = np.concatenate([at * longest + one.tokens for at, one in enumerate(sentences)])
    words = np.concatenate([first[at] + one.words for at, one in enumerate(sentences)])
    if pooling != "mean":  # keep one pair of each word
        is_end = np.diff(words, prepend=-1) > 0 if pooling == "first" else (
            np.diff(words, append=first[-1]) > 0
        )  # fmt: skip
        rows, words = rows[is_end], words[is_end]
    with torch.inference_mode():
        states = network.hidden_states(padded)
        if layers is not None:
            states = tuple(states[layer] for layer in layers)
        device = states[0].device
        at_rows, at_words = (torch.from_numpy(one).to(device) for one in (rows, words))
        n_tokens = torch.bincount(at_words, minlength=int(first[-1]))[:, None]
        means = torch.zeros((len(states), int(first[-1]), states[0].shape[-1]), device=device)
        for layer, state in enumerate(states):
            flat = state.reshape(-1, state.shape[-1])[at_rows].float()
            means[layer].index_add_(0, at_words, flat)
            means[layer] /= n_tokens
        vectors: Floats3d = means.cpu().numpy()
    return vectors
