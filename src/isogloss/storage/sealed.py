"""Checksums inside our own files: a byte that changed is found wherever it says something.

`sealed` puts the checksum of a JSON document into it, `refuse_changed` compares. What is hashed is
the document and not its spelling: the order of keys and white space say nothing. `arrays_checksum`
does the same for arrays and their metadata.
"""

import hashlib
import json
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from isogloss.errors import InputError

CHECKSUM = "checksum"


def sealed(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON document with a checksum of all else in it, in place of one that it has.

    Examples
    --------
    >>> sealed({"format": "x", "n": 1})["checksum"] == sealed({"n": 1, "format": "x"})["checksum"]
    True
    """
    content = {name: value for name, value in document.items() if name != CHECKSUM}
    return {**content, CHECKSUM: checksum_of(content)}


def refuse_changed(document: Any, path: Path, *, advice: str) -> None:
    """Refuse a document of a file that is no object, or is not what `sealed` returned.

    Parameters
    ----------
    advice
        What to do: ``"fit the model again"``.

    Raises
    ------
    InputError
        When its checksum is missing or another.
    """
    is_whole = isinstance(document, dict) and document.get(CHECKSUM) == sealed(document)[CHECKSUM]
    if not is_whole:
        raise InputError(f"damaged: its content is not what was written; {advice}", path=path)


def refuse_other_version(
    document: Mapping[str, Any], version: int, path: Path, *, advice: str
) -> None:
    """Refuse a document that was written in another version of its format.

    Parameters
    ----------
    advice
        What to do: ``"fit the model again"``.

    Raises
    ------
    InputError
        When its version is missing or another.
    """
    if document.get("version") != version:
        raise InputError(
            f"was written in version {document.get('version')!r:.40} of the format, this isogloss "
            f"reads version {version}; {advice}",
            path=path,
        )


def arrays_checksum(arrays: Mapping[str, Any], metadata: Mapping[str, str]) -> str:
    """Return a checksum of arrays (of numpy or torch) and of metadata but for its own entry.

    CRC-32 of each array, SHA-256 over all of them: against damage, not against intent, and at the
    speed of a disk.
    """
    facts: dict[str, Any] = {key: value for key, value in metadata.items() if key != CHECKSUM}
    for name, array in arrays.items():
        facts[f"array {name}"] = [str(array.dtype), list(array.shape), _crc(array)]
    return checksum_of(facts)


def _crc(array: Any) -> int:
    import numpy as np

    if not isinstance(array, np.ndarray):  # numpy has no bfloat16
        import torch

        array = array.detach().cpu().contiguous().flatten().view(torch.uint8).numpy()
    flat = np.ascontiguousarray(array).reshape(-1)
    return zlib.crc32(flat.view(np.uint8).data) if flat.size else 0


def checksum_of(content: Mapping[str, Any]) -> str:
    """Return the SHA-256 of JSON content in hexadecimal, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()
