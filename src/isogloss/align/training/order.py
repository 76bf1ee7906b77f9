"""Which pairs each step of an epoch sees: mixed or of one language, drawn evenly or smoothed."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from isogloss.align.sampling import drawn, smoothed_sizes
from isogloss.arrays import Ints1d

Batches = Literal["mixed", "one-language"]
BATCHES: tuple[Batches, ...] = ("mixed", "one-language")


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
        self._sizes = smoothed_sizes([len(rows) for rows in self._of_lang], smoothing)

    def __call__(self, epoch: int) -> list[Ints1d]:
        """Return the pairs of each step of an epoch; as many steps in each."""
        generator = np.random.default_rng([self._seed, epoch])
        chosen = [
            drawn(rows, size, generator)
            for rows, size in zip(self._of_lang, self._sizes, strict=True)
        ]
        if self._batches == "mixed":
            order = generator.permutation(np.concatenate(chosen))
            return _cut(order, self._batch_size)
        steps = [step for rows in chosen for step in _cut(rows, self._batch_size)]
        return [steps[place] for place in generator.permutation(len(steps))]


def _cut(rows: Ints1d, size: int) -> list[Ints1d]:
    """Cut rows into steps of like sizes, near `size`: a short last one would have few negatives."""
    return np.array_split(rows, max(1, round(len(rows) / size)))
