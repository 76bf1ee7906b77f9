"""A classifier as a directory: ``model.json`` (settings, labels, fingerprints), safetensors.

The encoder is named with its fingerprint and the knowledge base by its path relative to the model,
with its fingerprint; ``embed_kb`` puts a copy inside. Loading refuses another encoder or knowledge
base than the model was trained with.
"""

import os
import shutil
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load_file, save_file
from sklearn.utils.validation import check_is_fitted

from isogloss.classify.entity_memory import EntityMemory
from isogloss.classify.entity_vote import EntityVote
from isogloss.classify.inputs import label_array
from isogloss.classify.linear_head import LinearHead, Standardisation
from isogloss.classify.mboe import MboeHead
from isogloss.classify.mboe_plus import MboePlusHead, Mixture
from isogloss.classify.text_classifier import Head, TextClassifier
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.files import atomic_directory, read_json, sha256_of, write_json
from isogloss.kb import KnowledgeBase
from isogloss.vectors import EntityVectors

FORMAT, VERSION = "isogloss text classifier", 1
SETTINGS = (
    "preset", "tune", "attention", "max_entities", "min_link_prob", "min_commonness", "nested",
    "pooling",
    "dtype", "random_state",
)  # fmt: skip
Arrays = dict[str, np.ndarray[Any, Any]]


def save_classifier(model: TextClassifier, path: Path, *, embed_kb: bool, overwrite: bool) -> None:
    """Write a fitted classifier; the directory appears whole or not at all.

    Raises
    ------
    InputError
        When `path` exists, cannot be written, or the labels are no strings, numbers or booleans.
    """
    check_is_fitted(model, "head_")
    labels = model.classes_.tolist()
    for label in labels:
        if not isinstance(label, str | int | float | bool):
            raise InputError(
                f"a label is {label!r}; only strings, numbers and booleans can be saved"
            )
    kb = model.kb_
    if kb is not None and kb.path.resolve().is_relative_to(path.resolve()):
        embed_kb = True  # replacing the model would delete its own knowledge base
    with atomic_directory(path, overwrite=overwrite) as folder:
        if kb is not None and embed_kb:
            shutil.copytree(kb.path, folder / "kb")
        arrays = _head_arrays(model.head_)
        save_file(
            {name: np.ascontiguousarray(array) for name, array in arrays.items()},
            folder / "model.safetensors",
        )
        if isinstance(model.init, EntityVectors):
            model.init.save(folder / "entity-vectors.safetensors")
        encoder = Path(model.encoder_.name)
        write_json(
            folder / "model.json",
            {
                "format": FORMAT,
                "version": VERSION,
                "classes": labels,
                "langs": list(model.langs_),
                "n_training_documents": model.n_training_documents_,
                "settings": {name: _plain(getattr(model, name)) for name in SETTINGS},
                "init": "file" if isinstance(model.init, EntityVectors) else model.init,
                "encoder": {
                    "name": os.path.relpath(encoder, path) if encoder.is_dir() else str(encoder),
                    "is_directory": encoder.is_dir(),
                    "options": model.encoder_.settings.options(),
                    "fingerprint": model.encoder_.fingerprint,
                },
                "kb": None if kb is None else {
                    "path": "kb" if embed_kb else os.path.relpath(kb.path, path),
                    "fingerprint": kb.fingerprint,
                },
                "head": _head_settings(model.head_),
                "sha256": {
                    file.name: sha256_of(file) for file in sorted(folder.glob("*.safetensors"))
                },
            },
        )  # fmt: skip


def load_classifier(
    path: Path,
    *,
    encoder: str | Path | Encoder | None,
    kb: str | Path | KnowledgeBase | None,
    device: str,
    threads: int | None,
) -> TextClassifier:
    """Read a classifier; see `TextClassifier.load`.

    Raises
    ------
    InputError
        When `path` is no classifier, is damaged, or its encoder or knowledge base is another.
    """
    if not path.exists():
        raise InputError("no such model directory", path=path)
    manifest = read_json(path / "model.json", what="a classifier")
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise InputError("not a classifier of isogloss", path=path)
    if manifest.get("version") != VERSION:
        raise InputError(
            f"was written in version {manifest.get('version')} of the format, this isogloss reads "
            f"version {VERSION}; fit the model again",
            path=path,
        )
    try:
        return _model_of(path, manifest, encoder=encoder, kb=kb, device=device, threads=threads)
    except KeyError as error:
        raise InputError(
            f"damaged: it lacks {error}; fit the model again", path=path / "model.json"
        ) from error


def _model_of(
    path: Path,
    manifest: dict[str, Any],
    *,
    encoder: str | Path | Encoder | None,
    kb: str | Path | KnowledgeBase | None,
    device: str,
    threads: int | None,
) -> TextClassifier:
    arrays = _read_arrays(path, manifest)
    init: Any = manifest["init"]
    if init == "file":
        init = EntityVectors.load(path / "entity-vectors.safetensors")
    model = TextClassifier(
        init=init,
        device=device,
        **{name: manifest["settings"][name] for name in SETTINGS},
    )
    model.encoder_ = _encoder(path, manifest["encoder"], encoder, model, threads)
    model.kb_ = None if manifest["kb"] is None else _kb(path, manifest["kb"], kb)
    model.encoder, model.kb = model.encoder_, model.kb_
    model.classes_ = label_array(manifest["classes"])
    model.langs_ = tuple(manifest["langs"])
    model.n_training_documents_ = manifest["n_training_documents"]
    model.head_ = _head(manifest["head"], arrays)
    return model


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _read_arrays(path: Path, manifest: dict[str, Any]) -> Arrays:
    for name, checksum in manifest["sha256"].items():
        file = path / name
        if not file.is_file():
            raise InputError("the model is incomplete: this file is missing", path=file)
        if sha256_of(file) != checksum:
            raise InputError("damaged: its checksum is not the one written", path=file)
    file = path / "model.safetensors"
    try:
        arrays: Arrays = load_file(file)
    except SafetensorError as error:
        raise InputError(f"is not a safetensors file ({error})", path=file) from error
    return arrays


