"""Words and entities that have a vector, and what is known of those that have none.

A look-up that fails says why: below the minimum count, a redirect to such a title, or not in the
dump; and it names close titles. Entities are written as titles, ``ENTITY/Title`` where a word could
be meant.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal
from urllib.parse import unquote

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.errors import InputError, counted
from isogloss.vectors.names import Names, PackedStrings, closest

ENTITY_PREFIX = "ENTITY/"

Kind = Literal["word", "entity"]

_URL = re.compile(
    r"(?:https?://)?[\w.-]+\.wikipedia\.org/(?:wiki/|w/index\.php\?title=)([^?#&]+).*"
)


@dataclass(frozen=True, eq=False)
class Counted:
    """Names with a number each."""

    names: Names
    counts: Ints1d

    @classmethod
    def of(cls, counts: Mapping[str, int]) -> "Counted":
        """Pack a mapping."""
        return cls(Names.of(counts), np.fromiter(counts.values(), np.int64, len(counts)))


def _nothing() -> Counted:
    return Counted.of({})


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Names of the rows of a matrix, words first, and names that have no row.

    Attributes
    ----------
    words, entities
        Words as written in text; titles of entities.
    word_counts, entity_counts
        How often a word occurs and an entity is linked; 0 where it is not known.
    entity_ids
        Ids of a knowledge base, ``""`` for an entity without; ``None``: no entity has one.
    redirects
        Titles of redirects; the number of an entity, or -1 - number among `rare_entities`.
    rare_words, rare_entities
        What was met less often than the minimum counts say, with the counts.
    min_word_count, min_entity_count
        0 where it is not known what was left out, as in files of other tools.
    """

    words: Names
    entities: Names
    word_counts: Ints1d
    entity_counts: Ints1d
    entity_ids: PackedStrings | None = None
    redirects: Counted = field(default_factory=_nothing)
    rare_words: Counted = field(default_factory=_nothing)
    rare_entities: Counted = field(default_factory=_nothing)
    min_word_count: int = 0
    min_entity_count: int = 0

    @classmethod
    def of(
        cls,
        words: Sequence[str],
        entities: Sequence[str] = (),
        *,
        word_counts: Sequence[int] | None = None,
        entity_counts: Sequence[int] | None = None,
        redirects: Mapping[str, str] | None = None,
        rare_words: Mapping[str, int] | None = None,
        rare_entities: Mapping[str, int] | None = None,
        min_word_count: int = 0,
        min_entity_count: int = 0,
    ) -> "Vocabulary":
        """Make one from lists; a redirect to a title that is not known is left out.

        Raises
        ------
        InputError
            When a name comes twice or the numbers of names and counts differ.
        """
        numbers = {title: number for number, title in enumerate(entities)}
        rare = dict(rare_entities or {})
        numbers |= {title: -1 - number for number, title in enumerate(rare)}
        targets = {
            title: numbers[target]
            for title, target in (redirects or {}).items()
            if target in numbers and title not in numbers
        }
        return cls(
            Names.of(words), Names.of(entities),
            _counts_of(words, word_counts), _counts_of(entities, entity_counts),
            redirects=Counted.of(targets),
            rare_words=Counted.of(rare_words or {}), rare_entities=Counted.of(rare),
            min_word_count=min_word_count, min_entity_count=min_entity_count,
        )  # fmt: skip

    def __len__(self) -> int:
        return len(self.words) + len(self.entities)

    def find_entities(self, titles: Sequence[str]) -> Ints1d:
        """Return the numbers of entities by title or redirect, -1 without; int64 (n,)."""
        found = self.entities.find_all(titles)
        through = self.redirects.names.find_all(titles)
        is_redirect = (found < 0) & (through >= 0)
        found[is_redirect] = np.maximum(self.redirects.counts[through[is_redirect]], -1)
        return found

    def find_entity(self, title: str) -> int:
        """Return the number of an entity by title, redirect, address of its page or id, or -1."""
        for number in self.find_entities(list(_spellings(title))).tolist():
            if number >= 0:
                return int(number)
        ids = self.entity_ids or ()
        return next((i for i, known in enumerate(ids) if known == title and title), -1)

    def row(self, name: str) -> "Found":
        """Find a word, or an entity by title, redirect, id or address of its page.

        Parameters
        ----------
        name
            As it is written; a word before an entity, unless it begins with ``ENTITY/``.

        Raises
        ------
        InputError
            When there is no vector: why, and close names.
        """
        is_entity = name.startswith(ENTITY_PREFIX)
        title = name.removeprefix(ENTITY_PREFIX)
        if not is_entity:
            for word in (name, name.lower()) if self.entities.find(title) < 0 else (name,):
                number = self.words.find(word)
                if number >= 0:
                    return Found(number, "word", word, asked=name)
        number = self.find_entity(title)
        if number < 0:
            raise InputError(self._why_not(title, is_entity=is_entity))
        return Found(len(self.words) + number, "entity", self.entities[number], asked=title)

    def name_of_row(self, row: int) -> str:
        """Return a word, or a title with ``ENTITY/`` in front."""
        if row < len(self.words):
            return self.words[row]
        return ENTITY_PREFIX + self.entities[row - len(self.words)]

    def _why_not(self, name: str, *, is_entity: bool) -> str:
        reason = self._reason(name, is_entity=is_entity)
        close, left_out = self._close_to(name, is_entity=is_entity)
        nearest = f"; the closest are {', '.join(close)}" if close else ""
        if left_out:
            nearest += f"; below the minimum count are {', '.join(left_out)}"
        return f"no vector for '{name}': {reason}{nearest or '; nothing is spelt like it'}"

    def _close_to(self, name: str, *, is_entity: bool) -> tuple[list[str], list[str]]:
        """Return names like one: those that have a vector, and those that are known without."""
        redirects = self.redirects.names.close_to(name)
        numbers = self.redirects.counts[self.redirects.names.find_all(redirects)]
        titles = self.entities.close_to(name)
        titles += [title for title, to in zip(redirects, numbers.tolist(), strict=True) if to >= 0]
        asked = set(_spellings(name))
        rare = [title for title in self.rare_entities.names.close_to(name) if title not in asked]
        close = [f"'{ENTITY_PREFIX}{title}'" for title in closest(name, titles)]
        left_out = [f"'{ENTITY_PREFIX}{title}'" for title in rare]
        if not is_entity:
            close = [f"'{word}'" for word in self.words.close_to(name)][:2] + close
            asked.add(name.lower())
            words = [word for word in self.rare_words.names.close_to(name) if word not in asked]
            left_out = [f"'{word}'" for word in words][:2] + left_out
        return close, left_out

    def _reason(self, name: str, *, is_entity: bool) -> str:
        for spelling in _spellings(name):
            through = self.redirects.names.find(spelling)
            target = int(self.redirects.counts[through]) if through >= 0 else 0
            if target < 0:
                title = self.rare_entities.names[-1 - target]
                return f"it redirects to '{title}', {self._below(title)}"
            if self.rare_entities.names.find(spelling) >= 0:
                return f"it is a title, {self._below(spelling)}"
        rare = self.rare_words.names.find(name if self.rare_words.names.find(name) >= 0
                                          else name.lower())  # fmt: skip
        if rare >= 0 and not is_entity:
            times = counted(int(self.rare_words.counts[rare]), "time")
            return f"the word occurs {times}, below the minimum count of {self.min_word_count}"
        if self.min_entity_count:
            no_word = "" if is_entity else ", and no text has the word"
            return (
                "it is not in the dump: no page or redirect has this title, unless it is a "
                f"disambiguation page{no_word}"
            )
        return "it is not in the file, which does not say what was left out"

    def _below(self, title: str) -> str:
        count = int(self.rare_entities.counts[self.rare_entities.names.find(title)])
        return (
            f"which is linked {counted(count, 'time')}, below the minimum count of "
            f"{self.min_entity_count}"
        )


@dataclass(frozen=True)
class Found:
    """The row that a look-up found, and how: `name` is what has the vector, `asked` was given."""

    row: int
    kind: Kind
    name: str
    asked: str

    @property
    def label(self) -> str:
        """The name as files write it."""
        return self.name if self.kind == "word" else ENTITY_PREFIX + self.name


def _spellings(title: str) -> Iterable[str]:
    """Yield a title as it is, and as MediaWiki would write it."""
    yield title
    address = _URL.fullmatch(title)
    tidy = " ".join((unquote(address[1]) if address else title).replace("_", " ").split())
    if tidy != title:
        yield tidy
    capital = tidy[:1].upper() + tidy[1:]
    if capital != tidy:
        yield capital


def _counts_of(names: Sequence[str], counts: Sequence[int] | None) -> Ints1d:
    if counts is None:
        return np.zeros(len(names), np.int64)
    if len(counts) != len(names):
        raise InputError(f"{len(counts)} counts do not fit {len(names)} names")
    return np.asarray(counts, np.int64)
