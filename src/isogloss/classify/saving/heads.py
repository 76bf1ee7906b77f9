"""Heads as a saved classifier holds them: settings for its manifest, arrays for its safetensors.

Each array is checked against the settings and the others when it is read: what does not fit is
damage, a `ValueError` or `KeyError` that `persistence` puts into a sentence.
"""

from dataclasses import asdict
from typing import Any

import numpy as np

from isogloss.classify.documents.entity_memory import EntityMemory
from isogloss.classify.documents.trained_vectors import TrainedVectors
from isogloss.classify.heads import mboe, mboe_plus
from isogloss.classify.heads.head import Head
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead, Mixture
from isogloss.classify.heads.vote import EntityVote
from isogloss.classify.options import ATTENTIONS
from isogloss.learn.linear_head import LinearHead, Standardisation
from isogloss.learn.objective import OBJECTIVES
from isogloss.storage.files import saved_number, saved_text

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
    n_features = len((mboe if kind == "mboe" else mboe_plus).INITIAL_ATTENTION)
    memory = _memory(settings["memory"], arrays, n_features)
    if kind == "mboe":
        return MboeHead(linear, _trained(memory, arrays, width=linear.weight.shape[1]))
    entities_only = _linear(settings["entities"], arrays, "entities", n_classes)
    log_shares = fitting_array(arrays, "log_shares", n_classes, may_be_minus_infinity=True)
    vote = EntityVote(entities_only, memory, log_shares)
    mixture = settings["mixture"]
    strength, half_count = (saved_number(mixture, name) for name in ("strength", "half_count"))
    return MboePlusHead(linear, vote, Mixture(strength, half_count))


def fitting_array(
    arrays: Arrays, name: str, *shape: int | None, may_be_minus_infinity: bool = False
) -> np.ndarray[Any, Any]:
    """Return an array of finite floats whose lengths are these; None: any.

    Parameters
    ----------
    may_be_minus_infinity
        As the score of a class is that training had no document of.

    Raises
    ------
    ValueError, KeyError
        When it is missing or another.
    """
    array = _of_shape(arrays, name, shape)
    if array.dtype.kind != "f":
        raise ValueError(f"{name} holds {array.dtype}, not floats")
    allowed = np.isfinite(array)
    if may_be_minus_infinity:
        allowed |= np.isneginf(array)
    if not allowed.all():
        raise ValueError(f"{name} holds {array[~allowed][0]}")
    return array


def _of_shape(arrays: Arrays, name: str, shape: tuple[int | None, ...]) -> np.ndarray[Any, Any]:
    array = arrays[name]
    if len(array.shape) != len(shape) or any(
        length not in (None, found) for length, found in zip(shape, array.shape, strict=True)
    ):
        raise ValueError(f"{name} has the shape {array.shape}")
    return array


def _whole_numbers(
    arrays: Arrays, name: str, length: int | None, *, least: int, most: int | None = None
) -> np.ndarray[Any, Any]:
    array = _of_shape(arrays, name, (length,))
    if array.dtype != np.int64:
        raise ValueError(f"{name} holds {array.dtype}, not int64")
    beyond = (array < least) | (False if most is None else array > most)
    if beyond.any():
        raise ValueError(f"{name} holds {array[beyond][0]}")
    return array


def _linear_arrays(head: LinearHead, prefix: str) -> Arrays:
    return {
        f"{prefix}.mean": head.standardisation.mean,
        f"{prefix}.deviation": head.standardisation.deviation,
        f"{prefix}.weight": head.weight,
        f"{prefix}.bias": head.bias,
    }


def _linear(settings: dict[str, Any], arrays: Arrays, prefix: str, n_classes: int) -> LinearHead:
    weight = fitting_array(arrays, f"{prefix}.weight", n_classes, None)
    mean, deviation = (
        fitting_array(arrays, f"{prefix}.{name}", weight.shape[1]) for name in ("mean", "deviation")
    )
    if (deviation <= 0).any():
        raise ValueError(f"{prefix}.deviation holds {deviation.min()}")
    return LinearHead(
        Standardisation(mean, deviation),
        weight,
        fitting_array(arrays, f"{prefix}.bias", n_classes, may_be_minus_infinity=True),
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


def _trained(memory: EntityMemory, arrays: Arrays, *, width: int) -> TrainedVectors:
    has_projection = "trained.projection" in arrays
    own_width = None if has_projection else width
    vectors = fitting_array(arrays, "trained.vectors", len(memory.entities), own_width)
    projection = None
    if has_projection:
        projection = fitting_array(arrays, "trained.projection", width, vectors.shape[1])
    return TrainedVectors(memory, vectors, projection)


def _memory(settings: dict[str, Any], arrays: Arrays, n_features: int) -> EntityMemory:
    entities = _whole_numbers(arrays, "memory.entities", None, least=0)
    if (np.diff(entities) <= 0).any():
        raise ValueError("memory.entities is not in ascending order")
    n_documents = saved_number(settings, "n_documents", whole=True)
    return EntityMemory(
        entities=entities,
        n_documents_with=_whole_numbers(
            arrays, "memory.n_documents_with", len(entities), least=0, most=n_documents
        ),
        attention_weight=fitting_array(arrays, "memory.attention_weight", n_features),
        n_documents=n_documents,
        attention=saved_text(settings, "attention", ATTENTIONS.values()),
    )


def _linear_settings(head: LinearHead) -> dict[str, Any]:
    C = head.C if np.isfinite(head.C) else None  # JSON has no infinity; tuning has no penalty
    return {"C": C, "chosen_by": head.chosen_by, "objective": head.objective.name}


def _memory_settings(memory: EntityMemory) -> dict[str, Any]:
    return {"n_documents": memory.n_documents, "attention": memory.attention}
