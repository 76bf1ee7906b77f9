"""The knowledge base on disk: one manifest and a few files of flat arrays, mapped into memory.

``manifest.json`` holds the format's name and version, the languages and sources, how names were
normalised, and for every file its size, SHA-256 and the arrays in it (type, shape, byte offset).
``entities.bin`` has ids, aliases and types; ``languages/xx.bin`` the names of one language:

======================  ============  =====================================================
array                   type          what
======================  ============  =====================================================
title_entity            int32         entities with a name in this language, ascending
title_bytes, _offsets   uint8, int64  their titles, UTF-8
slots                   uint64        the table of prefixes of folded names (`kb.name_table`)
records                 int32 (n, 4)  the folded names, each once, and their rows of candidates
row_offsets             int64         candidates of a row
row_link_prob           float32       how often the name is a link when it occurs
candidate_entity        int32
candidate_commonness    float32       how often a link with the name means this entity
======================  ============  =====================================================

Optional arrays, there only when a source gives them: ``row_n_links``, ``row_n_texts`` (documents in
which the name is a link, and in which it occurs). Readers ignore arrays they do not know.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import InputError
from isogloss.files import read_json, sha256_of, write_json
from isogloss.wiki.array_file import packed_strings

FORMAT = "isogloss-kb"
VERSION = 2
ALIGNMENT = 64
MANIFEST = "manifest.json"
HEAD = ("format", "version", "checksum")

Arrays = dict[str, np.ndarray[Any, np.dtype[Any]]]


def write_arrays(folder: Path, name: str, arrays: Mapping[str, Any]) -> dict[str, Any]:
    """Write arrays into one file; return the file's entry for the manifest."""
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    described: dict[str, Any] = {}
    with path.open("wb") as file:
        for key, values in arrays.items():
            array = np.ascontiguousarray(values)
            array = array.astype(array.dtype.newbyteorder("<"), copy=False)
            file.write(b"\0" * (-file.tell() % ALIGNMENT))
            described[key] = {
                "dtype": array.dtype.str,
                "shape": list(array.shape),
                "offset": file.tell(),
            }
            file.write(array.reshape(-1).view(np.uint8).data)
    return {"size": path.stat().st_size, "sha256": sha256_of(path), "arrays": described}


def write_manifest(folder: Path, content: Mapping[str, Any]) -> None:
    """Write the manifest: the format's name and version, a checksum of the rest, the rest."""
    head = {"format": FORMAT, "version": VERSION, "checksum": _checksum(content)}
    write_json(folder / MANIFEST, {**head, **content})


def read_manifest(folder: Path) -> dict[str, Any]:
    """Read the manifest, and compare it with its checksum and every file's size with it.

    Raises
    ------
    InputError
        No knowledge base, one of another version, or a file that is missing or cut off.
    """
    if not folder.exists():
        raise InputError("no such knowledge base; make it with: isogloss kb build", path=folder)
    manifest = read_json(folder / MANIFEST, what="a knowledge base")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError(
            f"not a knowledge base: {MANIFEST} does not say format '{FORMAT}'", path=folder
        )
    if manifest.get("version") != VERSION:
        raise InputError(
            f"a knowledge base of format version {manifest.get('version')}, this isogloss reads "
            f"version {VERSION}; build it again",
            path=folder,
        )
    content = {key: manifest[key] for key in manifest if key not in HEAD}
    if manifest.get("checksum") != _checksum(content):
        raise InputError(
            "damaged: its content is not what was written; build the knowledge base again",
            path=folder / MANIFEST,
        )
    for name, entry in manifest["files"].items():
        path = folder / name
        if not path.is_file():
            raise InputError("missing from the knowledge base; build it again", path=path)
        if path.stat().st_size != entry["size"]:
            raise InputError(
                f"damaged: {path.stat().st_size} bytes where the manifest says {entry['size']}; "
                "build the knowledge base again",
                path=path,
            )
    return manifest


def _checksum(content: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def map_arrays(folder: Path, name: str, entry: Mapping[str, Any]) -> Arrays:
    """Map the arrays of one file, read-only."""
    whole = np.memmap(folder / name, np.uint8, "r") if entry["size"] else np.zeros(0, np.uint8)
    arrays: Arrays = {}
    for key, described in entry["arrays"].items():
        dtype = np.dtype(described["dtype"])
        n_bytes = dtype.itemsize * int(np.prod(described["shape"]))
        part = np.asarray(whole[described["offset"] : described["offset"] + n_bytes])
        part.setflags(write=False)
        arrays[key] = part.view(dtype).reshape(described["shape"])
    return arrays


def verify_files(folder: Path, manifest: Mapping[str, Any]) -> None:
    """Compare every file's checksum with the manifest.

    Raises
    ------
    InputError
        Names the first damaged file.
    """
    for name, entry in manifest["files"].items():
        if sha256_of(folder / name) != entry["sha256"]:
            raise InputError(
                "damaged: its bytes are not those that were written; build the knowledge base "
                "again",
                path=folder / name,
            )


def pack_strings(strings: list[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return UTF-8 bytes and offsets of many strings."""
    return packed_strings([string.encode("utf-8", "surrogatepass") for string in strings])


def unpack_string(data: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any], index: int) -> str:
    """Return one of the strings that `pack_strings` packed."""
    part = data[int(offsets[index]) : int(offsets[index + 1])]
    return part.tobytes().decode("utf-8", "surrogatepass")
