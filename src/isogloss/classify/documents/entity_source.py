"""Where the vector of an entity comes from before training: its name, a file, or chance.

A source answers for every entity of the knowledge base, so that entities first met at prediction
have a vector too.
"""

from typing import Literal, Protocol

import numpy as np

from isogloss.arrays import Bools1d, Floats2d, Ints1d
from isogloss.encode import Encoder
from isogloss.encode.settings import Pooling
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.learn.vector_memo import encode_once
from isogloss.vectors import EntityVectors
from isogloss.vectors.entity_vectors import random_vectors

Init = Literal["encoder", "random"] | EntityVectors


class EntitySource(Protocol):
    """Gives initial vectors of entities."""

    def known(self, entities: Ints1d) -> Bools1d:
        """Return bool (n,): which entities, int (n,) indices in the knowledge base, have one."""
        ...

    def vectors(self, entities: Ints1d) -> Floats2d:
        """Return float32 (n, width): the vectors of entities that are all `known`."""
        ...


class _NameVectors:
    """The encoder's own vectors of the entities' names in a training language.

    Names are pooled as the documents are: vectors of two poolings have no cosine in common.
    """

    def __init__(
        self,
        kb: KnowledgeBase,
        encoder: Encoder,
        *,
        langs: tuple[str, ...],
        pooling: Pooling | None,
    ) -> None:
        self._kb, self._encoder, self._langs, self._pooling = kb, encoder, langs, pooling

    def known(self, entities: Ints1d) -> Bools1d:
        return named_in(self._kb, self._langs)[entities]

    def vectors(self, entities: Ints1d) -> Floats2d:
        titles: list[str | None] = [None] * len(entities)
        for lang in self._langs:
            found = self._kb.titles(entities, lang)
            titles = [old or new for old, new in zip(titles, found, strict=True)]
        names = [title for title in titles if title is not None]
        return encode_once(self._encoder, names, pooling=self._pooling).vectors


class _RandomVectors:
    """Normal vectors of the root mean square of a unit vector, by entity id and seed."""

    def __init__(self, kb: KnowledgeBase, width: int, seed: int, root_mean_square: float) -> None:
        self._kb, self._width, self._seed = kb, width, seed
        self._root_mean_square = root_mean_square

    def known(self, entities: Ints1d) -> Bools1d:
        return np.ones(len(entities), dtype=bool)

    def vectors(self, entities: Ints1d) -> Floats2d:
        return random_vectors(
            _ids(self._kb, entities),
            self._width,
            seed=self._seed,
            root_mean_square=self._root_mean_square,
        )


class _GivenVectors:
    """Vectors from a file or another tool, by entity id."""

    def __init__(self, kb: KnowledgeBase, given: EntityVectors) -> None:
        self._kb, self.given = kb, given

    def known(self, entities: Ints1d) -> Bools1d:
        return self.given.lookup(_ids(self._kb, entities))[1]

    def vectors(self, entities: Ints1d) -> Floats2d:
        return self.given.lookup(_ids(self._kb, entities))[0]


def entity_source(
    init: Init,
    kb: KnowledgeBase,
    encoder: Encoder,
    *,
    langs: tuple[str, ...],
    pooling: Pooling | None,
    seed: int,
    root_mean_square: float | None = None,
) -> EntitySource:
    """Return the source that `init` names.

    Parameters
    ----------
    langs
        The training languages, whose names ``"encoder"`` encodes.
    pooling
        That of the documents, for ``"encoder"``.
    seed
        For ``"random"``.
    root_mean_square
        For ``"random"``; None: that of a unit vector.

    Raises
    ------
    InputError
        When `init` is none of ``"encoder"``, ``"random"`` and an `EntityVectors`.
    """
    if isinstance(init, EntityVectors):
        return _GivenVectors(kb, init)
    if init == "encoder":
        return _NameVectors(kb, encoder, langs=langs, pooling=pooling)
    if init == "random":
        scale = root_mean_square or encoder.width**-0.5
        return _RandomVectors(kb, encoder.width, seed, scale)
    raise InputError(f"init is {init!r}; give 'encoder', 'random' or an EntityVectors")


def named_in(kb: KnowledgeBase, langs: tuple[str, ...]) -> Bools1d:
    """Return bool (kb.n_entities,): which entities one of the languages names."""
    named = np.zeros(kb.n_entities, dtype=bool)
    for lang in langs:
        named |= kb.has_title(lang)
    return named


def _ids(kb: KnowledgeBase, entities: Ints1d) -> list[str]:
    return [kb.entity_id(int(entity)) for entity in entities]