def _encoder(
    path: Path,
    saved: dict[str, Any],
    given: str | Path | Encoder | None,
    model: TextClassifier,
    threads: int | None,
) -> Encoder:
    if isinstance(given, Encoder):
        found = given
    else:
        name = given or (path / saved["name"] if saved["is_directory"] else saved["name"])
        if given is None and saved["is_directory"] and not Path(name).is_dir():
            raise InputError(
                f"the model's encoder is not at {name} any more; name it with --encoder",
                path=path,
            )
        found = Encoder.load(
            name, device=model.device, dtype=model.dtype, threads=threads, **saved["options"]
        )
    if found.fingerprint != saved["fingerprint"]:
        raise InputError(
            f"the model was trained with another encoder ({saved['name']}, fingerprint "
            f"{saved['fingerprint'][:12]}) than {found.name} ({found.fingerprint[:12]})",
            path=path,
        )
    return found


def _kb(
    path: Path, saved: dict[str, Any], given: str | Path | KnowledgeBase | None
) -> KnowledgeBase:
    place = path / saved["path"]
    if given is None and not place.exists():
        raise InputError(
            f"the model's knowledge base is not at {place} any more; name it with --kb", path=path
        )
    found = given if isinstance(given, KnowledgeBase) else KnowledgeBase.open(given or place)
    if found.fingerprint != saved["fingerprint"]:
        raise InputError(
            f"the model was trained with another knowledge base (fingerprint "
            f"{saved['fingerprint'][:12]}) than {found.path} ({found.fingerprint[:12]}); "
            "name the right one with --kb or fit the model again",
            path=path,
        )
    return found


def _linear_arrays(head: LinearHead, prefix: str) -> Arrays:
    return {
        f"{prefix}.mean": head.standardisation.mean,
        f"{prefix}.deviation": head.standardisation.deviation,
        f"{prefix}.weight": head.weight,
        f"{prefix}.bias": head.bias,
    }


def _linear(settings: dict[str, Any], arrays: Arrays, prefix: str) -> LinearHead:
    return LinearHead(
        Standardisation(arrays[f"{prefix}.mean"], arrays[f"{prefix}.deviation"]),
        arrays[f"{prefix}.weight"],
        arrays[f"{prefix}.bias"],
        **settings,
    )


def _memory_arrays(memory: EntityMemory) -> Arrays:
    arrays: Arrays = {
        "memory.entities": memory.entities,
        "memory.vectors": memory.vectors,
        "memory.n_documents_with": memory.n_documents_with,
        "memory.attention_weight": memory.attention_weight,
    }
    if memory.projection is not None:
        arrays["memory.projection"] = memory.projection
    return arrays


def _memory(settings: dict[str, Any], arrays: Arrays) -> EntityMemory:
    return EntityMemory(
        entities=arrays["memory.entities"],
        vectors=arrays["memory.vectors"],
        n_documents_with=arrays["memory.n_documents_with"],
        attention_weight=arrays["memory.attention_weight"],
        projection=arrays.get("memory.projection"),
        **settings,
    )


def _head_arrays(head: Head) -> Arrays:
    match head:
        case LinearHead():
            return _linear_arrays(head, "linear")
        case MboeHead():
            return _linear_arrays(head.linear, "linear") | _memory_arrays(head.memory)
        case MboePlusHead():
            return (
                _linear_arrays(head.encoder_only, "linear")
                | _linear_arrays(head.vote.linear, "entities")
                | _memory_arrays(head.memory)
                | {"log_shares": head.vote.log_shares}
            )


def _head_settings(head: Head) -> dict[str, Any]:
    match head:
        case LinearHead():
            return {"kind": "encoder-only", "linear": _linear_settings(head)}
        case MboeHead():
            return {
                "kind": "mboe",
                "linear": _linear_settings(head.linear),
                "memory": _memory_settings(head.memory),
            }
        case MboePlusHead():
            return {
                "kind": "mboe-plus",
                "linear": _linear_settings(head.encoder_only),
                "entities": _linear_settings(head.vote.linear),
                "memory": _memory_settings(head.memory),
                "mixture": asdict(head.mixture),
            }


def _linear_settings(head: LinearHead) -> dict[str, Any]:
    return {"C": head.C, "chosen_by": head.chosen_by}


def _memory_settings(memory: EntityMemory) -> dict[str, Any]:
    return {"n_documents": memory.n_documents, "attention": memory.attention}


def _head(settings: dict[str, Any], arrays: Arrays) -> Head:
    linear = _linear(settings["linear"], arrays, "linear")
    if settings["kind"] == "encoder-only":
        return linear
    memory = _memory(settings["memory"], arrays)
    if settings["kind"] == "mboe":
        return MboeHead(linear, memory)
    entities_only = _linear(settings["entities"], arrays, "entities")
    vote = EntityVote(entities_only, memory, arrays["log_shares"])
    return MboePlusHead(linear, vote, Mixture(**settings["mixture"]))
