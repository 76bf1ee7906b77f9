"""Vectors of the tokens of sentences, each in its context, in one layer, for NN-Rank."""

from collections.abc import Sequence

import numpy as np

from isogloss.arrays import Floats2d, Ints2d
from isogloss.encode import Encoder
from isogloss.encode.words.tokens_of_words import SpannedText, Tokens, tokens_of
from isogloss.encode.words.word_vectors import encode_words


def token_vectors(encoder: Encoder, sentences: Sequence[Sequence[str]], *, layer: int) -> Floats2d:
    """Return the vectors of all tokens: (n_tokens, width).

    Tokens that share a character (of one byte each) are one.

    Raises
    ------
    InputError
        For a static encoder, or a layer that it lacks.
    """
    texts = [" ".join(words) for words in sentences]
    spanned = [
        SpannedText(text, _spans(tokens))
        for text, tokens in zip(texts, tokens_of(encoder.tokenizer, texts), strict=True)
    ]
    found = encode_words(encoder, spanned, layers=(layer,))
    vectors: Floats2d = found.vectors[0][found.has_vector]
    return vectors


def _spans(tokens: Tokens) -> Ints2d:
    """Return the places of the tokens of the text, ascending and without overlap."""
    spans: list[tuple[int, int]] = []
    end = 0
    for first, last in zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True):
        first = max(first, end)
        if last > first:
            spans.append((first, last))
            end = last
    return np.array(spans, np.int64).reshape(-1, 2)
