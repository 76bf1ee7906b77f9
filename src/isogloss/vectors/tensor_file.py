"""A safetensors file written array by array and mapped: neither way holds a copy in memory.

The library's own functions copy every array to bytes before they write, and into memory when they
read. The format is theirs: a length, a JSON header, the arrays.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from isogloss.errors import InputError

Arrays: TypeAlias = dict[str, np.ndarray[Any, Any]]

_TYPES = {"F32": "<f4", "I64": "<i8", "I32": "<i4", "U8": "|u1"}
_NAMES = {dtype: name for name, dtype in _TYPES.items()}
_LONGEST_HEADER = 100_000_000  # the library's own limit


def write_tensors(
    path: Path, arrays: Mapping[str, np.ndarray[Any, Any]], metadata: Mapping[str, str]
) -> None:
    """Write arrays of float32, int64, int32 or uint8; wide types first, so that all are aligned."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)}
    ordered = sorted(arrays, key=lambda name: (-arrays[name].dtype.itemsize, name))
    at = 0
    for name in ordered:
        array = arrays[name]
        header[name] = {
            "dtype": _NAMES[array.dtype.newbyteorder("<").str],
            "shape": list(array.shape),
            "data_offsets": [at, at + array.nbytes],
        }
        at += array.nbytes
    head = json.dumps(header, ensure_ascii=False).encode()
    head += b" " * (-len(head) % 8)
    with path.open("wb") as file:
        file.write(len(head).to_bytes(8, "little"))
        file.write(head)
        for name in ordered:
            little = arrays[name].astype(_TYPES[header[name]["dtype"]], copy=False)
            file.write(np.ascontiguousarray(little).reshape(-1).view(np.uint8).data)


def tensor_metadata(path: Path) -> dict[str, str] | None:
    """Return the metadata of a safetensors file, ``None`` where the file is none."""
    with path.open("rb") as file:
        header = _header(file.read(8), file.read, path.stat().st_size)
    return None if header is None else dict(header.get("__metadata__", {}))


def map_tensors(path: Path) -> Arrays:
    """Map the arrays of a safetensors file, read-only.

    Raises
    ------
    InputError
        When the file is cut off or its header does not describe it.
    """
    size = path.stat().st_size
    with path.open("rb") as file:
        header = _header(file.read(8), file.read, size)
        start = file.tell()
    if header is None:
        raise InputError("is not a safetensors file", path=path)
    whole = np.memmap(path, np.uint8, "r")
    arrays: Arrays = {}
    for name, described in header.items():
        if name == "__metadata__":
            continue
        try:
            dtype = np.dtype(_TYPES[described["dtype"]])
            first, last = described["data_offsets"]
            if not 0 <= first <= last <= size - start:
                raise InputError("is cut off; copy it again", path=path)
            part = np.asarray(whole[start + first : start + last])
            arrays[name] = part.view(dtype).reshape(described["shape"])
        except (KeyError, TypeError, ValueError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"damaged: its tensor '{name}' cannot be read", path=path) from error
    return arrays


def _header(length: bytes, read: Any, size: int) -> dict[str, Any] | None:
    n_bytes = int.from_bytes(length, "little")
    if len(length) < 8 or not 2 <= n_bytes <= min(_LONGEST_HEADER, size - 8):
        return None
    try:
        header = json.loads(read(n_bytes))
    except (UnicodeDecodeError, json.JSONDecodeError):
        return None
    return header if isinstance(header, dict) else None
