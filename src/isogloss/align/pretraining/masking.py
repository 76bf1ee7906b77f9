"""Which tokens of a block are masked, and by what: drawn anew from a seed whenever it is met.

Of the tokens that are not special, 15 % are to be predicted: 80 % of them become the mask token,
10 % any other token, 10 % stay (Devlin et al. 2019). The number is exact, not drawn: the share of
a block rounded, one at least. Under `whole_words` all tokens of a word are taken or none; words are
taken in random order, and one that would exceed the number is passed over. A word of more than 8
tokens, as texts without blanks seem to be made of, counts token by token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Ints1d, SmallInts1d
from isogloss.errors import InputError

LONGEST_WORD = 8  # tokens
MASKED, OTHER = 0.8, 0.1  # shares of the tokens that are to be predicted; the others stay


@dataclass(frozen=True)
class Vocabulary:
    """What masking needs to know of a tokenizer's ids.

    Attributes
    ----------
    mask_id
        Id of the mask token.
    is_special
        (n_ids,): ids that are never predicted.
    begins_word
        (n_ids,): ids that begin a word; None: words are not masked as wholes.
    """

    mask_id: int
    is_special: Bools1d
    begins_word: Bools1d | None = None

    @property
    def plain(self) -> Ints1d:
        """Ids that may stand in for another."""
        return np.flatnonzero(~self.is_special)


@dataclass(frozen=True)
class MaskedTokens:
    """A block as the network sees it, and what it is to find.

    Attributes
    ----------
    ids
        (n_tokens,), masked.
    places, targets
        (n_predicted,): which tokens are to be predicted, ascending, and what they were.
    """

    ids: SmallInts1d
    places: Ints1d
    targets: SmallInts1d


def n_predicted(n_plain: Ints1d, share: float) -> Ints1d:
    """Return how many tokens are predicted of blocks with so many plain ones."""
    return np.minimum(np.maximum(np.rint(n_plain * share), 1), n_plain).astype(np.int64)


def masked(
    ids: SmallInts1d, vocabulary: Vocabulary, *, share: float, generator: np.random.Generator
) -> MaskedTokens:
    """Mask a block."""
    plain = np.flatnonzero(~vocabulary.is_special[ids])
    n = int(n_predicted(np.array([len(plain)]), share)[0])
    if vocabulary.begins_word is None:
        places = np.sort(generator.choice(plain, n, replace=False))
    else:
        places = _whole_words(plain, vocabulary.begins_word[ids], n, generator)
    made = ids.copy()
    fates = generator.random(len(places))
    others = generator.choice(vocabulary.plain, len(places))
    made[places[fates < MASKED]] = vocabulary.mask_id
    is_other = (fates >= MASKED) & (fates < MASKED + OTHER)
    made[places[is_other]] = others[is_other]
    return MaskedTokens(made, places, ids[places])


def _whole_words(plain: Ints1d, begins: Bools1d, n: int, generator: np.random.Generator) -> Ints1d:
    """Return places of whole words, at most `n`, or of the shortest one."""
    is_first = begins[plain]
    is_first[:1] = True
    is_first[1:] |= np.diff(plain) > 1  # after a special token
    number = np.cumsum(is_first) - 1
    sizes = np.bincount(number)
    is_first |= sizes[number] > LONGEST_WORD
    words = np.split(plain, np.flatnonzero(is_first)[1:])
    chosen: list[Ints1d] = []
    left = n
    for place in generator.permutation(len(words)):
        if len(words[place]) <= left:
            chosen.append(words[place])
            left -= len(words[place])
        if not left:
            break
    return np.sort(np.concatenate(chosen or [min(words, key=len)]))


def beginnings(names: Mapping[str, int], facts: Mapping[str, Any], n_ids: int) -> Bools1d:
    """Return which ids begin a word, by what the tokenizer's model writes into their names.

    Parameters
    ----------
    names
        The vocabulary: token to id.
    facts
        The tokenizer's model, as ``tokenizer.json`` has it.

    Raises
    ------
    InputError
        When tokens do not say whether they begin a word.
    """
    begins = np.zeros(n_ids, np.bool_)
    if facts.get("type") == "WordPiece":
        prefix = facts.get("continuing_subword_prefix") or "##"
        firsts = [number for name, number in names.items() if not name.startswith(prefix)]
    else:
        marks = ("▁", "Ġ")  # SentencePiece's blank, and that of bytes in GPT-2
        firsts = [number for name, number in names.items() if name.lstrip("\1").startswith(marks)]
    if not firsts or len(firsts) == len(names):
        raise InputError(
            "the tokenizer does not say where a word begins, so whole words cannot be masked; "
            "leave whole_words out"
        )
    begins[firsts] = True
    return begins
