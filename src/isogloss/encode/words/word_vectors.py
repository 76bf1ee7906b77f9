"""Vectors of words: those of their tokens, pooled, in any layers of one forward pass.

`encode_words` is for sentences that are already cut into words, all at once; `stream_words` for so
many that their vectors would not fit into memory. `add_word_vectors` of `probe.geometry` takes the
steps one by one, as it wants few words of a long text: `words_within` cuts a sentence to the
encoder's maximum length, `pooled_words` encodes a batch.

The encoder's prefix and special tokens are seen by the model and belong to no word. Layers above
the highest one that was asked for are not computed.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Floats3d, Ints1d, offsets_of
from isogloss.encode.batches import BUDGETS, budgeted_batches, pad
from isogloss.encode.encoder import Encoder
from isogloss.encode.model import Network, capped_threads
from isogloss.encode.tokenizer import N_TEXTS_AT_ONCE
from isogloss.encode.words.sentence_windows import Window, WordTokens, windows_of
from isogloss.encode.words.token_pooling import BlankTokens, WordPooling, pooled_tokens
from isogloss.encode.words.tokens_of_words import SpannedText, overlapping, tokens_of
from isogloss.errors import InputError, NotFiniteError
from isogloss.progress import progress

MAX_BYTES = 1 << 26


class WordVectors(NamedTuple):
    """Vectors of the words of sentences, one sentence after the other.

    Attributes
    ----------
    vectors
        float32 (n_layers, n_words, width); zeros where a word has none.
    has_vector
        Whether a token is of the word; bool (n_words,).
    starts
        Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``; (n_sentences + 1,).
    n_windows
        Windows that the words of each sentence were taken from; (n_sentences,). 1 where it fits
        into the encoder's maximum length, 0 where no word has a token.
    n_without_token
        Words without a token, and so without a vector.
    n_cut
        Words with more tokens than a window holds: the vector is of those that are in it.
    """

    vectors: Floats3d
    has_vector: Bools1d
    starts: Ints1d
    n_windows: Ints1d
    n_without_token: int
    n_cut: int


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

    A sentence with more tokens than the encoder takes is read in overlapping windows, which are cut
    between words; each word is taken from the one where it stands deepest. Other sentences of a
    call change a result by rounding only.

    Parameters
    ----------
    sentences
        The encoder's prefix is put before each.
    layers
        From 0, the embeddings; negative ones count from the last.
    pooling
        Of a word's tokens; see `token_pooling`.

    Raises
    ------
    InputError
        For a static encoder, a layer that it lacks, or a maximum length without room for a token.
    NotFiniteError
        For a vector that is not finite.

    Examples
    --------
    >>> encoder = Encoder.load("bundled")
    >>> found = encode_words(encoder, [SpannedText.joined(["no", "way"])], layers=[0, 8])
    >>> found.vectors.shape, found.starts.tolist()
    ((2, 2, 384), [0, 2])
    """
    return _encoded(encoder, sentences, _numbers(layers, encoder), pooling, n_before=0)


def stream_words(
    encoder: Encoder,
    sentences: Iterable[SpannedText],
    *,
    layers: Sequence[int] = (-1,),
    pooling: WordPooling = "mean",
    max_bytes: int = MAX_BYTES,
) -> Iterator[WordVectors]:
    """Yield what `encode_words` returns, for some sentences after the others.

    Parameters
    ----------
    max_bytes
        Most bytes of the vectors that are yielded at once; a sentence with more is by itself.

    Raises
    ------
    InputError, NotFiniteError
        As `encode_words`.
    """
    numbers = _numbers(layers, encoder)
    most = max_bytes // (4 * len(numbers) * encoder.network.hidden_size)
    n_before, n_words = 0, 0
    chunk: list[SpannedText] = []
    for sentence in sentences:
        if chunk and n_words + len(sentence.spans) > most:
            yield _encoded(encoder, chunk, numbers, pooling, n_before=n_before)
            n_before, n_words, chunk = n_before + len(chunk), 0, []
        chunk.append(sentence)
        n_words += len(sentence.spans)
    if chunk:
        yield _encoded(encoder, chunk, numbers, pooling, n_before=n_before)


