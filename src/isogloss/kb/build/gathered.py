"""What sources say about entities, gathered in columns: the common form of every adapter.

A source calls `Gathered.entity`, `add_names` and the like; `build` merges and writes. Nothing here
reads files or knows a format. Columns are packed: a name costs its bytes and about 21 more.
"""

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import nan

import numpy as np

from isogloss.arrays import Bytes1d, Doubles1d, Ints1d
from isogloss.text.languages import fallbacks, parse_language

NAMES_AT_ONCE = 250_000
NAME, KEYWORD = range(2)  # kinds of rows; keywords are weaker


class PackedNames:
    """Strings one after the other in one buffer, which grows at its end."""

    def __init__(self) -> None:
        self._data = bytearray()
        self._ends = array("q", [0])

    def __len__(self) -> int:
        return len(self._ends) - 1

    def __iter__(self) -> Iterator[str]:
        for block in self.blocks():
            yield from block

    def extend(self, names: Iterable[str]) -> None:
        """Add strings; lone surrogates are kept."""
        for name in names:
            self._data += name.encode("utf-8", "surrogatepass")
            self._ends.append(len(self._data))

    def extend_packed(self, data: Bytes1d, offsets: Ints1d) -> None:
        """Add the strings ``data[offsets[i]:offsets[i + 1]]``, UTF-8."""
        ends = offsets[1:] + (len(self._data) - offsets[0])
        self._data += data[offsets[0] : offsets[-1]].tobytes()
        self._ends.frombytes(ends.astype(np.int64).tobytes())

    def arrays(self) -> tuple[Bytes1d, Ints1d]:
        """Return all bytes and the strings' offsets; nothing can be added while they are held."""
        return np.frombuffer(self._data, np.uint8), np.frombuffer(self._ends, np.int64)

    def blocks(self) -> Iterator[list[str]]:
        """Yield the strings, some at a time."""
        for first in range(0, len(self), NAMES_AT_ONCE):
            ends = self._ends[first : first + NAMES_AT_ONCE + 1]
            whole = bytes(self._data[ends[0] : ends[-1]])
            yield [
                whole[a - ends[0] : b - ends[0]].decode("utf-8", "surrogatepass")
                for a, b in pairwise(ends)
            ]


@dataclass
class LanguageNames:
    """Names in one language: row i says that `names[i]` names the entity `entity[i]`.

    `kind[i]` is `NAME` or `KEYWORD`. `count[i]` is how many links with the name lead
    to the entity, NaN where that is not known. `link_prob[i]` is the link probability of the name
    `prob_names[i]`, whatever it means; a name may be there several times, and the largest holds.
    """

    names: PackedNames = field(default_factory=PackedNames)
    entity: "array[int]" = field(default_factory=lambda: array("i"))
    kind: bytearray = field(default_factory=bytearray)
    count: "array[float]" = field(default_factory=lambda: array("d"))
    prob_names: PackedNames = field(default_factory=PackedNames)
    link_prob: "array[float]" = field(default_factory=lambda: array("d"))

    def extend_packed(
        self, data: Bytes1d, offsets: Ints1d, entity: Ints1d, count: Doubles1d
    ) -> None:
        """Add names that are packed, UTF-8."""
        self.names.extend_packed(data, offsets)
        self.entity.frombytes(entity.astype(np.int32).tobytes())
        self.kind.extend(bytes([NAME]) * entity.size)
        self.count.frombytes(count.astype(np.float64).tobytes())


@dataclass
class SourceReport:
    """What one source gave: counts for the manifest, and its licence where it is known.

    `counts` holds whatever else a source counts: lines by kind, what was left out and why.
    """

    name: str
    licence: str
    n_entities: int = 0
    n_names: int = 0
    n_bad_lines: int = 0
    unused_fields: dict[str, int] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)


class LanguageChoice:
    """Decide under which language of the knowledge base a name is kept, if at all.

    Parameters
    ----------
    langs
        Languages wanted; ``None`` keeps all, with tags that name a region put under their parent.

    Attributes
    ----------
    applied : dict
        Tag found → ``{"to": language, "n_names": count}`` where the two differ.
    """

    def __init__(self, langs: Sequence[str] | None) -> None:
        self.wanted = None if langs is None else [parse_language(lang) for lang in langs]
        parents = [tag for lang in self.wanted or [] for tag in fallbacks(lang)[1:]]
        self._parents = frozenset(parents)
        self._cache: dict[str, str | None] = {}
        self.applied: dict[str, dict[str, str | int]] = {}

    def __call__(self, tag: str) -> str | None:
        """Return the language to keep the names of `tag` under, or ``None``.

        Raises
        ------
        InputError
            When the tag names no known language.
        """
        if tag not in self._cache:
            self._cache[tag] = self._decide(parse_language(tag))
        return self._cache[tag]

    def note(self, tag: str, n_names: int) -> None:
        """Count names that went under another language than their tag's."""
        kept = self(tag)
        if kept is not None and kept != parse_language(tag):
            entry = self.applied.setdefault(tag, {"to": kept, "n_names": 0})
            entry["n_names"] = int(entry["n_names"]) + n_names

    def _decide(self, language: str) -> str | None:
        if self.wanted is None:
            return next((tag for tag in fallbacks(language) if not _has_region(tag)), language)
        for tag in fallbacks(language):
            if tag in self.wanted:
                return tag
        return language if language in self._parents else None


class Gathered:
    """Everything the sources gave, in columns, before entities are merged.

    Parameters
    ----------
    choose
        Language tag → language of the knowledge base, or ``None`` to leave the names out.
    """

    def __init__(self, choose: LanguageChoice) -> None:
        self.choose = choose
        self.index: dict[str, int] = {}
        self.types: dict[int, list[str]] = {}
        self.popularity: dict[int, float] = {}
        self.same_as: list[tuple[int, int]] = []
        self.languages: dict[str, LanguageNames] = {}

    def entity(self, entity_id: str) -> int:
        """Return the running number of an entity id, new or known."""
        return self.index.setdefault(entity_id, len(self.index))

    def add_type(self, entity: int, kind: str) -> None:
        """Add a type to an entity, once."""
        types = self.types.setdefault(entity, [])
        if kind not in types:
            types.append(kind)

    def language(self, tag: str) -> LanguageNames | None:
        """Return the columns that names of a language tag go to, or ``None`` if unwanted."""
        kept = self.choose(tag)
        return None if kept is None else self.languages.setdefault(kept, LanguageNames())

    def add_names(
        self,
        tag: str,
        entity: int,
        names: Iterable[str],
        *,
        is_keyword: bool = False,
        counts: Mapping[str, float] | None = None,
    ) -> int:
        """Add names of one entity; its first in a language is its title. Return how many.

        Parameters
        ----------
        counts
            How many links with a name lead to the entity, for some or all of `names`.
        """
        columns = self.language(tag)
        if columns is None:
            return 0
        listed = list(names)
        n_new = len(listed)
        columns.names.extend(listed)
        columns.entity.extend([entity] * n_new)
        columns.kind.extend([KEYWORD if is_keyword else NAME] * n_new)
        columns.count.extend([nan] * n_new if not counts else [counts.get(x, nan) for x in listed])
        self.choose.note(tag, n_new)
        return n_new


def _has_region(tag: str) -> bool:
    return any(
        (len(part) == 2 and part.isalpha()) or (len(part) == 3 and part.isdigit())
        for part in tag.split("-")[1:]
    )
