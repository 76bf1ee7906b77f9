"""Text in which some words are of another language (Pires et al. 2019, section 5 and Table 6).

Which words are exchanged is drawn once for a seed, in an order: the words of 25 % are among those
of 50 %, so that figures of several shares differ in nothing else.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.probe.transfer.script.dictionary import Dictionary


@dataclass(frozen=True)
class SwitchedText:
    """Sentences with words of two languages.

    Attributes
    ----------
    is_switched
        Of each word, whether it was exchanged.
    n_known
        Words that the dictionary has.
    """

    sentences: list[list[str]]
    is_switched: list[list[bool]]
    n_known: int

    @property
    def n_words(self) -> int:
        """All words."""
        return sum(map(len, self.sentences))

    @property
    def n_switched(self) -> int:
        """Words that were exchanged."""
        return sum(map(sum, self.is_switched))


def code_switched(
    sentences: Sequence[Sequence[str]], dictionary: Dictionary, *, share: float, seed: int
) -> SwitchedText:
    """Exchange a share of the words that a dictionary has.

    Parameters
    ----------
    share
        Of the words with a translation, 0 to 1; rounded to whole words.
    seed
        The same seed exchanges the same words, of a larger share more.

    Examples
    --------
    >>> words = Dictionary({"Hund": "dog"})
    >>> code_switched([["Der", "Hund"]], words, share=1.0, seed=0).sentences
    [['Der', 'dog']]
    """
    found = [[dictionary.of(word) for word in words] for words in sentences]
    places = [(at, number) for at, words in enumerate(found)
              for number, word in enumerate(words) if word is not None]  # fmt: skip
    order = np.random.default_rng(seed).permutation(len(places))
    chosen = {places[at] for at in order[: round(share * len(places))].tolist()}
    switched = [
        [(at, number) in chosen for number in range(len(words))]
        for at, words in enumerate(sentences)
    ]
    made = [
        [
            translation if is_other and translation is not None else word
            for word, translation, is_other in zip(words, found[at], switched[at], strict=True)
        ]
        for at, words in enumerate(sentences)
    ]
    return SwitchedText(made, switched, len(places))
