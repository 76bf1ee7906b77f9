"""The knowledge base: entities, their titles and types, memory-mapped from a directory.

All files are mapped, read-only, on opening; processes share the pages. A file is compared with its
checksum when it is first used. Copies are the same object; a pickle holds the path and the
fingerprint.
"""

import difflib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from isogloss.arrays import Bools1d
from isogloss.errors import InputError
from isogloss.kb.stored.manifest import ENTITIES, FORMAT, VERSION, Manifest, file_of
from isogloss.kb.stored.opened_files import OpenedFile, open_files
from isogloss.kb.stored.write import Arrays, unpack_string
from isogloss.text.languages import fallbacks, parse_language


class KnowledgeBase:
    """Entities and their names, from a directory that `build_knowledge_base` wrote.

    Entities are numbered from 0 in the order of their ids. Open one with `KnowledgeBase.open`.

    Attributes
    ----------
    path : Path
    fingerprint : str
        Of all files' checksums: equal for equal contents.
    languages : tuple of str
        Languages that have names.
    n_entities : int
    """

    def __init__(self, path: Path, manifest: Manifest, files: Mapping[str, OpenedFile]) -> None:
        self.path = path
        self._manifest, self._files = manifest, files
        self.languages: tuple[str, ...] = tuple(manifest.languages)
        self.n_entities: int = manifest.n_entities
        self.fingerprint = manifest.fingerprint

    @classmethod
    def open(cls, path: str | Path) -> "KnowledgeBase":
        """Open a knowledge base.

        Raises
        ------
        InputError
            When there is none, it has another version, its manifest is damaged, or a file is
            missing or cut off. What else is wrong with a file is said when it is first used.
        """
        path = Path(path)
        return cls(path, *open_files(path))

    def __repr__(self) -> str:
        return (
            f"KnowledgeBase({str(self.path)!r}, {self.n_entities} entities, "
            f"{len(self.languages)} languages, fingerprint {self.fingerprint})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _opened_again, (str(self.path.absolute()), self.fingerprint)

    def __copy__(self) -> "KnowledgeBase":
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> "KnowledgeBase":
        return self

    def __sklearn_clone__(self) -> "KnowledgeBase":
        return self

    def entity_id(self, index: int) -> str:
        """Return the id of the entity with this number."""
        return _string(self._entities, "id", self._checked(index))

    def index_of(self, entity_id: str) -> int:
        """Return the number of an entity, by its id or one that was joined to it.

        Raises
        ------
        InputError
            For an unknown id; the sentence holds the nearest ids.
        """
        found = _search(self._entities, "id", entity_id)
        if found is not None:
            return found
        alias = _search(self._entities, "alias", entity_id)
        if alias is not None:
            return int(self._entities["alias_entity"][alias])
        raise InputError(f"no entity '{entity_id}'; {self._nearest(entity_id)}", path=self.path)

    def title(self, index: int, lang: str) -> str | None:
        """Return the entity's first name in a language, or ``None``."""
        return self.titles([index], lang)[0]

    def titles(self, indices: Iterable[int], lang: str) -> list[str | None]:
        """Return the first names of entities in a language, ``None`` where there is none."""
        language = self.language_of(lang)
        wanted = [self._checked(index) for index in indices]
        if language is None:
            return [None] * len(wanted)
        arrays = self.names_in(language)
        entities = arrays["title_entity"]
        places = np.searchsorted(entities, np.array(wanted, np.int64)).tolist()
        return [
            _string(arrays, "title", place)
            if place < entities.size and entities[place] == index
            else None
            for place, index in zip(places, wanted, strict=True)
        ]

    def has_title(self, lang: str) -> Bools1d:
        """Say of each entity whether it has a name in a language; shape (n_entities,)."""
        has = np.zeros(self.n_entities, np.bool_)
        language = self.language_of(lang)
        if language is not None:
            has[self.names_in(language)["title_entity"]] = True
        return has

    def types(self, index: int) -> tuple[str, ...]:
        """Return the types of an entity."""
        index = self._checked(index)
        bounds = self._entities["type_offsets"]
        numbers = self._entities["type_number"][int(bounds[index]) : int(bounds[index + 1])]
        offsets = self._entities["type_name_offsets"]
        return tuple(unpack_string(self._entities["type_bytes"], offsets, int(n)) for n in numbers)

    def language_of(self, lang: str) -> str | None:
        """Return the language of this knowledge base that serves `lang`: itself or a parent."""
        return next((tag for tag in fallbacks(parse_language(lang)) if tag in self.languages), None)

    def names_in(self, language: str) -> Arrays:
        """Return the arrays of one of `languages` (see `isogloss.kb.stored.write`), checked once.

        Raises
        ------
        InputError
            When they are not what was written.
        """
        return self._files[file_of(language)].arrays()

    def info(self) -> dict[str, Any]:
        """Return what there is to say about the knowledge base, as JSON holds it."""
        known = msgspec.to_builtins(self._manifest)
        del known["files"], known["n_entities"]
        return {
            "path": str(self.path),
            "fingerprint": self.fingerprint,
            "n_entities": self.n_entities,
            "n_bytes": sum(file.size for file in self._manifest.files.values()),
            "format": FORMAT,
            "version": VERSION,
            **known,
        }

    def verify(self) -> None:
        """Read every file and compare it with its checksum.

        Raises
        ------
        InputError
            Names the damaged file.
        """
        for file in self._files.values():
            file.verify()

    @property
    def _entities(self) -> Arrays:
        return self._files[ENTITIES].arrays()

    def _checked(self, index: int) -> int:
        if not 0 <= index < self.n_entities:
            raise IndexError(f"entity {index} of {self.n_entities}")
        return int(index)

    def _nearest(self, entity_id: str) -> str:
        middle = _bisect(self._entities, "id", entity_id)
        around = range(max(0, middle - 200), min(self.n_entities, middle + 200))
        ids = [self.entity_id(index) for index in around]
        close = difflib.get_close_matches(entity_id, ids, n=3, cutoff=0.0)
        return "the nearest are " + ", ".join(close)


def _opened_again(path: str, fingerprint: str) -> KnowledgeBase:
    """Open what a pickle names: that of the process that wrote it, and no other."""
    opened = KnowledgeBase.open(path)
    if opened.fingerprint != fingerprint:
        raise InputError(
            f"was replaced: fingerprint {opened.fingerprint}, where {fingerprint} was in use; "
            "open the new one",
            path=path,
        )
    return opened


def _string(arrays: Arrays, name: str, index: int) -> str:
    return unpack_string(arrays[f"{name}_bytes"], arrays[f"{name}_offsets"], index)


def _bisect(arrays: Arrays, name: str, value: str) -> int:
    """Return where `value` stands, or would stand, among sorted packed strings."""
    low, high = 0, arrays[f"{name}_offsets"].size - 1
    while low < high:
        middle = (low + high) // 2
        if _string(arrays, name, middle) < value:
            low = middle + 1
        else:
            high = middle
    return low


def _search(arrays: Arrays, name: str, value: str) -> int | None:
    place = _bisect(arrays, name, value)
    if place < arrays[f"{name}_offsets"].size - 1 and _string(arrays, name, place) == value:
        return place
    return None
