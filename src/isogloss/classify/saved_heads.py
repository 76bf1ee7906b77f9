"""Heads as a saved classifier holds them: settings for its manifest, arrays for its safetensors.

Each array is checked against the settings and the others when it is read: what does not fit is
damage, a `ValueError` or `KeyError` that `persistence` puts into a sentence.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from isogloss.classify.entity_memory import EntityMemory
from isogloss.classify.entity_vote import EntityVote
from isogloss.classify.heads import Head
from isogloss.classify.linear_head import LinearHead, Standardisation
from isogloss.classify.mboe import MboeHead
from isogloss.classify.mboe_plus import MboePlusHead, Mixture
from isogloss.classify.objective import OBJECTIVES
from isogloss.classify.options import ATTENTIONS
from isogloss.classify.trained_vectors import TrainedVectors
from isogloss.files import saved_number, saved_text

Arrays = dict[str, np.ndarray[Any, Any]]


def head_arrays(head: Head) -> Arrays:
    """Return what goes into a model's arrays."""
    match head:
        case LinearHead():
            return _linear_arrays(head, "linear")
        case MboeHead():
            return (
                _linear_arrays(head.linear, "linear")
                | _memory_arrays(head.memory)
                | _trained_arrays(head.trained)
            )
        case MboePlusHead():
            return (
                _linear_arrays(head.encoder_only, "linear")
                | _linear_arrays(head.vote.linear, "entities")
                | _memory_arrays(head.memory)
                | {"log_shares": head.vote.log_shares}
            )


def head_settings(head: Head) -> dict[str, Any]:
    """Return what goes into a model's manifest."""
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


def read_head(settings: dict[str, Any], arrays: Arrays, *, n_classes: int) -> Head:
    """Return the head that `head_settings` and `head_arrays` gave.

    Raises
    ------
    ValueError, KeyError, TypeError
        When a setting or an array is missing, of another kind, or does not fit.
    """
    linear = _linear(settings["linear"], arrays, "linear", n_classes)
    kind = saved_text(settings, "kind", ("encoder-only", "mboe", "mboe-plus"))
    if kind == "encoder-only":
        return linear
    memory = _memory(settings["memory"], arrays)
    if kind == "mboe":
        vectors = _fitting(arrays, "trained.vectors", len(memory.entities), None)
        projection = arrays.get("trained.projection")
        return MboeHead(linear, TrainedVectors(memory, vectors, projection))
    entities_only = _linear(settings["entities"], arrays, "entities", n_classes)
    vote = EntityVote(entities_only, memory, _fitting(arrays, "log_shares", n_classes))
    mixture = settings["mixture"]
    strength, half_count = (saved_number(mixture, name) for name in ("strength", "half_count"))
    return MboePlusHead(linear, vote, Mixture(strength, half_count))


def _fitting(arrays: Arrays, name: str, *shape: int | None) -> np.ndarray[Any, Any]:
    """Return an array whose lengths are these; None: any."""
    array = arrays[name]
    if len(array.shape) != len(shape) or any(
        length not in (None, found) for length, found in zip(shape, array.shape, strict=True)
    ):
        raise ValueError(f"{name} has the shape {array.shape}")
    return array


def _linear_arrays(head: LinearHead, prefix: str) -> Arrays:
    return {
        f"{prefix}.mean": head.standardisation.mean,
        f"{prefix}.deviation": head.standardisation.deviation,
        f"{prefix}.weight": head.weight,
        f"{prefix}.bias": head.bias,
    }


def _linear(settings: dict[str, Any], arrays: Arrays, prefix: str, n_classes: int) -> LinearHead:
    weight = _fitting(arrays, f"{prefix}.weight", n_classes, None)
    mean, deviation = (
        _fitting(arrays, f"{prefix}.{name}", weight.shape[1]) for name in ("mean", "deviation")
    )
    return LinearHead(
        Standardisation(mean, deviation),
        weight,
        _fitting(arrays, f"{prefix}.bias", n_classes),
        C=np.inf if settings["C"] is None else saved_number(settings, "C", positive=True),
        chosen_by=saved_text(settings, "chosen_by"),
        objective=OBJECTIVES[saved_text(settings, "objective", OBJECTIVES)],
    )


def _memory_arrays(memory: EntityMemory) -> Arrays:
    return {
        "memory.entities": memory.entities,
        "memory.n_documents_with": memory.n_documents_with,
        "memory.attention_weight": memory.attention_weight,
    }


def _trained_arrays(trained: TrainedVectors) -> Arrays:
    arrays: Arrays = {"trained.vectors": trained.vectors}
    if trained.projection is not None:
        arrays["trained.projection"] = trained.projection
    return arrays


def _memory(settings: dict[str, Any], arrays: Arrays) -> EntityMemory:
    entities = _fitting(arrays, "memory.entities", None)
    return EntityMemory(
        entities=entities,
        n_documents_with=_fitting(arrays, "memory.n_documents_with", len(entities)),
        attention_weight=_fitting(arrays, "memory.attention_weight", None),
        n_documents=saved_number(settings, "n_documents", whole=True),
        attention=saved_text(settings, "attention", ATTENTIONS.values()),
    )


def _linear_settings(head: LinearHead) -> dict[str, Any]:
    C = head.C if np.isfinite(head.C) else None  # JSON has no infinity; tuning has no penalty
    return {"C": C, "chosen_by": head.chosen_by, "objective": head.objective.name}


def _memory_settings(memory: EntityMemory) -> dict[str, Any]:
    return {"n_documents": memory.n_documents, "attention": memory.attention}
