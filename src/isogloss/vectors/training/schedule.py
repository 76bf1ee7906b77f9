"""The order of pages and entities in each epoch of `train_vectors`, and their learning rates.

What is drawn depends on the seed alone, not on threads; the state between two epochs can be
kept, so that a stopped training resumes with the same numbers.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Floats1d, Ints1d, SmallInts1d
from isogloss.vectors.corpus.corpus import TrainingCorpus

TOKENS_AT_ONCE = 50_000  # a fraction of a second, after which Ctrl-C is heard
PAGES_AT_ONCE = 1_000


@dataclass(frozen=True, eq=False)
class Chunk:
    """Pages that one thread learns from in one call.

    Attributes
    ----------
    number
        Place among the chunks of all epochs: the seed of what is drawn within.
    pages, rates
        Page numbers; their learning rates, float32.
    chosen
        Entities whose links are learned beside each page; int32 (n_pages, n_entities_a_page).
    size
        Tokens, and some for each page: what time is proportional to.
    """

    number: int
    pages: Ints1d
    rates: Floats1d
    chosen: "np.ndarray[tuple[int, int], np.dtype[np.int32]]"
    size: int


class Schedule:
    """The chunks of a training.

    Parameters
    ----------
    n_chosen
        Entities whose links are learned beside each page; 0: none.
    learning_rate, min_learning_rate
        Falls linearly with the pages, and never below `min_learning_rate`.

    Attributes
    ----------
    epoch
        Epochs that have begun.
    left
        The rest of the order of entities that is being used up; int32.
    """

    def __init__(
        self, corpus: TrainingCorpus, n_epochs: int, n_chosen: int, learning_rate: float,
        min_learning_rate: float, generator: np.random.Generator,
    ) -> None:  # fmt: skip
        self.generator = generator
        self.n_epochs = n_epochs
        self.epoch = 0
        self.left: SmallInts1d = np.zeros(0, np.int32)
        self._number = 0
        self._n_entities = len(corpus.vocabulary.entities)
        self._n_chosen = n_chosen if self._n_entities else 0
        self._rates = learning_rate, min_learning_rate
        n_tokens = np.diff(corpus.section_offsets[corpus.page_sections])
        self._sizes = n_tokens + TOKENS_AT_ONCE // PAGES_AT_ONCE

    @property
    def size(self) -> int:
        """The sum of the sizes of the chunks of one epoch."""
        return int(self._sizes.sum())

    def chunks(self) -> Iterator[Chunk]:
        """Yield the pages of the next epoch in a new order."""
        n_pages = self._sizes.size
        n_done = n_pages * self.epoch
        self.epoch += 1
        order = self.generator.permutation(n_pages)
        sizes = np.cumsum(self._sizes[order])
        first = 0
        while first < n_pages:
            before = int(sizes[first - 1]) if first else 0
            last = max(first + 1, int(np.searchsorted(sizes, before + TOKENS_AT_ONCE, "right")))
            pages = order[first:last]
            done = np.arange(n_done, n_done + len(pages)) / (n_pages * self.n_epochs)
            rates = np.maximum(self._rates[0] * (1 - done), self._rates[1]).astype(np.float32)
            chosen = self._entities(len(pages) * self._n_chosen).reshape(len(pages), self._n_chosen)
            size = int(sizes[last - 1]) - before
            yield Chunk(self._number, pages, rates, chosen, size)
            self._number, n_done, first = self._number + 1, n_done + len(pages), last

    def state(self) -> dict[str, Any]:
        """Return what JSON can hold of the state between epochs; `left` belongs to it."""
        drawn = self.generator.bit_generator.state
        return {"epoch": self.epoch, "number": self._number, "generator": drawn}

    def restore(self, state: dict[str, Any], left: SmallInts1d) -> None:
        """Go back to a state."""
        self.epoch, self._number, self.left = state["epoch"], state["number"], left
        self.generator.bit_generator.state = state["generator"]

    def _entities(self, n_wanted: int) -> SmallInts1d:
        """Take the next numbers of random orders of all entities, one order after the other."""
        taken = [self.left[:n_wanted]]
        self.left = self.left[n_wanted:]
        missing = n_wanted - len(taken[0])
        while missing:
            order = self.generator.permutation(np.arange(self._n_entities, dtype=np.int32))
            taken.append(order[:missing])
            self.left = order[missing:]
            missing -= len(taken[-1])
        return np.concatenate(taken)
