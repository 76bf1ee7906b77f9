"""What sources say about entities, gathered in columns: the common form of every adapter.

A source calls `Gathered.entity`, `add_names` and the like; `build` merges and writes. Nothing here
reads files or knows a format.
"""

from array import array
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from isogloss.text.languages import fallbacks, parse_language


@dataclass
class LanguageNames:
    """Names in one language: row i says that `names[i]` names the entity `entity[i]`."""

    names: list[str] = field(default_factory=list)
    entity: "array[int]" = field(default_factory=lambda: array("i"))
    is_keyword: bytearray = field(default_factory=bytearray)
    counts: dict[tuple[str, int], float] = field(default_factory=dict)
    link_prob: dict[str, float] = field(default_factory=dict)


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
        self, tag: str, entity: int, names: Iterable[str], *, is_keyword: bool = False
    ) -> int:
        """Add names of one entity; its first in a language is its title. Return how many."""
        columns = self.language(tag)
        if columns is None:
            return 0
        n_before = len(columns.names)
        columns.names.extend(names)
        n_new = len(columns.names) - n_before
        columns.entity.extend([entity] * n_new)
        columns.is_keyword.extend([is_keyword] * n_new)
        self.choose.note(tag, n_new)
        return n_new


def _has_region(tag: str) -> bool:
    return any(
        (len(part) == 2 and part.isalpha()) or (len(part) == 3 and part.isdigit())
        for part in tag.split("-")[1:]
    )
