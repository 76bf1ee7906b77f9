"""The knowledge base on disk: one manifest and a few files of flat arrays. How they are written.

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
which the name is a link, and in which it occurs). Readers ignore arrays they do not know. Reading
is in `kb.opened_files`.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.kb.stored.manifest import ALIGNMENT, FORMAT, MANIFEST, VERSION
from isogloss.storage.array_file import packed_strings
from isogloss.storage.files import sha256_of, write_json
from isogloss.storage.sealed import checksum_of

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
    head = {"format": FORMAT, "version": VERSION, "checksum": checksum_of(content)}
    write_json(folder / MANIFEST, {**head, **content})


def pack_strings(strings: list[str]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return UTF-8 bytes and offsets of many strings."""
    return packed_strings([string.encode("utf-8", "surrogatepass") for string in strings])


def unpack_string(data: np.ndarray[Any, Any], offsets: np.ndarray[Any, Any], index: int) -> str:
    """Return one of the strings that `pack_strings` packed."""
    part = data[int(offsets[index]) : int(offsets[index + 1])]
    return part.tobytes().decode("utf-8", "surrogatepass")
