"""Where the vector of an entity comes from before training: its name, a file, or chance.

A source answers for every entity of the knowledge base, so that entities first met at prediction
have a vector too.
"""

from typing import Literal, Protocol

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Ints1d
from isogloss.classify.vector_memo import encode_once
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.vectors import EntityVectors
from isogloss.vectors.entity_vectors import random_vectors

Init = Literal["encoder", "random"] | EntityVectors


class EntitySource(Protocol):
    """Gives initial vectors of entities."""

    def vectors(self, entities: Ints1d) -> tuple[Floats2d, Bools1d]:
        """Return float32 (n, width), and bool (n,): which entities have a vector at all.

        Parameters
        ----------
        entities
            int64 (n,): indices in the knowledge base.
        """
        ...


class NameVectors:
    """The encoder's own vectors of the entities' names in a training language."""

    def __init__(self, kb: KnowledgeBase, encoder: Encoder, langs: tuple[str, ...]) -> None:
        self._kb, self._encoder, self._langs = kb, encoder, langs

    def vectors(self, entities: Ints1d) -> tuple[Floats2d, Bools1d]:
        """See `EntitySource`; an entity without a name in a training language has none."""
        titles: list[str | None] = [None] * len(entities)
        for lang in self._langs:
            found = self._kb.titles(entities, lang)
            titles = [old or new for old, new in zip(titles, found, strict=True)]
        known = np.array([title is not None for title in titles], dtype=bool)
        vectors = np.zeros((len(entities), self._encoder.width), dtype=np.float32)
        names = [title for title in titles if title is not None]
        vectors[known] = encode_once(self._encoder, names, pooling=None).vectors
        return vectors, known


class RandomVectors:
    """Normal vectors of the root mean square of a unit vector, by entity id and seed."""

    def __init__(self, kb: KnowledgeBase, width: int, seed: int) -> None:
        self._kb, self._width, self._seed = kb, width, seed

    def vectors(self, entities: Ints1d) -> tuple[Floats2d, Bools1d]:
        """See `EntitySource`; every entity has one."""
        ids = [self._kb.entity_id(int(entity)) for entity in entities]
        drawn = random_vectors(
            ids, self._width, seed=self._seed, root_mean_square=self._width**-0.5
        )
        return drawn, np.ones(len(ids), dtype=bool)


class GivenVectors:
    """Vectors from a file or another tool, by entity id."""

    def __init__(self, kb: KnowledgeBase, given: EntityVectors) -> None:
        self._kb, self.given = kb, given

    def vectors(self, entities: Ints1d) -> tuple[Floats2d, Bools1d]:
        """See `EntitySource`; an entity that is not among the given ones has none."""
        return self.given.lookup([self._kb.entity_id(int(entity)) for entity in entities])


def entity_source(
    init: Init, kb: KnowledgeBase, encoder: Encoder, *, langs: tuple[str, ...], seed: int
) -> EntitySource:
    """Return the source that `init` names.

    Raises
    ------
    InputError
        When `init` is none of ``"encoder"``, ``"random"`` and an `EntityVectors`.
    """
    if isinstance(init, EntityVectors):
        return GivenVectors(kb, init)
    if init == "encoder":
        return NameVectors(kb, encoder, langs)
    if init == "random":
        return RandomVectors(kb, encoder.width, seed)
    raise InputError(f"init is {init!r}; give 'encoder', 'random' or an EntityVectors")
