"""What a tagger sees of a word: the mean of its vectors in some layers of the encoder.

Words go in joined by one blank, whatever the language, so that a model sees in every corpus the
text that it was trained on. A word without a piece has no features; `has_piece` says which.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Floats3d, Ints1d
from isogloss.encode import Encoder
from isogloss.encode.words.token_pooling import WordPooling
from isogloss.encode.words.tokens_of_words import SpannedText
from isogloss.encode.words.word_vectors import WordVectors, encode_words, stream_words


class WordFeatures(NamedTuple):
    """Features of the words of sentences, one sentence after the other.

    Attributes
    ----------
    vectors
        float32 (n_words, width); zeros where a word has no piece.
    has_piece
        bool (n_words,).
    starts
        Words of sentence i are ``starts[i]`` to ``starts[i + 1] - 1``.
    n_windows
        Windows that each sentence was read in: 1 where it fits into the encoder's maximum length.
    """

    vectors: Floats2d
    has_piece: Bools1d
    starts: Ints1d
    n_windows: Ints1d


@dataclass(frozen=True)
class Reading:
    """How words are read: by which encoder, in which layers (their mean), from which pieces."""

    encoder: Encoder
    layers: tuple[int, ...]
    pieces: WordPooling

    def blocks(self, sentences: Sequence[Sequence[str]]) -> Iterator[WordFeatures]:
        """Return features of sentences, some at a time, so that memory stays bounded."""
        found = stream_states(self.encoder, sentences, layers=self.layers, pieces=self.pieces)
        return map(features_of, found)

    def all(self, sentences: Sequence[Sequence[str]]) -> WordFeatures:
        """Return features of sentences, all at once."""
        blocks = list(self.blocks(sentences))
        lengths = np.array([len(one) for one in sentences], np.int64)
        if not blocks:
            width = self.encoder.network.hidden_size
            return WordFeatures(
                np.zeros((0, width), np.float32), np.zeros(0, np.bool_), np.zeros(1, np.int64),
                np.zeros(0, np.int64),
            )  # fmt: skip
        return WordFeatures(
            np.concatenate([block.vectors for block in blocks]),
            np.concatenate([block.has_piece for block in blocks]),
            np.concatenate([[0], np.cumsum(lengths)]),
            np.concatenate([block.n_windows for block in blocks]),
        )


class LayerStates(NamedTuple):
    """Vectors of words in several layers, (n_layers, n_words, width); else as `WordFeatures`."""

    states: Floats3d
    has_piece: Bools1d
    starts: Ints1d
    n_windows: Ints1d


def layer_states(
    encoder: Encoder, sentences: Sequence[Sequence[str]], *, layers: Sequence[int],
    pieces: WordPooling,
) -> LayerStates:  # fmt: skip
    """Return the vectors of words in each of some layers."""
    texts = [SpannedText.joined(words) for words in sentences]
    return _states(encode_words(encoder, texts, layers=layers, pooling=pieces))


def stream_states(
    encoder: Encoder, sentences: Sequence[Sequence[str]], *, layers: Sequence[int],
    pieces: WordPooling,
) -> Iterator[LayerStates]:  # fmt: skip
    """Yield what `layer_states` returns, for some sentences after the others."""
    texts = (SpannedText.joined(words) for words in sentences)
    return map(_states, stream_words(encoder, texts, layers=layers, pooling=pieces))


def features_of(found: LayerStates, places: Sequence[int] | None = None) -> WordFeatures:
    """Return the mean over layers, or over those at some places, as features."""
    states = found.states if places is None else found.states[list(places)]
    mean = states[0] if len(states) == 1 else states.mean(axis=0, dtype=np.float32)
    return WordFeatures(mean, found.has_piece, found.starts, found.n_windows)


def _states(found: WordVectors) -> LayerStates:
    return LayerStates(found.vectors, found.has_vector, found.starts, found.n_windows)
