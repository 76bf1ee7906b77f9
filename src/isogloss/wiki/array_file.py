"""Files of flat arrays that are mapped into memory, never read whole: safetensors with JSON facts.

Written to a temporary name, synced and renamed: a file that is there is whole, even after a kill.
Arrays may be filled in place, so that one larger than memory can be written.
"""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.errors import InputError

Arrays = dict[str, Any]
Shapes = Mapping[str, tuple[Any, int]]

ROWS_AT_ONCE = 1 << 18

_NAMES = {"int64": "I64", "uint64": "U64", "int32": "I32", "uint32": "U32", "uint8": "U8"}
_TYPES = {name: np.dtype(kind) for kind, name in _NAMES.items()}


def packed(arrays: Mapping[str, Any], facts: Mapping[str, Any] | None = None) -> bytes:
    """Return arrays of one axis and facts as the bytes of such a file."""
    head, _ = _head({name: (a.dtype, a.size) for name, a in arrays.items()}, facts or {})
    ordered = sorted(arrays, key=lambda name: _place(arrays[name].dtype, name))
    return b"".join([head, *(np.ascontiguousarray(arrays[name]).tobytes() for name in ordered)])


def unpacked(data: bytes) -> tuple[Arrays, dict[str, Any]]:
    """Return the arrays and facts of what `packed` returned."""
    return _views(np.frombuffer(data, np.uint8))


@contextmanager
def new_arrays(path: Path, shapes: Shapes, facts: Mapping[str, Any] | None = None) -> Iterator[Any]:
    """Yield arrays to fill, name → array of one axis; the file is there when the block ends well.

    Parameters
    ----------
    shapes
        Name → (type, size).
    """
    head, n_bytes = _head(shapes, facts or {})
    with atomic_part(path) as temporary:
        with temporary.open("wb") as file:
            file.write(head)
            file.truncate(n_bytes)
        whole = np.memmap(temporary, np.uint8, "r+")
        arrays, _ = _views(whole)
        yield arrays
        whole.flush()
        del arrays, whole


def write_arrays(
    path: Path, arrays: Mapping[str, Any], facts: Mapping[str, Any] | None = None
) -> None:
    """Write arrays of one axis and facts; the file is there as a whole or not at all."""
    head, _ = _head({name: (a.dtype, a.size) for name, a in arrays.items()}, facts or {})
    with atomic_part(path) as temporary, temporary.open("wb") as file:
        file.write(head)
        for name in sorted(arrays, key=lambda name: _place(arrays[name].dtype, name)):
            file.write(np.ascontiguousarray(arrays[name]).data)


def map_arrays(path: Path) -> tuple[Arrays, dict[str, Any]]:
    """Map the arrays of a file, read-only; also return its facts.

    Raises
    ------
    InputError
        When it is missing or no such file.
    """
    try:
        return _views(np.memmap(path, np.uint8, "r"))
    except (OSError, ValueError, KeyError) as error:
        raise InputError(
            f"damaged or missing ({error}); remove the work folder and build again", path=path
        ) from error


@contextmanager
def atomic_part(path: Path) -> Iterator[Path]:
    """Yield a temporary name that becomes `path`; its own is fixed, for kills leave one behind."""
    temporary = path.with_name(f"{path.name}.new")
    yield temporary
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(path)


def strings_of(data: Bytes1d, offsets: Ints1d) -> list[str]:
    """Return the strings ``data[offsets[i]:offsets[i + 1]]``, UTF-8."""
    whole, ends = data[offsets[0] : offsets[-1]].tobytes(), (offsets - offsets[0]).tolist()
    return [whole[a:b].decode("utf-8", "replace") for a, b in pairwise(ends)]


def packed_strings(strings: list[bytes]) -> tuple[Bytes1d, Ints1d]:
    """Return byte strings one after the other, and their offsets."""
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return np.frombuffer(b"".join(strings), np.uint8), offsets


def taken(data: Bytes1d, offsets: Ints1d, rows: Ints1d) -> tuple[Bytes1d, Ints1d]:
    """Return some of the strings, one after the other, and their offsets."""
    sizes = offsets[rows + 1] - offsets[rows]
    ends = np.zeros(rows.size + 1, np.int64)
    np.cumsum(sizes, out=ends[1:])
    out = np.empty(ends[-1], data.dtype)
    for first in range(0, rows.size, ROWS_AT_ONCE):  # the places take eight bytes a byte
        part = slice(first, first + ROWS_AT_ONCE)
        begin, end = ends[part][0], ends[min(first + ROWS_AT_ONCE, rows.size)]
        shift = np.repeat(offsets[rows[part]] - ends[:-1][part], sizes[part])
        out[begin:end] = data[np.arange(begin, end) + shift]
    return out, ends


def _place(dtype: Any, name: str) -> tuple[int, str]:
    return -np.dtype(dtype).itemsize, name  # the widest first: every array is aligned


def _head(shapes: Shapes, facts: Mapping[str, Any]) -> tuple[bytes, int]:
    """Return the head of a file, and the size of the whole file."""
    described: dict[str, Any] = {"__metadata__": {k: json.dumps(facts[k]) for k in facts}}
    first = 0
    for name in sorted(shapes, key=lambda name: _place(shapes[name][0], name)):
        dtype, size = np.dtype(shapes[name][0]), int(shapes[name][1])
        last = first + dtype.itemsize * size
        described[name] = {
            "dtype": _NAMES[dtype.name], "shape": [size], "data_offsets": [first, last]
        }  # fmt: skip
        first = last
    text = json.dumps(described).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, 8 + len(text) + first


def _views(whole: Any) -> tuple[Arrays, dict[str, Any]]:
    if whole.size < 8:
        raise ValueError("cut off")
    origin = 8 + int.from_bytes(whole[:8].tobytes(), "little")
    described = json.loads(whole[8:origin].tobytes())
    facts = {name: json.loads(value) for name, value in described.pop("__metadata__").items()}
    if whole.size != origin + max((d["data_offsets"][1] for d in described.values()), default=0):
        raise ValueError("cut off")
    arrays = {}
    for name, entry in described.items():
        first, last = entry["data_offsets"]
        part = np.asarray(whole[origin + first : origin + last])
        arrays[name] = part.view(_TYPES[entry["dtype"]])
    return arrays, facts
