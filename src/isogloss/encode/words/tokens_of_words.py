"""What counts as a word, and which of an encoder's tokens it is made of.

A word is what the caller has cut (`SpannedText`), or a segment that ICU finds by Unicode's rules
(UAX 29), with its dictionaries for Chinese, Japanese, Thai, Lao, Khmer and Burmese, and that holds
a letter or a digit. The other unit is the encoder's own token. Names are as they stand in the text:
capitals count.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from isogloss.arrays import Ints1d, Ints2d
from isogloss.compat import require
from isogloss.encode.tokenizer import TextTokenizer

Unit = Literal["word", "token"]

_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, eq=False)
class Tokens:
    """Tokens of a text with the encoder's prefix in front, without special ones, uncut.

    Attributes
    ----------
    ids
        int64 (n_tokens,).
    starts, ends
        Where they lie in the text, in characters; those of the prefix end at 0 or before.
    """

    ids: Ints1d
    starts: Ints1d
    ends: Ints1d


class Parts(NamedTuple):
    """Which tokens units are made of: `units` and `tokens` are equally long, a pair each."""

    units: Ints1d
    tokens: Ints1d


@dataclass(frozen=True, eq=False)
class SpannedText:
    """A text whose words are known.

    Attributes
    ----------
    spans
        Start and end of each word, in characters, ascending and without overlap; (n_words, 2).
    """

    text: str
    spans: Ints2d

    @classmethod
    def joined(cls, words: Sequence[str], *, separator: str = " ") -> "SpannedText":
        """Return a text of words with `separator` between them.

        Examples
        --------
        >>> SpannedText.joined(["no", "way"]).spans.tolist()
        [[0, 2], [3, 6]]
        """
        lengths = np.array([len(word) for word in words], np.int64)
        starts = np.cumsum(lengths + len(separator)) - lengths - len(separator)
        return cls(separator.join(words), np.stack([starts, starts + lengths], axis=1))


class Units(Protocol):
    """A way to cut texts into units."""

    unit: Unit

    def names(self, text: str) -> list[str]:
        """Return the names of a text's units, in order."""

    def parts(self, text: str, tokens: Tokens) -> Parts:
        """Return the tokens of each unit of a text, numbered as `names` lists them."""


class WordUnits:
    """Words of a language.

    Parameters
    ----------
    lang
        BCP-47; ICU falls back on rules for all languages where it has none of its own.

    Raises
    ------
    InputError
        When ICU's package is not installed.

    Examples
    --------
    >>> WordUnits("en").names("Don't stop, 3.5 🙂!")
    ["Don't", 'stop', '3.5']
    """

    unit: Unit = "word"

    def __init__(self, lang: str) -> None:
        self._lang = lang
        self._breaker: Any = require(
            "icu4py.breakers", extra="probe", why="cutting texts into words"
        ).WordBreaker

    def names(self, text: str) -> list[str]:
        """Return a text's words, in order."""
        return [text[start:end] for start, end in self._spans(text)]

    def parts(self, text: str, tokens: Tokens) -> Parts:
        """Return the tokens of each word, as `overlapping` does."""
        return overlapping(np.array(list(self._spans(text)), np.int64).reshape(-1, 2), tokens)

    def segments(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield start and end of each segment that is not blank: words, punctuation, symbols."""
        # The breaker's own positions count UTF-16 units, so its segments are added up.
        end = 0
        for segment in self._breaker(without_surrogates(text), self._lang):
            start, end = end, end + len(segment)
            if not segment.isspace():
                yield start, end

    def _spans(self, text: str) -> Iterator[tuple[int, int]]:
        return ((start, end) for start, end in self.segments(text) if is_word(text[start:end]))


class TokenUnits:
    """The tokens of an encoder's tokenizer that hold a letter or a digit."""

    unit: Unit = "token"

    def __init__(self, tokenizer: TextTokenizer) -> None:
        self._tokenizer = tokenizer

    def names(self, text: str) -> list[str]:
        """Return a text's tokens, in order, as the vocabulary writes them."""
        tokens = tokens_of(self._tokenizer, [text])[0]
        token_of = self._tokenizer.backend.id_to_token
        return [token_of(int(tokens.ids[at])) for at in self._kept(text, tokens)]

    def parts(self, text: str, tokens: Tokens) -> Parts:
        """Return each token by itself."""
        kept = self._kept(text, tokens)
        return Parts(np.arange(len(kept)), kept)

    def _kept(self, text: str, tokens: Tokens) -> Ints1d:
        spans = zip(tokens.starts.tolist(), tokens.ends.tolist(), strict=True)
        is_kept = [end > 0 and is_word(text[max(start, 0) : end]) for start, end in spans]
        return np.flatnonzero(is_kept)


def overlapping(spans: Ints2d, tokens: Tokens) -> Parts:
    """Return the tokens that overlap each span; a token across two spans counts for both.

    Parameters
    ----------
    spans
        As those of `SpannedText`.
    """
    first = np.searchsorted(spans[:, 1], tokens.starts, "right")  # first word that ends after it
    end = np.searchsorted(spans[:, 0], tokens.ends, "left")  # first word that begins after it
    n_words = np.maximum(end - first, 0)
    token = np.repeat(np.arange(n_words.size), n_words)
    # The words of a token are first, first + 1, …: the place of each pair among those of its token.
    word = np.arange(token.size) - np.repeat(np.cumsum(n_words) - n_words, n_words)
    word += np.repeat(first, n_words)
    order = np.lexsort((token, word))
    return Parts(word[order], token[order])


def is_word(segment: str) -> bool:
    """Return whether a segment holds a letter or a digit."""
    return any(character.isalnum() for character in segment)


def without_surrogates(text: str) -> str:
    """Return a text of equal length in which half characters are U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def tokens_of(tokenizer: TextTokenizer, texts: list[str]) -> list[Tokens]:
    """Return the tokens of texts, with their places."""
    prefixed = [tokenizer.prefix + without_surrogates(text) for text in texts]
    backend = tokenizer.backend
    if tokenizer.is_parallel:
        found = backend.encode_batch(prefixed, add_special_tokens=False)
    else:
        found = [backend.encode(text, add_special_tokens=False) for text in prefixed]
    n_before = len(tokenizer.prefix)
    tokens = []
    for encoding in found:
        offsets = np.array(encoding.offsets, np.int64).reshape(-1, 2) - n_before
        tokens.append(Tokens(np.array(encoding.ids, np.int64), offsets[:, 0], offsets[:, 1]))
    return tokens
