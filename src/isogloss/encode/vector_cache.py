"""Vectors kept on disk between runs: append-only flat files, one folder for each way of encoding.

A folder's name is a hash of all that changes a vector (weights, tokenizer, pooling, prefix,
normalisation, layers, dtype, longest text), so vectors of two settings never meet. ``keys.bin``
holds a record for each text (first half of its SHA-256, its number of tokens, a checksum),
``vectors.f4`` its vector in the same row. Vectors are written before keys, under a lock; a record
whose checksum does not fit its vector, a torn write say, counts as not there. Texts themselves are
not kept.
"""

import hashlib
import json
import logging
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Floats2d, Floats3d, Ints1d
from isogloss.errors import InputError
from isogloss.storage.files import refuse_artefact, write_json

logger = logging.getLogger("isogloss")

VERSION = 1
MAX_BYTES = 8 * 2**30
OTHER_FILES = ("lock", "settings.json")  # of a folder, beside the keys and the vectors
DIGEST_BYTES = 16
KEY = np.dtype([("digest", f"V{DIGEST_BYTES}"), ("n_tokens", "<u4"), ("checksum", "<u4")])


@dataclass(frozen=True)
class Vectors:
    """Vectors (n_layers, n_texts, width), and tokens of each text before the cut."""

    vectors: Floats3d
    n_tokens: Ints1d


Encode = Callable[[list[str]], Vectors]


class VectorCache:
    """A directory of cached vectors.

    Parameters
    ----------
    directory
        Made when it is missing; several processes may share it.
    max_bytes
        Most bytes of one way of encoding; when they are reached, new vectors are not kept, which
        is said once.

    Raises
    ------
    InputError
        When the directory cannot be made, or is a file.
    """

    def __init__(self, directory: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self.directory = Path(directory)
        self.max_bytes = max_bytes
        self._shelves: dict[str, _Shelf] = {}
        refuse_artefact(self.directory, option="--cache")
        try:
            self.directory.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError) as error:
            raise InputError(
                "is a file, or lies in one; a cache is a folder", path=directory
            ) from error
        except OSError as error:
            raise InputError(
                f"the cache cannot be made ({error.strerror}); give another folder", path=directory
            ) from error

    def fill(
        self,
        texts: Sequence[str],
        encode: Encode,
        *,
        settings: dict[str, Any],
        shape: tuple[int, int],
    ) -> Vectors:
        """Return the vectors of texts; those not cached are encoded, once each, and kept.

        Parameters
        ----------
        encode
            Called at most once, with the texts that are new.
        settings
            All that changes a vector, as JSON values.
        shape
            (n_layers, width).
        """
        record = json.dumps({"version": VERSION, **settings}, sort_keys=True)
        name = hashlib.sha256(record.encode()).hexdigest()[:32]
        if name not in self._shelves:
            self._shelves[name] = _Shelf(self.directory / name, settings, shape, self.max_bytes)
        shelf = self._shelves[name]
        digests = [_digest(text) for text in texts]
        n_layers, width = shape
        vectors = np.zeros((len(texts), n_layers * width), np.float32)
        n_tokens = np.zeros(len(texts), np.int64)
        missing = shelf.read(digests, vectors, n_tokens)
        if missing:
            first = dict(
                zip((digests[i] for i in reversed(missing)), reversed(missing), strict=True)
            )
            new = sorted(first.values())  # a text that comes twice is encoded once
            made = encode([texts[i] for i in new])
            rows = np.ascontiguousarray(made.vectors.transpose(1, 0, 2)).reshape(len(new), -1)
            place = {digests[i]: row for row, i in enumerate(new)}
            source = [place[digests[i]] for i in missing]
            vectors[missing], n_tokens[missing] = rows[source], made.n_tokens[source]
            shelf.append([digests[i] for i in new], rows, made.n_tokens)
        return Vectors(vectors.reshape(len(texts), n_layers, width).transpose(1, 0, 2), n_tokens)


