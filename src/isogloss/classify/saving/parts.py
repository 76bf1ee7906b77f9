"""What was learned, as JSON and named arrays: taken apart by `save`, put together by `load`.

An array stands in JSON by its name, the way to it (``head.linear.weight``). Fields have the types
of their dataclasses, in JSON by msgspec, of arrays in the element kind and the number of axes. That
shapes fit each other is checked here too; what does not is damage, a `ValueError` or `KeyError`.
"""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, TypeVar, get_args

import numpy as np

from isogloss.classify.documents.entity_memory import EntityMemory
from isogloss.classify.examples import Examples
from isogloss.classify.heads import mboe, mboe_plus
from isogloss.classify.heads.head import EncoderOnlyHead, Head
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.saving.manifest import HeadKind
from isogloss.classify.shift import ScoreReference, ShiftCorrection
from isogloss.classify.trust.reference import ForecastReference
from isogloss.learn.linear_head import LinearHead
from isogloss.learn.objective import OBJECTIVES, SOFTMAX, Objective
from isogloss.storage.typed import typed

Arrays = dict[str, np.ndarray[Any, Any]]
AnyHead = TypeVar("AnyHead", bound=Head)

HEADS: dict[HeadKind, type[Head]] = {
    "encoder-only": EncoderOnlyHead, "mboe": MboeHead, "mboe-plus": MboePlusHead,
}  # fmt: skip
MAY_BE_MINUS_INFINITY = ("bias", "log_priors")  # of a class that training had no document of


@dataclass(frozen=True)
class Parts(Generic[AnyHead]):
    """Those of a `FittedClassifier` that have arrays."""

    head: AnyHead
    forecast_reference: ForecastReference | None
    score_reference: ScoreReference | None
    corrections: dict[str, ShiftCorrection]
    examples: Examples | None

    def check_shapes(self, n_classes: int) -> None:
        """Raise `ValueError` when arrays do not fit each other, or `n_classes`."""
        head, linear = self.head, self.head.linear
        _check_linear(linear, n_classes)
        width = linear.weight.shape[1]
        if isinstance(head, MboeHead):
            _check_memory(head.memory, mboe.INITIAL_ATTENTION)
            vectors, projection = head.trained.vectors, head.trained.projection
            own_width = width if projection is None else vectors.shape[1]
            _check("vectors of entities", vectors, len(head.memory.entities), own_width)
            if projection is not None:
                _check("the projection", projection, width, own_width)
        if isinstance(head, MboePlusHead):
            _check_memory(head.memory, mboe_plus.INITIAL_ATTENTION)
            _check_linear(head.vote.linear, n_classes)
            _check("log_priors", head.vote.log_priors, n_classes)
        if self.forecast_reference is not None:
            weight = self.forecast_reference.weight
            _check("weight of forecasts", weight, len(weight), n_classes, width)
            _check("bias of forecasts", self.forecast_reference.bias, len(weight), n_classes)
        if self.score_reference is not None:
            _check("centres", self.score_reference.centres, n_classes, n_classes)
            _check("spread", self.score_reference.spread, n_classes, n_classes)
            _check("priors", self.score_reference.priors, n_classes)
        for lang, correction in self.corrections.items():
            _check(f"offset of {lang}", correction.offset, width)
        if self.examples is not None:
            self.examples.check(n_classes, width, one_label=linear.objective is SOFTMAX)


def apart(value: Any, name: str, arrays: Arrays) -> Any:
    """Return a value as `msgspec.to_builtins` takes it, and put its arrays into `arrays`."""
    if isinstance(value, np.ndarray):
        arrays[name] = value
        return name
    if isinstance(value, Objective):
        return value.name
    if is_dataclass(value):
        value = {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, dict):
        return {key: apart(part, f"{name}.{key}".strip("."), arrays) for key, part in value.items()}
    return value


def together(kind: HeadKind, facts: dict[str, Any], arrays: Arrays) -> Parts[Any]:
    """Return the parts, with a head of this kind, that `apart` took apart.

    Raises
    ------
    ValueError, KeyError
        When something is missing or of another kind.
    """

    def decode(kind: Any, value: Any) -> Any:
        return OBJECTIVES[value] if kind is Objective else _array(kind, value, arrays[value])

    head: Any = HEADS[kind]
    parts: Parts[Any] = typed(facts, Parts[head], decode=decode)
    return parts


def _array(kind: Any, name: str, array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return an array that is of a type of `isogloss.arrays`, and finite."""
    axes, element = map(get_args, get_args(kind))
    if array.ndim != len(axes) or array.dtype != np.dtype(element[0]):
        raise ValueError(f"{name} holds {array.dtype} of the shape {array.shape}")
    if array.dtype.kind == "f":
        allowed = np.isfinite(array)
        if name.endswith(MAY_BE_MINUS_INFINITY):
            allowed |= np.isneginf(array)
        if not allowed.all():
            raise ValueError(f"{name} holds {array[~allowed][0]}")
    return array


def _check(name: str, array: np.ndarray[Any, Any], *shape: int) -> None:
    if array.shape != shape:
        raise ValueError(f"{name} has the shape {array.shape}, not {shape}")


def _check_linear(linear: LinearHead, n_classes: int) -> None:
    width, scale = linear.weight.shape[1], linear.standardisation
    _check("weight", linear.weight, n_classes, width)
    _check("bias", linear.bias, n_classes)
    _check("mean", scale.mean, width)
    _check("deviation", scale.deviation, width)
    if (scale.deviation <= 0).any():
        raise ValueError(f"deviation holds {scale.deviation.min()}")


def _check_memory(memory: EntityMemory, features: tuple[float, ...]) -> None:
    entities, counts = memory.entities, memory.n_documents_with
    _check("n_documents_with", counts, len(entities))
    _check("attention_weight", memory.attention_weight, len(features))
    if (np.diff(entities, prepend=-1) <= 0).any():
        raise ValueError("entities are not in ascending order")
    if len(counts) and not 0 <= counts.min() <= counts.max() <= memory.n_documents:
        raise ValueError(f"n_documents_with holds {counts.min()} to {counts.max()}")
