"""Files of flat arrays that are mapped into memory, never read whole: safetensors with JSON facts.

Written to a temporary name, synced and renamed: a file that is there is whole, even after a kill.
Arrays may be filled in place, so that one larger than memory can be written. A file is compared
with its checksum the first time that a process maps it: compiled code sees no damaged array.
"""

import errno
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import IO, Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, offsets_of
from isogloss.errors import InputError
from isogloss.storage.json_files import parse_json
from isogloss.storage.tensor_file import (
    head_of,
    in_order,
    map_sealed,
    seal,
    shapes_of,
    tensors_in,
    write_sealed,
)

Arrays = dict[str, Any]

_COMPARED: set[tuple[int, int, int, int]] = set()  # files that this process has compared

ROWS_AT_ONCE = 1 << 18
STRINGS_AT_ONCE = 50_000


def packed(arrays: Mapping[str, Any], facts: Mapping[str, Any] | None = None) -> bytes:
    """Return arrays and facts as the bytes of such a file."""
    shapes = shapes_of(arrays)
    head, _ = head_of(shapes, _as_text(facts))
    return b"".join([head, *(np.ascontiguousarray(arrays[n]).tobytes() for n in in_order(shapes))])


def unpacked(data: bytes) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and facts of what `packed` returned."""
    return _with_facts(*tensors_in(np.frombuffer(data, np.uint8)))


@contextmanager
def new_arrays(
    path: Path, sizes: Mapping[str, tuple[Any, int]], facts: Mapping[str, Any] | None = None
) -> Iterator[Any]:
    """Yield arrays to fill, name → array of one axis; the file is there when the block ends well.

    Parameters
    ----------
    sizes
        Name → (type, size).

    Raises
    ------
    InputError
        When the disk is full, before anything is filled in.
    """
    shapes = {name: (dtype, (int(size),)) for name, (dtype, size) in sizes.items()}
    head, n_bytes = head_of(shapes, _as_text(facts))
    with atomic_part(path) as temporary:
        with temporary.open("wb") as file:
            file.write(head)
            _reserve(file, n_bytes)
        whole = np.memmap(temporary, np.uint8, "r+")
        arrays, _ = tensors_in(whole)
        yield arrays
        seal(whole)
        whole.flush()
        del arrays, whole


def write_arrays(
    path: Path, arrays: Mapping[str, Any], facts: Mapping[str, Any] | None = None
) -> None:
    """Write arrays and facts; the file is there as a whole or not at all."""
    with atomic_part(path) as temporary:
        write_sealed(temporary, arrays, _as_text(facts))


def map_arrays(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Map the arrays of a file, read-only; also return its facts.

    Raises
    ------
    InputError
        When it is missing, no such file, or not what was written.
    """
    advice = f"remove {path.parent} and run again"
    try:
        status = path.stat()
    except OSError as error:
        raise InputError(f"missing ({error.strerror}); {advice}", path=path) from error
    known_by = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns)
    arrays, metadata = map_sealed(path, advice=advice, compares=known_by not in _COMPARED)
    _COMPARED.add(known_by)
    return _with_facts(arrays, metadata)


@contextmanager
def atomic_part(path: Path) -> Iterator[Path]:
    """Yield a temporary name that becomes `path`; its own is fixed, for kills leave one behind.

    Raises
    ------
    InputError
        When it cannot be written: the disk is full, or a file larger than is allowed.
    """
    temporary = path.with_name(f"{path.name}.new")
    try:
        yield temporary
        with temporary.open("rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        reason = error.strerror or error
        raise InputError(
            f"could not be written: {reason}; mend that and run again, which resumes here",
            path=path,
        ) from error


def strings_of(data: Bytes1d, offsets: Ints1d) -> list[str]:
    """Return the strings ``data[offsets[i]:offsets[i + 1]]``, UTF-8."""
    whole, ends = data[offsets[0] : offsets[-1]].tobytes(), (offsets - offsets[0]).tolist()
    return [whole[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]


def strings_at(data: Bytes1d, offsets: Ints1d, rows: Ints1d) -> list[str]:
    """Return some of the strings, UTF-8."""
    return strings_of(*taken(data, offsets, rows))


def strings_in_blocks(data: Bytes1d, offsets: Ints1d) -> Iterator[list[str]]:
    """Yield all strings, UTF-8, some at a time."""
    for first in range(0, offsets.size - 1, STRINGS_AT_ONCE):
        yield strings_of(data, offsets[first : first + STRINGS_AT_ONCE + 1])


def packed_strings(strings: list[bytes]) -> tuple[Bytes1d, Ints1d]:
    """Return byte strings one after the other, and their offsets."""
    offsets = offsets_of([len(string) for string in strings])
    return np.frombuffer(b"".join(strings), np.uint8), offsets


def taken(data: Bytes1d, offsets: Ints1d, rows: Ints1d) -> tuple[Bytes1d, Ints1d]:
    """Return some of the strings, one after the other, and their offsets."""
    sizes = offsets[rows + 1] - offsets[rows]
    ends = offsets_of(sizes)
    out = np.empty(ends[-1], data.dtype)
    for first in range(0, rows.size, ROWS_AT_ONCE):  # the places take eight bytes a byte
        part = slice(first, first + ROWS_AT_ONCE)
        begin, end = ends[part][0], ends[min(first + ROWS_AT_ONCE, rows.size)]
        shift = np.repeat(offsets[rows[part]] - ends[:-1][part], sizes[part])
        out[begin:end] = data[np.arange(begin, end) + shift]
    return out, ends


def _reserve(file: IO[bytes], n_bytes: int) -> None:
    """Give a file its size on disk: to write where a mapped file has no room kills the process."""
    if hasattr(os, "posix_fallocate"):
        try:
            os.posix_fallocate(file.fileno(), 0, n_bytes)
            return
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.EOPNOTSUPP):  # the file system has no such
                raise
    file.truncate(n_bytes)


def _as_text(facts: Mapping[str, Any] | None) -> dict[str, str]:
    return {name: json.dumps(value) for name, value in (facts or {}).items()}


def _with_facts(arrays: Arrays, metadata: Mapping[str, str]) -> tuple[Arrays, dict[str, Any]]:
    return arrays, {name: parse_json(value) for name, value in metadata.items()}
