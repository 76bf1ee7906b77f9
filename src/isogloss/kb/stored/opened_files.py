"""The files of a knowledge base, mapped when it is opened, from one state of its folder.

A knowledge base may be replaced while it is opened, and while a process has it open. The folder is
held by a descriptor while its files are opened, so they are all of the old one or all of the new;
what is mapped stays what it was whatever happens to the folder. A mapped file takes a descriptor
before Python 3.13: there the files of very many languages are mapped when they are first used, and
refused where they were replaced by then. A file is compared with its checksum, and its arrays are
checked, when one of them is first asked for.
"""

import errno
import hashlib
import io
import mmap
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import InputError
from isogloss.kb.stored.checked_arrays import Arrays, check_entities, check_language
from isogloss.kb.stored.manifest import (
    ENTITIES,
    FORMAT,
    HEAD,
    MANIFEST,
    VERSION,
    File,
    Manifest,
    checked_manifest,
    table_of,
)
from isogloss.storage.files import damage_in_one_sentence, is_there, open_regular, parse_json
from isogloss.storage.sealed import checksum_of

ADVICE = "build the knowledge base again"
_LARGEST_MANIFEST = 1 << 28
_MOST_MAPPED_AT_ONCE = 100 if sys.version_info < (3, 13) else 1 << 20
_N_TRIES = 20
_SECONDS_BETWEEN = 0.01
_CAN_HOLD_FOLDERS = os.open in os.supports_dir_fd
Bytes = np.ndarray[Any, np.dtype[np.uint8]]


@dataclass
class OpenedFile:
    """A file of arrays; `whole` is None until it is mapped, and `status` tells it from others."""

    path: Path
    name: str
    entry: File
    n_entities: int
    status: os.stat_result
    whole: Bytes | None
    _arrays: Arrays | None = None

    def arrays(self) -> Arrays:
        """Return its arrays, read-only, and checked once.

        Raises
        ------
        InputError
            When its bytes are not those that were written.
        """
        if self._arrays is None:
            self._arrays = self.verify()
        return self._arrays

    def verify(self) -> Arrays:
        """Compare its bytes with the checksum and check its arrays; return them."""
        if self.whole is None:
            self.whole = self._mapped_late()
        if hashlib.sha256(self.whole.data).hexdigest() != self.entry.sha256:
            raise InputError(
                f"damaged: its bytes are not those that were written; {ADVICE}", path=self.path
            )
        arrays = self._views(self.whole)
        check = check_entities if self.name == ENTITIES else check_language
        with damage_in_one_sentence(self.path, advice=ADVICE):
            check(arrays, self.n_entities)
        return arrays

    def _mapped_late(self) -> Bytes:
        with _opened(self.path.parent, self.path.name, None) as (file, status):
            if not os.path.samestat(status, self.status) or status.st_size != self.entry.size:
                raise InputError("was replaced since it was opened; open it again", path=self.path)
            return _mapped(file, status)

    def _views(self, whole: Bytes) -> Arrays:
        arrays: Arrays = {}
        for key in table_of(self.name):
            array = self.entry.arrays[key]
            part = whole[array.offset : array.offset + array.n_bytes]
            arrays[key] = part.view(array.dtype).reshape(array.shape)
        return arrays


def open_files(folder: Path) -> tuple[Manifest, dict[str, OpenedFile]]:
    """Read the manifest of a knowledge base and map all its files.

    Raises
    ------
    InputError
        No knowledge base, one of another version, a manifest that is not what was written, or a
        file that is missing or cut off.
    """
    for _ in range(_N_TRIES):
        with _held(folder) as held:
            try:
                manifest = _manifest(folder, held)
                maps = len(manifest.files) <= _MOST_MAPPED_AT_ONCE
                return manifest, {
                    name: _file(folder, name, entry, manifest.n_entities, held, maps=maps)
                    for name, entry in manifest.files.items()
                }
            except InputError:
                if not _was_replaced(folder, held):
                    raise
        time.sleep(_SECONDS_BETWEEN)
    raise InputError("is replaced again and again; wait until it is built", path=folder)


