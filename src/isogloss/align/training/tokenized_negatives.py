"""Hard negatives as tokens, and which sources of a batch they are no negatives of.

All negatives of a batch count for every source in it. One of them may be a translation of another
pair's source, as is known from the pairs: it is masked there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from isogloss.arrays import Ints1d, Ints2d, SmallInts1d


@dataclass(frozen=True)
class NegativesOfBatch:
    """Hard negatives of the pairs of one process in a step.

    Attributes
    ----------
    numbers
        int64 (n_negatives,): equal to those of sentences that say the same.
    places, sources
        int64 (n_known,): negative ``places[i]`` is, by some pair, a translation of the sentence
        with the number ``sources[i]``.
    """

    numbers: Tensor
    places: Tensor
    sources: Tensor

    def __len__(self) -> int:
        return len(self.numbers)


class TokenizedNegatives:
    """Hard negatives of pairs, any number for each.

    Parameters
    ----------
    ids, numbers
        Tokens and number of each negative, those of the first pair first.
    counts
        int64 (n_pairs,): how many each pair has.
    pairs
        int64 (2, n_pairs): numbers of the sources and the targets, which are translations.
    """

    def __init__(
        self, ids: list[SmallInts1d], numbers: Ints1d, counts: Ints1d, pairs: Ints2d
    ) -> None:
        self._ids, self._numbers = ids, numbers
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        order = np.argsort(pairs[1], kind="stable")
        self._targets, self._sources = pairs[1][order], pairs[0][order]

    def of(self, rows: Sequence[int]) -> tuple[list[SmallInts1d], NegativesOfBatch]:
        """Return the tokens of the negatives of some pairs, and what is known of them."""
        chosen = np.concatenate(
            [np.arange(self._starts[row], self._starts[row + 1]) for row in rows]
        )
        numbers = self._numbers[chosen]
        first = np.searchsorted(self._targets, numbers, side="left")
        last = np.searchsorted(self._targets, numbers, side="right")
        places = np.repeat(np.arange(len(numbers)), last - first)
        found = [np.arange(one, other) for one, other in zip(first, last, strict=True)]
        sources = self._sources[np.concatenate([np.empty(0, np.int64), *found])]
        return [self._ids[place] for place in chosen.tolist()], NegativesOfBatch(
            torch.from_numpy(numbers), torch.from_numpy(places), torch.from_numpy(sources)
        )
