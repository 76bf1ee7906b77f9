"""Manifests that no program wrote, with the checksum that they would have."""

import copy
import hashlib
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from isogloss.kb.stored.manifest import HEAD
from isogloss.kb.stored.write import write_manifest

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1, 1 << 31, 1 << 62, 10**30, 1.5, float("nan"), 1e308, "", "x", "O",
    "../../x", "garbage", [], {}, [0], [-1], [[]], {"a": {}}, "1" * 5000, "\ud800",
)  # fmt: skip


def changed(document: Any, draw: random.Random) -> tuple[Any, str]:
    """Return a copy with one place removed, doubled or put to another value; and which."""
    document = copy.deepcopy(document)
    holder, key, place = None, None, ""
    inner = document
    while isinstance(inner, dict | list) and inner and (holder is None or draw.random() < 0.8):
        key = draw.choice(list(inner)) if isinstance(inner, dict) else draw.randrange(len(inner))
        holder, inner, place = inner, inner[key], f"{place}/{key}"
    how = draw.random()
    if how < 0.15:
        del holder[key]
        return document, f"{place} removed"
    if how < 0.25 and isinstance(holder, list):
        holder.append(copy.deepcopy(inner))
        return document, f"{place} doubled"
    if how < 0.4 and isinstance(inner, int) and not isinstance(inner, bool):
        holder[key] = inner + draw.choice((-64, -1, 1, 64))
    else:
        holder[key] = draw.choice(VALUES)
    return document, f"{place} is {holder[key]!r:.40}"


def of_knowledge_base(root: Path, draw: random.Random) -> str:
    """Change the manifest of a knowledge base."""
    document = json.loads((root / "kb" / "manifest.json").read_text("utf-8"))
    content, what = changed({k: v for k, v in document.items() if k not in HEAD}, draw)
    write_manifest(root / "kb", content)
    return what


def of_model(root: Path, draw: random.Random) -> str:
    """Change ``model.json``."""
    from isogloss.storage.sealed import CHECKSUM, sealed

    path = root / "model" / "model.json"
    document = json.loads(path.read_text("utf-8"))
    content, what = changed({k: v for k, v in document.items() if k != CHECKSUM}, draw)
    path.write_text(json.dumps(sealed(content)), "utf-8")
    return what


def of_vectors(root: Path, draw: random.Random) -> str:
    """Change the header of native vectors."""
    path = root / "native" / "vectors"
    content = path.read_bytes()
    n = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(content[8:n])
    del header["__metadata__"]["checksum"]
    header, what = changed(header, draw)
    about = header.pop("__metadata__", {})
    about = {"checksum": "0" * 64, **about} if isinstance(about, dict) else about
    text = json.dumps({"__metadata__": about, **header}).encode()
    text += b" " * (-len(text) % 8)
    made = len(text).to_bytes(8, "little") + text + content[n:]
    path.write_bytes(made.replace(b"0" * 64, hashlib.sha256(made).hexdigest().encode(), 1))
    return what


def of_checkpoint(root: Path, draw: random.Random) -> str:
    """Change how far a checkpoint says that it is."""
    from safetensors import safe_open
    from safetensors.torch import load_file, save_file

    from isogloss.storage.sealed import CHECKSUM, arrays_checksum

    path = root / "checkpoint" / "checkpoint.safetensors"
    tensors = load_file(path)
    with safe_open(path, framework="pt") as file:
        metadata = dict(file.metadata())
    progress, what = changed(json.loads(metadata["progress"]), draw)
    metadata["progress"] = json.dumps(progress)
    metadata[CHECKSUM] = arrays_checksum(tensors, metadata)
    save_file(tensors, path, metadata=metadata)
    return what


MADE_UP: dict[str, tuple[str, Callable[[Path, random.Random], str], float]] = {
    "knowledge base, made up": ("knowledge base", of_knowledge_base, 0.4),
    "model, made up": ("model", of_model, 0.3),
    "vectors, made up": ("vectors, native", of_vectors, 0.2),
    "checkpoint, made up": ("checkpoint", of_checkpoint, 0.1),
}
