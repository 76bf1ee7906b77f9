"""The files of an index of texts: a manifest, and flat arrays that are mapped, never read whole.

``vectors`` is float32, (n_texts, width), of unit length; ``langs`` uint16, a number of the
manifest's list of languages for each text, 0 for none; ``texts`` and ``ids`` are UTF-8, with int64
offsets, (n_texts + 1,), beside them; ``faiss`` are inverted lists of FAISS, where they were asked
for. Opening compares sizes alone; `verify` reads every byte.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
import numpy as np
from msgspec import Struct

from isogloss.arrays import Floats2d, Ints1d
from isogloss.encode.source import EncoderName
from isogloss.errors import InputError, counted
from isogloss.limits import Count, Share
from isogloss.storage.files import (
    damage_in_one_sentence,
    is_there,
    open_regular,
    read_json,
    sha256_of,
    write_json,
)
from isogloss.storage.sealed import refuse_changed, refuse_other_version, sealed
from isogloss.text.languages import parse_language

FORMAT, VERSION = "isogloss text index", 1
MANIFEST = "manifest.json"
VECTORS, LANGS, FAISS = "vectors.f32", "langs.u16", "lists.faiss"
TEXTS, TEXT_OFFSETS = "texts.utf8", "text-offsets.i64"
IDS, ID_OFFSETS = "ids.utf8", "id-offsets.i64"
REPAIR = "copy the index anew or make it again"
MOST_LANGS = np.iinfo(np.uint16).max
_OPTIONS = {"pooling", "prefix", "normalize", "max_length", "long_texts"}


class SavedFile(Struct, frozen=True):
    """Size and checksum of a file."""

    n_bytes: Count
    sha256: str


class SavedLists(Struct, frozen=True):
    """Of FAISS's lists: how many a query looks at, and the recall that was measured so."""

    n_probe: Count
    recall: Share


class Manifest(Struct, frozen=True):
    """All that ``manifest.json`` holds behind its format, version and checksum.

    ``langs`` are languages in the order of their numbers, which begin with 1.
    """

    n_texts: Count
    width: Count
    langs: list[str]
    encoder: EncoderName
    lists: SavedLists | None
    files: dict[str, SavedFile]


