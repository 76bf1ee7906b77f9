"""Safetensors files written array by array and mapped: neither way holds a copy in memory.

The library's own functions copy every array to bytes before they write, and into memory when they
read. The format is theirs: a length, a JSON header, the arrays. Wide types come first, so that
every array is aligned.

What is written here is sealed: a checksum of the whole file stands in its metadata, and is compared
before any of its values is used.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from isogloss.errors import InputError
from isogloss.storage.json_files import open_regular, parse_json

Arrays: TypeAlias = dict[str, np.ndarray[Any, Any]]
Shapes: TypeAlias = Mapping[str, tuple[Any, tuple[int, ...]]]

_TYPES = {"F32": "<f4", "I64": "<i8", "U64": "<u8", "I32": "<i4", "U32": "<u4",
          "U16": "<u2", "U8": "|u1"}  # fmt: skip
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_METADATA = "__metadata__"
_CHECKSUM = "checksum"
_UNSEALED = "0" * 64  # placeholder of the checksum while it is computed
_UNSEALED_METADATA = {_CHECKSUM: _UNSEALED}
_SEAL = slice(*(8 + len(f'{{"{_METADATA}": {{"{_CHECKSUM}": "') + n for n in (0, 64)))
_LONGEST_HEADER = 100_000_000  # the library's own limit


def write_sealed(path: Path, arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> None:
    """Write arrays of float32 or of integers, with a checksum of the file in its metadata."""
    head, _ = head_of(shapes_of(arrays), metadata)
    whole = hashlib.sha256(head)
    with path.open("wb") as file:
        file.write(head)
        for name in in_order(shapes_of(arrays)):
            little = arrays[name].astype(arrays[name].dtype.newbyteorder("<"), copy=False)
            data = np.ascontiguousarray(little).reshape(-1).view(np.uint8).data
            whole.update(data)
            file.write(data)
        file.seek(_SEAL.start)
        file.write(whole.hexdigest().encode())


def seal(whole: "np.ndarray[Any, Any]") -> None:
    """Put the checksum into a file that was filled in place, behind what `head_of` returned."""
    whole[_SEAL] = np.frombuffer(_checksum(whole), np.uint8)


def map_sealed(path: Path, *, advice: str, compares: bool = True) -> tuple[Arrays, dict[str, str]]:
    """Map the arrays of a file that `write_sealed` wrote, read-only; also return its metadata.

    Every byte is read, and compared with the checksum.

    Parameters
    ----------
    advice
        What to do with a damaged one: ``"make it again"``.
    compares
        False where this process has compared it before.

    Raises
    ------
    InputError
        When the file is cut off, no such file, or not what was written.
    """
    whole = _mapped(path, advice=advice)
    try:
        arrays, metadata = tensors_in(whole)
    except ValueError as error:
        raise InputError(f"{error}; {advice}", path=path) from error
    if compares and whole[_SEAL].tobytes() != _checksum(whole):
        raise InputError(f"damaged: its bytes are not those that were written; {advice}", path=path)
    return arrays, metadata


def shapes_of(arrays: Mapping[str, Any]) -> Shapes:
    """Return type and shape of each array."""
    return {name: (array.dtype, array.shape) for name, array in arrays.items()}


def in_order(shapes: Shapes) -> list[str]:
    """Return the names in the order of the arrays in a file."""
    return sorted(shapes, key=lambda name: (-np.dtype(shapes[name][0]).itemsize, name))


def head_of(shapes: Shapes, metadata: Mapping[str, str]) -> tuple[bytes, int]:
    """Return the header before the arrays, not yet sealed, and the size of the whole file."""
    header: dict[str, Any] = {_METADATA: {**_UNSEALED_METADATA, **metadata}}
    first = 0
    for name in in_order(shapes):
        dtype, shape = np.dtype(shapes[name][0]).newbyteorder("<"), shapes[name][1]
        last = first + dtype.itemsize * prod(shape)
        header[name] = {
            "dtype": _NAMES[dtype.str],
            "shape": list(shape),
            "data_offsets": [first, last],
        }
        first = last
    text = json.dumps(header, ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, 8 + len(text) + first


def tensor_metadata(path: Path) -> dict[str, str] | None:
    """Return the metadata of a safetensors file, ``None`` where the file is none."""
    with open_regular(path) as file:
        header = _header(file.read(8), file.read, path.stat().st_size)
    return None if header is None else dict(header.get(_METADATA, {}))


def map_tensors(path: Path) -> Arrays:
    """Map the arrays of a safetensors file, read-only.

    Raises
    ------
    InputError
        When the file is cut off or its header does not describe it.
    """
    try:
        return tensors_in(_mapped(path))[0]
    except ValueError as error:
        raise InputError(str(error), path=path) from error


def tensors_in(whole: "np.ndarray[Any, Any]") -> tuple[Arrays, dict[str, str]]:
    """Return views of the arrays in the bytes of a file, and its metadata.

    Raises
    ------
    ValueError
        Says what is wrong, to follow the name of the file.
    """
    n_bytes = int.from_bytes(whole[:8].tobytes(), "little")
    header = _header(whole[:8].tobytes(), lambda n: whole[8 : 8 + n].tobytes(), whole.size)
    if header is None:
        raise ValueError("is not a safetensors file")
    values = whole[8 + n_bytes :]
    metadata = header.pop(_METADATA, {})
    metadata.pop(_CHECKSUM, None)
    arrays = {name: _tensor(name, described, values) for name, described in header.items()}
    end = 0
    for first, last in sorted(described["data_offsets"] for described in header.values()):
        if first != end:
            raise ValueError("damaged: its tensors do not follow one another")
        end = last
    if end != values.size:
        raise ValueError("damaged: it holds more than its tensors")
    return arrays, metadata


def _mapped(path: Path, *, advice: str = "give one") -> "np.ndarray[Any, Any]":
    """Map a file, read-only; a pipe is not waited for."""
    with open_regular(path) as file:
        if os.fstat(file.fileno()).st_size < 8:
            raise InputError(f"is not a safetensors file; {advice}", path=path)
        return np.memmap(file, np.uint8, "r")


def _checksum(whole: "np.ndarray[Any, Any]") -> bytes:
    """Return the checksum of a file, whatever stands in its place."""
    found = hashlib.sha256(whole[: _SEAL.start].data)
    found.update(_UNSEALED.encode())
    found.update(whole[_SEAL.stop :].data)
    return found.hexdigest().encode()


def _tensor(name: str, described: Any, values: Any) -> "np.ndarray[Any, Any]":
    damaged = f"damaged: its tensor '{name}' cannot be read"
    try:
        kind, shape, (first, last) = (described[k] for k in ("dtype", "shape", "data_offsets"))
        numbers = [first, last, *shape]
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(damaged) from error
    if not isinstance(kind, str) or not all(type(n) is int and n >= 0 for n in numbers):
        raise ValueError(damaged)
    if kind not in _TYPES:
        raise ValueError(f"its tensor '{name}' is {kind}; {', '.join(_TYPES)} can be read")
    if not first <= last <= values.size:
        raise ValueError("is cut off; copy it again")
    if last - first != np.dtype(_TYPES[kind]).itemsize * prod(shape):
        raise ValueError(damaged)
    return np.asarray(values[first:last]).view(_TYPES[kind]).reshape(shape)


def _header(length: bytes, read: Any, size: int) -> dict[str, Any] | None:
    n_bytes = int.from_bytes(length, "little")
    if len(length) < 8 or not 2 <= n_bytes <= min(_LONGEST_HEADER, size - 8):
        return None
    try:
        header = parse_json(read(n_bytes))
    except ValueError:
        return None
    metadata = header.get(_METADATA, {}) if isinstance(header, dict) else None
    is_header = isinstance(metadata, dict) and all(isinstance(v, str) for v in metadata.values())
    return header if is_header else None
