"""What linking gives: the mentions of many texts in flat arrays, and one by one as objects."""

from dataclasses import dataclass

from isogloss.arrays import Bytes1d, Floats1d, Ints1d, SmallInts1d
from isogloss.kb.base import KnowledgeBase


@dataclass(frozen=True)
class Candidate:
    """An entity that a mention may mean.

    Attributes
    ----------
    entity : str
        Its id.
    index : int
        Its number in the knowledge base.
    title : str or None
        Its first name in the pivot language, or in the mention's.
    link_probability : float
        How often the name is a link when it occurs.
    commonness : float
        How often a link with the name means this entity.
    """

    entity: str
    index: int
    title: str | None
    link_probability: float
    commonness: float


@dataclass(frozen=True)
class Mention:
    """A name found in a text: `text[start:end] == surface`."""

    start: int
    end: int
    surface: str
    lang: str
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True)
class LinkedTexts:
    """Mentions of many texts in flat arrays.

    Attributes
    ----------
    text_offsets : int64 array, (n_texts + 1,)
        Mentions of text i are rows `[text_offsets[i]:text_offsets[i + 1]]`.
    start, end : int32 arrays, (n_mentions,)
        Characters of the original string.
    language : uint8 array, (n_mentions,)
        Index into `langs`.
    candidate_offsets : int64 array, (n_mentions + 1,)
    entity, link_probability, commonness : int32, float32, float32 arrays, (n_candidates,)
        Entities of each mention, by index.
    n_dropped : int
        Pairs of text and entity left out because the entity has no name in the pivot language.
    """

    texts: tuple[str, ...]
    langs: tuple[str, ...]
    text_offsets: Ints1d
    start: SmallInts1d
    end: SmallInts1d
    language: Bytes1d
    candidate_offsets: Ints1d
    entity: SmallInts1d
    link_probability: Floats1d
    commonness: Floats1d
    n_dropped: int
    knowledge_base: KnowledgeBase
    pivot: str | None = None

    @property
    def n_texts(self) -> int:
        """Number of texts."""
        return len(self.texts)

    @property
    def n_mentions(self) -> int:
        """Number of mentions in all texts."""
        return int(self.start.size)

    def mentions(self, i: int) -> list[Mention]:
        """Return the mentions of text i as objects, from left to right."""
        if not 0 <= i < self.n_texts:
            raise IndexError(f"text {i} of {self.n_texts}")
        rows = range(int(self.text_offsets[i]), int(self.text_offsets[i + 1]))
        return [self._mention(self.texts[i], row) for row in rows]

    def _mention(self, text: str, row: int) -> Mention:
        start, end = int(self.start[row]), int(self.end[row])
        lang = self.langs[int(self.language[row])]
        part = slice(int(self.candidate_offsets[row]), int(self.candidate_offsets[row + 1]))
        entities = self.entity[part].tolist()
        titles = self.knowledge_base.titles(entities, self.pivot or lang)
        candidates = (
            Candidate(self.knowledge_base.entity_id(index), index, title, link, common)
            for index, title, link, common in zip(
                entities,
                titles,
                self.link_probability[part].tolist(),
                self.commonness[part].tolist(),
                strict=True,
            )
        )
        return Mention(start, end, text[start:end], lang, tuple(candidates))