class _Shelf:
    """One folder of the cache, and where each digest's row is, as far as this process has read."""

    def __init__(
        self, folder: Path, settings: dict[str, Any], shape: tuple[int, int], max_bytes: int
    ) -> None:
        self.folder = folder
        self.settings = settings
        self.n_values = shape[0] * shape[1]
        self.max_bytes = max_bytes
        self.keys, self.vectors = folder / "keys.bin", folder / "vectors.f4"
        self.rows: dict[bytes, tuple[int, int, int]] = {}  # row, n_tokens, checksum
        self.n_read = 0
        self.is_closed = False

    def read(self, digests: list[bytes], vectors: Floats2d, n_tokens: Ints1d) -> list[int]:
        """Fill in the rows that are cached; return the numbers of the others."""
        everything = list(range(len(digests)))
        try:
            if self._link() is not None or not self.vectors.is_file():
                return everything
            self._read_keys()
            stored = self._stored()
        except OSError:  # which `append` says
            return everything
        missing = []
        for i, digest in enumerate(digests):
            row, n_of_text, checksum = self.rows.get(digest, (len(stored), 0, 0))
            if row < len(stored) and _checksum(digest, n_of_text, stored[row]) == checksum:
                vectors[i], n_tokens[i] = stored[row], n_of_text
            else:
                missing.append(i)
        return missing

    def append(self, digests: list[bytes], vectors: Floats2d, n_tokens: Ints1d) -> None:
        """Append vectors; a full disk ends the caching, not the run."""
        if self.is_closed:
            return
        link = self._link()
        if link is not None:
            self.is_closed = True
            logger.warning("%s: is a link, to which nothing is written; vectors are not kept", link)
            return
        try:
            self._append(digests, vectors, n_tokens)
        except OSError as error:
            self.is_closed = True
            logger.warning("%s: vectors are not cached any more: %s", self.folder, error.strerror)

    def _append(self, digests: list[bytes], vectors: Floats2d, n_tokens: Ints1d) -> None:
        from filelock import FileLock

        self.folder.mkdir(parents=True, exist_ok=True)
        with FileLock(self.folder / "lock"):
            if not (self.folder / "settings.json").is_file():
                write_json(self.folder / "settings.json", {"version": VERSION, **self.settings})
            n_before, n_rows = self.n_read, self._n_whole()
            self._read_keys()  # another process may have been faster with some
            kept = [i for i, one in enumerate(digests) if self.rows.get(one, (-1,))[0] < n_before]
            digests, vectors, n_tokens = [digests[i] for i in kept], vectors[kept], n_tokens[kept]
            room = self.max_bytes // (KEY.itemsize + 4 * self.n_values) - n_rows
            if room < len(digests):
                self.is_closed = True
                logger.warning(
                    "%s: the cache is full (%d vectors); new ones are not kept; remove the folder, "
                    "or give another --cache (in Python: with_cache, or more max_bytes)",
                    self.folder, n_rows,
                )  # fmt: skip
                digests = digests[: max(room, 0)]
            keys = np.zeros(len(digests), KEY)
            for i, digest in enumerate(digests):
                checksum = _checksum(digest, int(n_tokens[i]), vectors[i])
                keys[i] = (np.void(digest), n_tokens[i], checksum)
            for path, array, size in (
                (
                    self.vectors,
                    vectors[: len(digests)].astype("<f4", copy=False),
                    4 * self.n_values,
                ),
                (self.keys, keys, KEY.itemsize),
            ):
                path.touch()
                with path.open("r+b") as file:
                    if path.stat().st_size > n_rows * size:  # what a torn write left
                        file.truncate(n_rows * size)
                    file.seek(n_rows * size)
                    file.write(array.tobytes())

    def _link(self) -> Path | None:
        """Return what is a link here: the folder or one of its files; the cache makes none."""
        names = (self.folder, self.keys, self.vectors, *map(self.folder.joinpath, OTHER_FILES))
        return next((path for path in names if path.is_symlink()), None)

    def _n_whole(self) -> int:
        sizes = [path.stat().st_size if path.is_file() else 0 for path in (self.keys, self.vectors)]
        return min(sizes[0] // KEY.itemsize, sizes[1] // (4 * self.n_values))

    def _read_keys(self) -> None:
        n_rows = self._n_whole()
        if n_rows <= self.n_read:
            return
        keys = np.fromfile(self.keys, KEY, n_rows - self.n_read, offset=self.n_read * KEY.itemsize)
        for row, (digest, n_of_text, checksum) in enumerate(keys.tolist(), self.n_read):
            self.rows[bytes(digest)] = (row, n_of_text, checksum)
        self.n_read += len(keys)

    def _stored(self) -> Floats2d:
        n_rows = self.vectors.stat().st_size // (4 * self.n_values)
        if not n_rows:
            return np.empty((0, self.n_values), np.float32)
        return np.memmap(self.vectors, "<f4", "r", shape=(n_rows, self.n_values))


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:DIGEST_BYTES]


def _checksum(digest: bytes, n_tokens: int, vector: np.ndarray[Any, Any]) -> int:
    head = digest + n_tokens.to_bytes(4, "little")
    return zlib.crc32(np.ascontiguousarray(vector, "<f4").tobytes(), zlib.crc32(head))
