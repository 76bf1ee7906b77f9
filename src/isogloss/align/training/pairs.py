"""Sentence pairs to learn from: tokenised once, numbered by what they say, made into batches.

Called by `training`. Two sentences are the same when their letters and digits are, in any case:
such pairs are not taken for negatives of each other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isogloss.align.training.distillation import TeacherVectors
from isogloss.align.training.ranking import Sentences
from isogloss.align.training.tokenized_negatives import NegativesOfBatch, TokenizedNegatives
from isogloss.arrays import Ints1d, Ints2d, SmallInts1d
from isogloss.text.letters import letters_and_digits


@dataclass(frozen=True)
class PairBatch:
    """The pairs of one process in a step.

    Attributes
    ----------
    ids
        Tokens of the sources, then of the targets, then of the hard negatives, if any.
    sentences
        Numbers of the sources and of the targets.
    negatives
        The hard negatives; None without.
    teacher
        float32 (n_pairs, width): the teacher's vectors of the sources; None without a teacher.
    """

    ids: list[SmallInts1d]
    sentences: Sentences
    negatives: NegativesOfBatch | None = None
    teacher: Tensor | None = None

    @property
    def n_pairs(self) -> int:
        """How many pairs there are."""
        return len(self.sentences.sources)


class PairExamples:
    """Tokenised pairs; an example is its number.

    Parameters
    ----------
    sources, targets
        Tokens of each sentence of the two sides.
    numbers
        int64 (2, n_pairs): `sentence_numbers` of the two sides.
    negatives, teacher
        Hard negatives and the vectors of a teacher, if any.
    """

    lengths = None  # texts of a step are sorted by length when it is computed, not pairs

    def __init__(
        self,
        sources: list[SmallInts1d],
        targets: list[SmallInts1d],
        numbers: Ints2d,
        *,
        negatives: TokenizedNegatives | None = None,
        teacher: TeacherVectors | None = None,
    ) -> None:
        self._sources, self._targets = sources, targets
        self._numbers = numbers
        self._negatives, self._teacher = negatives, teacher

    def __len__(self) -> int:
        return len(self._sources)

    def collate(self, rows: list[int]) -> PairBatch:
        """Return some pairs."""
        ids = [self._sources[row] for row in rows] + [self._targets[row] for row in rows]
        chosen = torch.from_numpy(self._numbers[:, rows])
        negatives = teacher = None
        if self._negatives is not None:
            more, negatives = self._negatives.of(rows)
            ids += more
        if self._teacher is not None:
            teacher = torch.from_numpy(self._teacher.of(rows))
        return PairBatch(ids, Sentences(chosen[0], chosen[1]), negatives, teacher)


def sentence_numbers(*sides: Sequence[str]) -> list[Ints1d]:
    """Return a number for every sentence of every side, equal ones for sentences that are equal.

    Letters with their marks and digits count, in any case and width (Unicode NFKC); blanks and
    punctuation do not. A sentence without letters and digits is compared as it is.
    """
    known: dict[str, int] = {}
    read: dict[str, int] = {}  # negatives come many times, and are taken apart once

    def number(text: str) -> int:
        found = read.get(text)
        if found is None:
            found = read[text] = known.setdefault(letters_and_digits(text), len(known))
        return found

    return [np.fromiter(map(number, side), np.int64, len(side)) for side in sides]
