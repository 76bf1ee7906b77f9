"""Sentence pairs to learn from: tokenised once, numbered by what they say, drawn in batches.

Called by `SentenceAligner`. Two sentences are the same when their letters and digits are, in any
case: such pairs are not taken for negatives of each other.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from isogloss.align.ranking import Sentences
from isogloss.arrays import Ints1d, SmallInts1d

Batches = Literal["mixed", "one-language"]
BATCHES: tuple[Batches, ...] = ("mixed", "one-language")


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
        int64 (n_pairs,): numbers of the hard negatives, one a pair; None without.
    """

    ids: list[SmallInts1d]
    sentences: Sentences
    negatives: Tensor | None = None

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
    """

    lengths = None  # texts of a step are sorted by length when it is computed, not pairs

    def __init__(
        self,
        sources: list[SmallInts1d],
        targets: list[SmallInts1d],
        numbers: "np.ndarray[tuple[int, int], np.dtype[np.int64]]",
        *,
        negatives: list[SmallInts1d] | None = None,
        negative_numbers: Ints1d | None = None,
    ) -> None:
        self._sources, self._targets = sources, targets
        self._numbers = numbers
        self._negatives, self._negative_numbers = negatives, negative_numbers

    def __len__(self) -> int:
        return len(self._sources)

    def collate(self, rows: list[int]) -> PairBatch:
        """Return some pairs."""
        ids = [self._sources[row] for row in rows] + [self._targets[row] for row in rows]
        chosen = torch.from_numpy(self._numbers[:, rows])
        negatives = None
        if self._negatives is not None and self._negative_numbers is not None:
            ids += [self._negatives[row] for row in rows]
            negatives = torch.from_numpy(self._negative_numbers[rows])
        return PairBatch(ids, Sentences(chosen[0], chosen[1]), negatives)


def sentence_numbers(*sides: Sequence[str]) -> list[Ints1d]:
    """Return a number for every sentence of every side, equal ones for sentences that are equal.

    Letters with their marks and digits count, in any case and width (Unicode NFKC); blanks and
    punctuation do not. A sentence without letters and digits is compared as it is.
    """
    known: dict[str, int] = {}
    return [
        np.array([known.setdefault(_said(text), len(known)) for text in side], np.int64)
        for side in sides
    ]


def _said(text: str) -> str:
    folded = unicodedata.normalize("NFKC", text).casefold()
    kept = (one for one in folded if one.isalnum() or unicodedata.category(one).startswith("M"))
    return "".join(kept) or text


class PairOrder:
    """Which pairs each step of an epoch sees.

    Parameters
    ----------
    langs
        Language of each pair, or None: all alike.
    batch_size
        Pairs of a step.
    batches
        ``"mixed"``: a step has pairs of all languages; ``"one-language"``: of one.
    smoothing
        A language with n pairs is drawn in proportion to n to this power: 1 takes every pair once,
        less takes pairs of large languages not at all and those of small ones repeatedly. An epoch
        has as many pairs as there are.
    """

    def __init__(
        self,
        n_pairs: int,
        langs: Sequence[str] | None,
        *,
        batch_size: int,
        batches: Batches,
        smoothing: float,
        seed: int,
    ) -> None:
        names = np.zeros(n_pairs, np.int64)
        if langs is not None:
            names = np.unique(np.asarray(langs, dtype=str), return_inverse=True)[1]
        self._of_lang = [np.flatnonzero(names == lang) for lang in np.unique(names)]
        self._n_pairs, self._batch_size, self._seed = n_pairs, batch_size, seed
        self._batches = batches
        self._sizes = _smoothed([len(rows) for rows in self._of_lang], smoothing)

    def __call__(self, epoch: int) -> list[Ints1d]:
        """Return the pairs of each step of an epoch; as many steps in each."""
        generator = np.random.default_rng([self._seed, epoch])
        drawn = [
            _drawn(rows, size, generator)
            for rows, size in zip(self._of_lang, self._sizes, strict=True)
        ]
        if self._batches == "mixed":
            order = generator.permutation(np.concatenate(drawn))
            return _cut(order, self._batch_size)
        steps = [step for rows in drawn for step in _cut(rows, self._batch_size)]
        return [steps[place] for place in generator.permutation(len(steps))]


def _cut(rows: Ints1d, size: int) -> list[Ints1d]:
    """Cut rows into steps of like sizes, near `size`: a short last one would have few negatives."""
    return np.array_split(rows, max(1, round(len(rows) / size)))


def _smoothed(sizes: list[int], smoothing: float) -> list[int]:
    weights = np.asarray(sizes, np.float64) ** smoothing
    shares = weights / weights.sum() * sum(sizes)
    return [max(1, round(share)) for share in shares.tolist()]


def _drawn(rows: Ints1d, size: int, generator: np.random.Generator) -> Ints1d:
    """Draw `size` rows, each as often as another but for one time."""
    whole, rest = divmod(size, len(rows))
    parts = [generator.permutation(rows) for _ in range(whole)]
    return np.concatenate([*parts, generator.permutation(rows)[:rest]])