def pooled_words(
    network: Network, sentences: Sequence[WordTokens], *, layers: Sequence[int] | None = None
) -> Floats3d:
    """Return the means over the tokens of a batch's words: float32 (n_layers, n_words, width).

    Parameters
    ----------
    layers
        From 0, the embeddings; None: all.
    """
    import torch

    padded = pad([sentence.ids for sentence in sentences], pad_id=network.pad_id)
    longest = padded.ids.shape[1]
    first = offsets_of([one.n_words for one in sentences])
    # Of each pair of word and token: its row among all states of a layer, its word in the batch.
    rows = np.concatenate([at * longest + one.tokens for at, one in enumerate(sentences)])
    words = np.concatenate([first[at] + one.words for at, one in enumerate(sentences)])
    with torch.inference_mode():
        states = network.hidden_states(padded, layers)
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


class _Read(NamedTuple):
    """The windows of sentences, and where the words of each are among all words."""

    windows: list[WordTokens]
    rows: list[Ints1d]
    n_windows: Ints1d
    n_without_token: int
    n_cut: int


def _encoded(
    encoder: Encoder, sentences: Sequence[SpannedText], layers: list[int], pooling: WordPooling,
    *, n_before: int,
) -> WordVectors:  # fmt: skip
    """Encode sentences, before which there were `n_before` others."""
    network = network_of(encoder)
    starts = offsets_of([len(one.spans) for one in sentences])
    read = _read(encoder, sentences, starts, pooling)
    vectors = np.zeros((len(layers), int(starts[-1]), network.hidden_size), np.float32)
    has_vector = np.zeros(int(starts[-1]), np.bool_)
    lengths = np.array([len(one.ids) for one in read.windows], np.int64)
    budget = BUDGETS[network.device.partition(":")[0], encoder.dtype]
    with (
        capped_threads(encoder.threads),
        progress("encoding sentences", int(lengths.sum()), "tokens") as advance,
    ):
        for batch in budgeted_batches(lengths, budget=budget):
            where = np.concatenate([read.rows[at] for at in batch])
            pooled = pooled_words(network, [read.windows[at] for at in batch], layers=layers)
            vectors[:, where] = pooled
            has_vector[where] = True
            is_bad = ~np.isfinite(pooled).all(axis=(0, 2))
            if is_bad.any():
                word = int(where[is_bad.argmax()])
                sentence = int(np.searchsorted(starts, word, "right")) - 1
                raise NotFiniteError(
                    f"{encoder.name} gives a vector that is not finite for word "
                    f"{word - starts[sentence]} of sentence {n_before + sentence} (both counted "
                    f"from 0); the model is broken, or its numbers overflow in {encoder.dtype}"
                )
            advance(int(lengths[batch].sum()))
    return WordVectors(
        vectors, has_vector, starts, read.n_windows, read.n_without_token, read.n_cut
    )


def _read(
    encoder: Encoder, sentences: Sequence[SpannedText], starts: Ints1d, pooling: WordPooling
) -> _Read:
    """Cut sentences into windows, and choose the tokens of each word."""
    tokenizer = encoder.tokenizer
    is_blank = BlankTokens(tokenizer.backend)
    windows: list[Window] = []
    n_windows = np.zeros(len(sentences), np.int64)
    n_without_token, n_cut = 0, 0
    for first in range(0, len(sentences), N_TEXTS_AT_ONCE):
        some = sentences[first : first + N_TEXTS_AT_ONCE]
        found = tokens_of(tokenizer, [one.text for one in some])
        for at, one, tokens in zip(count(first), some, found, strict=False):
            parts = overlapping(one.spans, tokens)
            n_without_token += len(one.spans) - len(np.unique(parts.units))
            cut = windows_of(tokenizer, tokens, parts)
            n_windows[at] = len(cut.windows)
            n_cut += cut.n_cut
            windows += [Window(starts[at] + words, own) for words, own in cut.windows]
    return _Read(
        windows=[pooled_tokens(one.tokens, pooling, is_blank) for one in windows],
        rows=[one.words for one in windows],
        n_windows=n_windows, n_without_token=n_without_token, n_cut=n_cut,
    )  # fmt: skip


def _numbers(layers: Sequence[int], encoder: Encoder) -> list[int]:
    """Return layers counted from 0.

    Raises
    ------
    InputError
        For a static encoder, none, or one that it lacks.
    """
    numbers = range(network_of(encoder).n_layers + 1)
    if not layers or not all(-len(numbers) <= layer < len(numbers) for layer in layers):
        raise InputError(f"no layers {list(layers)}; the layers are 0 to {numbers[-1]}")
    return [numbers[layer] for layer in layers]