def read_manifest(path: Path) -> Manifest:
    """Return the manifest of the index in `path`.

    Raises
    ------
    InputError
        When there is none, it is of another format, has changed since it was written, or a file
        is missing or of another size.
    """
    if not is_there(path):
        raise InputError("no such index; name a folder that `isogloss retrieve index` made",
                         path=path)  # fmt: skip
    file = path / MANIFEST
    content = read_json(file, what="an index of texts", advice=REPAIR)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(
            "not an index of texts; name a folder that `isogloss retrieve index` made", path=path
        )
    refuse_other_version(content, VERSION, path, advice="make the index again")
    refuse_changed(content, file, advice=REPAIR)
    with damage_in_one_sentence(file, advice=REPAIR):
        manifest = msgspec.convert(content, Manifest)
        _check(manifest)
    for name, saved in manifest.files.items():
        _check_size(path / name, saved.n_bytes)
    return manifest


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Write the manifest, sealed."""
    facts = msgspec.to_builtins(manifest)
    write_json(path / MANIFEST, sealed({"format": FORMAT, "version": VERSION} | facts))


def verify(path: Path, manifest: Manifest) -> None:
    """Compare every file with its checksum.

    Raises
    ------
    InputError
        With the first that is not what was written.
    """
    for name, saved in manifest.files.items():
        if sha256_of(path / name) != saved.sha256:
            raise InputError(
                f"damaged: its bytes are not those that were written; {REPAIR}", path=path / name
            )


@dataclass
class FlatFile:
    """A file to which arrays are appended; its checksum is made on the way."""

    file: BinaryIO
    _hash: Any = field(default_factory=hashlib.sha256)
    n_bytes: int = 0

    def add(self, data: bytes | np.ndarray[Any, Any]) -> None:
        """Append bytes, or an array in little-endian order."""
        if isinstance(data, np.ndarray):
            little = data.astype(data.dtype.newbyteorder("<"), copy=False)
            data = np.ascontiguousarray(little).tobytes()
        self.file.write(data)
        self._hash.update(data)
        self.n_bytes += len(data)

    @property
    def saved(self) -> SavedFile:
        """What the manifest says of it."""
        return SavedFile(self.n_bytes, self._hash.hexdigest())


@dataclass(frozen=True)
class FlatStrings:
    """Strings one after the other, and where each begins, both mapped."""

    data: "np.ndarray[tuple[int], np.dtype[np.uint8]]"
    offsets: Ints1d
    path: Path

    def at(self, row: int, *, most_bytes: int | None = None) -> str:
        """Return a string, or what its first bytes hold.

        Raises
        ------
        InputError
            When the offsets are no offsets.
        """
        first, last = int(self.offsets[row]), int(self.offsets[row + 1])
        if not 0 <= first <= last <= len(self.data):
            raise InputError(f"damaged: its offsets are out of order; {REPAIR}", path=self.path)
        last = last if most_bytes is None else min(last, first + most_bytes)
        return self.data[first:last].tobytes().decode("utf-8", "ignore")


@dataclass(frozen=True)
class IndexArrays:
    """The arrays of an index, mapped."""

    vectors: Floats2d
    langs: "np.ndarray[tuple[int], np.dtype[np.uint16]]"
    texts: FlatStrings
    ids: FlatStrings


def map_arrays(path: Path, manifest: Manifest) -> IndexArrays:
    """Map the arrays, read-only; nothing of them is read."""
    n = manifest.n_texts
    vectors = _mapped(path / VECTORS, "<f4").reshape(n, manifest.width)
    texts, ids = (
        FlatStrings(_mapped(path / data, "u1"), _mapped(path / offsets, "<i8"), path / offsets)
        for data, offsets in ((TEXTS, TEXT_OFFSETS), (IDS, ID_OFFSETS))
    )
    return IndexArrays(vectors, _mapped(path / LANGS, "<u2"), texts, ids)


def _mapped(path: Path, dtype: str) -> Any:
    with open_regular(path) as file:
        if not path.stat().st_size:  # which cannot be mapped
            return np.empty(0, dtype)
        return np.memmap(file, dtype, "r")


def _check(manifest: Manifest) -> None:
    """Check what the manifest says against itself; raises `ValueError`."""
    n, files = manifest.n_texts, manifest.files
    sizes = {
        VECTORS: 4 * n * manifest.width,
        LANGS: 2 * n,
        TEXT_OFFSETS: 8 * (n + 1),
        ID_OFFSETS: 8 * (n + 1),
    }
    wanted = {*sizes, TEXTS, IDS} | ({FAISS} if manifest.lists is not None else set())
    if n < 1 or manifest.width < 1:
        raise ValueError("it has no vectors")
    if set(files) != wanted:
        raise ValueError(f"its files are {', '.join(sorted(files))!r:.100}")
    wrong = [name for name, n_bytes in sizes.items() if files[name].n_bytes != n_bytes]
    if wrong:
        raise ValueError(f"{wrong[0]} is of another size than its number of texts asks for")
    if len(manifest.langs) >= MOST_LANGS or len({*manifest.langs}) < len(manifest.langs):
        raise ValueError("its languages are too many, or not different")
    _check_encoder(manifest.encoder.options, manifest.langs)


def _check_encoder(options: Mapping[str, Any], langs: Sequence[str]) -> None:
    if set(options) != _OPTIONS:
        raise ValueError("the options of its encoder are others")
    try:
        spelt = [parse_language(lang) for lang in langs]
    except InputError as error:
        raise ValueError(str(error)) from error
    if spelt != list(langs):
        raise ValueError(f"its languages are spelt {', '.join(langs):.40}")


def _check_size(path: Path, n_bytes: int) -> None:
    try:
        with open_regular(path):
            found = path.stat().st_size
    except OSError as error:
        raise InputError(f"missing ({error.strerror}); {REPAIR}", path=path) from error
    if found != n_bytes:
        raise InputError(
            f"damaged: has {counted(found, 'byte')}, not {n_bytes:,}; {REPAIR}", path=path
        )
