"""Which of a word's tokens its vector is the mean of: all, or one of them.

Where blanks stand before words, XLM-R's tokenizer has "▁" for a blank by itself, before a word that
is not in its vocabulary with one: in Chinese before nearly each. It gives that token the place of
the letter behind it, so it is a token of that word, but it is the same in all words. The first (or
last) token of a word is therefore the first (or last) that stands for more than blanks. In the mean
all of them count: "▁", too, has seen the word and its sentence.
"""

from typing import Any, Literal

import numpy as np

from isogloss.arrays import Bools1d, SmallInts1d
from isogloss.encode.words.sentence_windows import WordTokens

WordPooling = Literal["mean", "first", "last"]
BLANK = "▁"


class BlankTokens:
    """Knows which tokens of a tokenizer stand for blanks alone."""

    def __init__(self, backend: Any) -> None:
        self._backend = backend
        self._known: dict[int, bool] = {}

    def __call__(self, ids: SmallInts1d) -> Bools1d:
        """Return whether each token is of blanks alone."""
        found, place = np.unique(ids, return_inverse=True)
        return np.array([self._is_blank(one) for one in found.tolist()], np.bool_)[place]

    def _is_blank(self, number: int) -> bool:
        known = self._known.get(number)
        if known is None:
            token = self._backend.id_to_token(number) or ""
            # What a byte of a blank is written as, such as "Ġ", may be a letter elsewhere.
            known = not token.strip(BLANK) or (
                self._backend.decoder is not None
                and not self._backend.decode([number], skip_special_tokens=False).strip()
            )
            self._known[number] = known
        return known


def pooled_tokens(sentence: WordTokens, pooling: WordPooling, is_blank: BlankTokens) -> WordTokens:
    """Return a sentence with those tokens of each word that its vector is the mean of.

    Of a word of blank tokens alone, all count.
    """
    if pooling == "mean":
        return sentence
    is_letter = ~is_blank(sentence.ids[sentence.tokens])
    n_letters = np.bincount(sentence.words, is_letter, sentence.n_words)
    is_kept = is_letter | (n_letters[sentence.words] == 0)
    words, tokens = sentence.words[is_kept], sentence.tokens[is_kept]
    is_chosen = np.diff(words, prepend=-1) > 0 if pooling == "first" else (
        np.diff(words, append=sentence.n_words) > 0
    )  # fmt: skip
    return WordTokens(sentence.ids, sentence.n_words, words[is_chosen], tokens[is_chosen])
