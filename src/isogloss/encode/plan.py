"""The arguments of one call of `Encoder.encode`, checked against the encoder: layers, batches."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from isogloss.encode.settings import (
    EncoderSettings,
    LongTexts,
    Pooling,
    check_long_texts,
    check_pooling,
)
from isogloss.errors import InputError

Layers = int | Sequence[int] | Literal["all"] | None
PooledTokens = Literal["all", "text"]


@dataclass(frozen=True)
class Plan:
    """Layers, pooling, normalisation of one call, and what becomes of long texts.

    Attributes
    ----------
    layers
        Numbers from 0 (embeddings) to the last layer.
    is_stacked
        Whether several were asked for, so that results have an axis for them.
    tokens
        ``all``: the encoder's vectors. ``text``: mean states of the text's own tokens, without
        special tokens and prefix, and without the modules after the pooling.
    """

    layers: list[int]
    is_stacked: bool
    pooling: Pooling
    normalize: bool
    long_texts: LongTexts
    tokens: PooledTokens = "all"


def make_plan(
    settings: EncoderSettings,
    *,
    n_layers: int,
    has_pooler: bool,
    has_dense: bool,
    pooling: str | None = None,
    layers: Layers = None,
    normalize: bool | None = None,
    long_texts: str | None = None,
    tokens: PooledTokens = "all",
) -> Plan:
    """Settle what a call asks for; None takes the encoder's own setting.

    Raises
    ------
    InputError
        For a layer or pooling that the encoder does not have, or that do not go together.
    """
    chosen = settings.pooling.value if pooling is None else check_pooling(pooling)
    is_stacked = not (layers is None or isinstance(layers, int))
    numbers = [_number(layer, n_layers) for layer in _asked(layers, n_layers)]
    if not numbers:
        raise InputError(f"no layer was asked for; the layers are 0 (embeddings) to {n_layers}")
    if tokens == "text" and chosen != "mean":
        raise InputError(f"the mean of a text's own tokens is no pooling '{chosen}'; give mean")
    if chosen == "pooler" and not has_pooler:
        raise InputError("the encoder has no pooler; use the pooling mean or cls")
    if any(number != n_layers for number in numbers):
        if chosen == "pooler":
            raise InputError(f"the pooler belongs to the last layer, {n_layers}, only")
        if has_dense and tokens == "all":
            raise InputError(
                f"the encoder's Dense modules belong to the last layer, {n_layers}, only"
            )
    return Plan(
        layers=numbers,
        is_stacked=is_stacked,
        pooling=chosen,
        normalize=settings.normalize.value if normalize is None else normalize,
        long_texts=(
            settings.long_texts.value if long_texts is None else check_long_texts(long_texts)
        ),
        tokens=tokens,
    )


def _asked(layers: Layers, n_layers: int) -> Sequence[int]:
    if layers is None:
        return [n_layers]
    if isinstance(layers, int):
        return [layers]
    if isinstance(layers, str):
        if layers != "all":
            raise InputError(f"no layers '{layers}'; give numbers or 'all'")
        return range(n_layers + 1)
    return layers


def _number(layer: int, n_layers: int) -> int:
    number = layer + n_layers + 1 if layer < 0 else layer
    if not 0 <= number <= n_layers:
        raise InputError(
            f"no layer {layer}; the layers are 0 (embeddings) to {n_layers}, -1 being the last"
        )
    return number