@contextmanager
def _held(folder: Path) -> Iterator[int | None]:
    """Yield a descriptor of the folder; None where the system opens no folders."""
    if not is_there(folder):
        raise InputError("no such knowledge base; make it with: isogloss kb build", path=folder)
    if not folder.is_dir():
        raise InputError("is a file, not a folder that holds a knowledge base", path=folder)
    held = os.open(folder, os.O_RDONLY | os.O_DIRECTORY) if _CAN_HOLD_FOLDERS else None
    try:
        yield held
    finally:
        if held is not None:
            os.close(held)


def _was_replaced(folder: Path, held: int | None) -> bool:
    """Whether another folder stands at the path by now, or none, as between two renames."""
    if held is None:
        return False
    try:
        now = folder.stat()
    except OSError:
        return True
    return not os.path.samestat(now, os.fstat(held))


@contextmanager
def _opened(
    folder: Path, name: str, held: int | None
) -> Iterator[tuple[io.BufferedReader, os.stat_result]]:
    """Yield a file and its status; one that is a pipe or a device is refused."""
    path = folder / name
    try:
        file = open_regular(path, held=None if held is None else (held, name))
    except FileNotFoundError as error:
        if name == MANIFEST:
            raise InputError(f"not a knowledge base: it has no {name}", path=folder) from error
        raise InputError(f"missing from the knowledge base; {ADVICE}", path=path) from error
    except OSError as error:
        if error.errno == errno.EMFILE:
            raise InputError(
                "a process may not open so many files; raise the limit (ulimit -n)", path=path
            ) from error
        raise InputError(f"cannot be opened ({error.strerror}); {ADVICE}", path=path) from error
    with file:
        yield file, os.fstat(file.fileno())


def _manifest(folder: Path, held: int | None) -> Manifest:
    path = folder / MANIFEST
    with _opened(folder, MANIFEST, held) as (file, status):
        if status.st_size > _LARGEST_MANIFEST:
            raise InputError(f"damaged: too large for a manifest; {ADVICE}", path=path)
        text = file.read(_LARGEST_MANIFEST)
    try:
        found = parse_json(text)
    except ValueError as error:
        raise InputError(
            f"damaged: not JSON ({error}); make a knowledge base again", path=path
        ) from error
    if not isinstance(found, dict) or found.get("format") != FORMAT:
        raise InputError(
            f"not a knowledge base: {MANIFEST} does not say format '{FORMAT}'", path=folder
        )
    if found.get("version") != VERSION:
        raise InputError(
            f"a knowledge base of format version {found.get('version')!r:.40}, this isogloss reads "
            f"version {VERSION}; build it again",
            path=folder,
        )
    content = {key: found[key] for key in found if key not in HEAD}
    if found.get("checksum") != checksum_of(content):
        raise InputError(f"damaged: its content is not what was written; {ADVICE}", path=path)
    with damage_in_one_sentence(path, advice=ADVICE):
        return checked_manifest(content)


def _file(
    folder: Path, name: str, entry: File, n_entities: int, held: int | None, *, maps: bool
) -> OpenedFile:
    path = folder / name
    with _opened(folder, name, held) as (file, status):
        if status.st_size != entry.size:
            raise InputError(
                f"damaged: {status.st_size} bytes where the manifest says {entry.size}; {ADVICE}",
                path=path,
            )
        whole = _mapped(file, status) if maps else None
    return OpenedFile(path, name, entry, n_entities, status, whole)


def _mapped(file: io.BufferedReader, status: os.stat_result) -> Bytes:
    if not status.st_size:
        return np.zeros(0, np.uint8)
    number = file.fileno()
    if sys.version_info >= (3, 13):
        return np.frombuffer(mmap.mmap(number, 0, access=mmap.ACCESS_READ, trackfd=False), np.uint8)
    return np.frombuffer(mmap.mmap(number, 0, access=mmap.ACCESS_READ), np.uint8)
