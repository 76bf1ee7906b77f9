"""The manifest of a knowledge base: its fields, and the arrays that each file must hold.

Everything that can be said without reading an array is checked here, when a knowledge base is
opened: kinds and ranges of all fields, names of files, type, shape and place of every array.
"""

import hashlib
from collections.abc import Mapping
from math import prod
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from isogloss.storage.typed import typed

FORMAT = "isogloss-kb"
VERSION = 2
MANIFEST = "manifest.json"
HEAD = ("format", "version", "checksum")
ENTITIES = "entities.bin"
ALIGNMENT = 64

Count = Annotated[int, Meta(ge=0, le=1 << 48)]
Tag = Annotated[str, Meta(pattern=r"^[A-Za-z0-9]+(-[A-Za-z0-9]+)*$", max_length=100)]


class Array(Struct, frozen=True):
    """Where an array lies in its file, and of what kind it is."""

    dtype: str
    shape: Annotated[tuple[Count, ...], Meta(max_length=2)]
    offset: Count

    @property
    def n_bytes(self) -> int:
        """Bytes that it takes."""
        return int(self.dtype[-1]) * prod(self.shape)


class File(Struct, frozen=True):
    """A file of arrays."""

    size: Count
    sha256: Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]
    arrays: dict[str, Array]


class Source(Struct, frozen=True):
    """What one source gave; those of Wikipedias say more."""

    name: str
    licence: str
    n_entities: int
    n_names: int
    n_bad_lines: int
    unused_fields: dict[str, int]
    counts: dict[str, int]
    pages: int | UnsetType = UNSET
    redirects: int | UnsetType = UNSET
    disambiguations: int | UnsetType = UNSET
    entities: int | UnsetType = UNSET
    names: int | UnsetType = UNSET
    dropped: int | UnsetType = UNSET


class Fallback(Struct, frozen=True):
    """The language under which the names of another tag are kept, and how many there are."""

    to: str
    n_names: int


class Manifest(Struct, frozen=True):
    """All that ``manifest.json`` holds behind its head."""

    n_entities: Annotated[int, Meta(ge=0, lt=1 << 31)]
    normalisation: dict[str, str | float]
    languages: dict[Tag, dict[str, int]]
    sources: list[Source]
    fallbacks: dict[str, Fallback]
    files: dict[str, File]

    @property
    def fingerprint(self) -> str:
        """Of all files' checksums: equal for equal contents."""
        sums = "".join(f"{name}={self.files[name].sha256};" for name in sorted(self.files))
        return hashlib.sha256(sums.encode()).hexdigest()[:16]


def checked_manifest(content: Mapping[str, Any]) -> Manifest:
    """Return what stands behind the head of a manifest as typed fields.

    Raises
    ------
    ValueError
        With what is missing, of another kind, or does not fit.
    """
    manifest = typed(content, Manifest)
    wanted = {ENTITIES, *(file_of(language) for language in manifest.languages)}
    for name in sorted(wanted ^ manifest.files.keys()):
        raise ValueError(f"its files lack or do not need {name!r:.80}")
    for name, file in manifest.files.items():
        _check_file(name, file, manifest.n_entities)
    return manifest


def file_of(language: str) -> str:
    """Return the name of a language's file."""
    return f"languages/{language}.bin"


# Array → its type and shape: an axis is "n_entities", or free under a name; "+1" is for offsets.
_OF_ENTITIES: dict[str, tuple[str, tuple[str, ...]]] = {
    "id_bytes": ("|u1", ("id bytes",)),
    "id_offsets": ("<i8", ("n_entities+1",)),
    "alias_bytes": ("|u1", ("alias bytes",)),
    "alias_offsets": ("<i8", ("aliases+1",)),
    "alias_entity": ("<i4", ("aliases",)),
    "type_bytes": ("|u1", ("type bytes",)),
    "type_name_offsets": ("<i8", ("types+1",)),
    "type_offsets": ("<i8", ("n_entities+1",)),
    "type_number": ("<i4", ("type numbers",)),
}
_OF_LANGUAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "title_entity": ("<i4", ("titles",)),
    "title_bytes": ("|u1", ("title bytes",)),
    "title_offsets": ("<i8", ("titles+1",)),
    "slots": ("<u8", ("slots",)),
    "records": ("<i4", ("blocks", "4")),
    "row_offsets": ("<i8", ("rows+1",)),
    "row_link_prob": ("<f4", ("rows",)),
    "candidate_entity": ("<i4", ("candidates",)),
    "candidate_commonness": ("<f4", ("candidates",)),
}


def table_of(name: str) -> Mapping[str, tuple[str, tuple[str, ...]]]:
    """Return the arrays that a file must hold, with their types and shapes."""
    return _OF_ENTITIES if name == ENTITIES else _OF_LANGUAGES


def _check_file(name: str, file: File, n_entities: int) -> None:
    """Check type and shape of every array, and that each has a place of its own in the file."""
    sizes = {"n_entities": n_entities, "4": 4}
    places: list[tuple[int, int, str]] = []
    for key, (dtype, shape) in table_of(name).items():
        array = file.arrays.get(key)
        if array is None:
            raise ValueError(f"{name} lacks the array '{key}'")
        if array.dtype != dtype or len(array.shape) != len(shape):
            raise ValueError(f"the array '{key}' of {name} is not {dtype} of {len(shape)} axes")
        for n, axis in zip(array.shape, shape, strict=True):
            known_by = axis.removesuffix("+1")
            is_more = int(known_by != axis)
            if n < is_more or sizes.setdefault(known_by, n - is_more) != n - is_more:
                raise ValueError(f"the array '{key}' of {name} has {n} {known_by}")
        places.append((array.offset, array.offset + array.n_bytes, key))
    end = 0
    for first, last, key in sorted(places):
        if first < end or first % ALIGNMENT or last > file.size:
            raise ValueError(f"the array '{key}' of {name} lies where it cannot")
        end = last
