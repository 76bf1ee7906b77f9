"""Pairs as tokens: without those that have none, and with what was cut said."""

from dataclasses import dataclass

import numpy as np

from isogloss.align.sentence_pairs import Pairs
from isogloss.align.training.distillation import TeacherVectors
from isogloss.align.training.pairs import PairExamples, sentence_numbers
from isogloss.align.training.tokenized_negatives import TokenizedNegatives
from isogloss.arrays import Ints2d, SmallInts1d
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.errors import InputError, counted, warn_omitted


@dataclass(frozen=True)
class TokenizedPairs:
    """Pairs with the tokens of their two sides."""

    pairs: Pairs
    sources: list[SmallInts1d]
    targets: list[SmallInts1d]

    def examples(self, tokenizer: TextTokenizer, *, teacher: TeacherVectors | None) -> PairExamples:
        """Return what the training loop takes."""
        pairs = self.pairs
        flat = [text for some in pairs.negatives or () for text in some]
        *sides, of_negatives = sentence_numbers(pairs.sources, pairs.targets, flat)
        numbers: Ints2d = np.stack(sides)
        negatives = None
        if pairs.negatives is not None:
            unique = {text: place for place, text in enumerate(dict.fromkeys(flat))}
            ids = tokenizer(list(unique)).ids
            counts = np.array([len(some) for some in pairs.negatives], np.int64)
            negatives = TokenizedNegatives(
                [ids[unique[text]] for text in flat], of_negatives, counts, numbers
            )
        return PairExamples(
            self.sources, self.targets, numbers, negatives=negatives, teacher=teacher
        )


def tokenized_pairs(pairs: Pairs, tokenizer: TextTokenizer) -> TokenizedPairs:
    """Tokenise pairs; those with a side without any token are left out.

    Raises
    ------
    InputError
        When fewer than two are left.

    Warns
    -----
    OmissionWarning
        With the number of pairs left out, and of sentences that were cut.
    """
    sides = [tokenizer(side) for side in (pairs.sources, pairs.targets)]
    n_cut = sum(int(side.truncated.sum()) for side in sides)
    if n_cut:
        warn_omitted(
            f"{n_cut:,} of {2 * len(pairs):,} sentences are longer than {tokenizer.max_length} "
            "tokens and were cut; max_length says how many are read"
        )
    kept = np.flatnonzero((sides[0].lengths > 0) & (sides[1].lengths > 0)).tolist()
    if len(kept) < len(pairs):
        warn_omitted(
            f"{counted(len(pairs) - len(kept), 'pair')} of {len(pairs):,} with a side without any "
            "token are left out"
        )
    if len(kept) < 2:
        raise InputError(f"{counted(len(kept), 'pair')} with tokens; give two or more")
    sources, targets = ([side.ids[row] for row in kept] for side in sides)
    return TokenizedPairs(pairs.select(kept), sources, targets)
