"""Bags of entities: for each text the set of entities its names may mean, with their evidence."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Bools1d, Floats1d, Ints1d, SmallInts1d, offsets_of


@dataclass(frozen=True)
class EntityBags:
    """The entities of each text, each once, by ascending index.

    Attributes
    ----------
    indptr : int64 array, (n_texts + 1,)
        Text i owns `[indptr[i]:indptr[i + 1]]` of the other arrays.
    entity : int32 array, (n,)
        Index in the knowledge base, whose order is that of the ids.
    commonness, link_probability : float32 arrays, (n,)
        The largest over the mentions that yield the entity.
    n_mentions : int32 array, (n,)
        How many mentions yield the entity.
    n_dropped : int
        Pairs of text and entity that were left out for want of a name in the pivot language.
    """

    indptr: Ints1d
    entity: SmallInts1d
    commonness: Floats1d
    link_probability: Floats1d
    n_mentions: SmallInts1d
    n_dropped: int = 0

    @property
    def n_texts(self) -> int:
        """Number of texts."""
        return int(self.indptr.size) - 1

    @classmethod
    def empty(cls, n_texts: int) -> "EntityBags":
        """Return bags of texts in which nothing is linked."""
        none = np.zeros(0, np.float32)
        integers = np.zeros(0, np.int32)
        return cls(np.zeros(n_texts + 1, np.int64), integers, none, none, integers)

    def select(self, rows: "Sequence[int] | Ints1d") -> "EntityBags":
        """Return the bags of some texts, in the order given; `n_dropped` stays as it is."""
        chosen = np.asarray(rows, np.int64)
        size = np.diff(self.indptr)[chosen]
        indptr = offsets_of(size)
        place = np.arange(int(indptr[-1])) + np.repeat(self.indptr[chosen] - indptr[:-1], size)
        return self._taken(indptr, place)

    def keep(self, kept: Bools1d) -> "EntityBags":
        """Return the bags with only the pairs of text and entity marked in `kept`, bool (n,)."""
        owner = np.repeat(np.arange(self.n_texts), np.diff(self.indptr))
        return self._taken(offsets_of(np.bincount(owner[kept], minlength=self.n_texts)), kept)

    @classmethod
    def concatenate(cls, parts: "Sequence[EntityBags]") -> "EntityBags":
        """Return the bags of all texts of `parts`, one part after the other."""
        return cls(
            indptr=offsets_of(np.concatenate([np.diff(part.indptr) for part in parts])),
            entity=np.concatenate([part.entity for part in parts]),
            commonness=np.concatenate([part.commonness for part in parts]),
            link_probability=np.concatenate([part.link_probability for part in parts]),
            n_mentions=np.concatenate([part.n_mentions for part in parts]),
            n_dropped=sum(part.n_dropped for part in parts),
        )

    def cap(self, max_entities: int) -> "EntityBags":
        """Keep of each text the entities with the largest (commonness, link probability).

        Ties go to the entity that comes first by id.

        Parameters
        ----------
        max_entities
            At most so many a text; at least 0.
        """
        if max_entities < 0:
            raise ValueError(f"max_entities is {max_entities}; at least 0 is allowed")
        owner = np.repeat(np.arange(self.n_texts), np.diff(self.indptr))
        order = np.lexsort((self.entity, -self.link_probability, -self.commonness, owner))
        rank = np.arange(order.size) - np.repeat(self.indptr[:-1], np.diff(self.indptr))
        place = np.sort(order[rank < max_entities])
        return self._taken(offsets_of(np.minimum(np.diff(self.indptr), max_entities)), place)

    def _taken(self, indptr: Ints1d, place: "Ints1d | Bools1d") -> "EntityBags":
        return EntityBags(
            indptr=indptr,
            entity=self.entity[place],
            commonness=self.commonness[place],
            link_probability=self.link_probability[place],
            n_mentions=self.n_mentions[place],
            n_dropped=self.n_dropped,
        )


def bags_of(
    *,
    text_offsets: Ints1d,
    candidate_offsets: Ints1d,
    entity: SmallInts1d,
    link_probability: Floats1d,
    commonness: Floats1d,
    n_dropped: int,
) -> EntityBags:
    """Gather the candidates of all mentions of each text (the arrays of `LinkedTexts`)."""
    n_texts = text_offsets.size - 1
    if not entity.size:
        empty = EntityBags.empty(n_texts)
        return EntityBags(
            empty.indptr, empty.entity, empty.commonness, empty.link_probability,
            empty.n_mentions, n_dropped,
        )  # fmt: skip
    owner = np.repeat(np.arange(n_texts), np.diff(candidate_offsets[text_offsets]))
    order = np.lexsort((entity, owner))
    owner, sorted_entity = owner[order], entity[order]
    is_new = np.ones(order.size, np.bool_)
    is_new[1:] = (owner[1:] != owner[:-1]) | (sorted_entity[1:] != sorted_entity[:-1])
    first = np.flatnonzero(is_new)
    return EntityBags(
        indptr=offsets_of(np.bincount(owner[first], minlength=n_texts)),
        entity=sorted_entity[first],
        commonness=np.maximum.reduceat(commonness[order], first),
        link_probability=np.maximum.reduceat(link_probability[order], first),
        n_mentions=np.diff(np.append(first, order.size)).astype(np.int32),
        n_dropped=n_dropped,
    )
