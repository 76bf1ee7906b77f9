"""What the options of a tagger may be, and the sentences for those that are not."""

import re
from collections.abc import Mapping
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal

from isogloss.encode import Encoder
from isogloss.encode.words.token_pooling import WordPooling
from isogloss.errors import InputError, InputKindError, did_you_mean
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_options import TUNES
from isogloss.limits import LARGEST_SEED, UNPENALISED

AUTO = "auto"
OwnHeads = Literal["auto", "none"]
PIECES: tuple[WordPooling, ...] = ("mean", "first", "last")
OWN_HEADS: tuple[OwnHeads, ...] = ("auto", "none")
_RANGE = re.compile(r"([0-9]{1,4})(?:-([0-9]{1,4}))?")


def check_options(options: Mapping[str, Any]) -> None:
    """Check the parameters of a tagger, by name.

    Raises
    ------
    InputError
        For the first that is not allowed; it says the value and what is.
    """
    for name, allowed in (
        ("pieces", PIECES), ("tune", TUNES), ("own_heads", OWN_HEADS)
    ):  # fmt: skip
        value = options[name]
        if not isinstance(value, str) or value not in allowed:
            raise InputError(f"{name} is {value!r:.40}; {did_you_mean(str(value), allowed)}")
    if not isinstance(options["encoder"], str | Path | Encoder):
        raise InputKindError(
            f"encoder is {options['encoder']!r:.40}; give an Encoder, its name or its directory"
        )
    if not isinstance(options["kb"], str | Path | KnowledgeBase | None):
        raise InputKindError(
            f"kb is {options['kb']!r:.40}; give a KnowledgeBase, its directory, or None"
        )
    parsed_layers(options["layer"])
    C = options["C"]
    is_number = isinstance(C, Real) and not isinstance(C, bool)
    if C is not None and not (is_number and 0 < float(C) <= UNPENALISED):
        raise InputError(f"C is {C!r:.40}; give a positive number, or None to have it chosen")
    seed = options["random_state"]
    is_whole = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not is_whole or not 0 <= int(seed) <= LARGEST_SEED:
        raise InputError(
            f"random_state is {seed!r:.40}; give a whole number, 0 to {LARGEST_SEED:,}"
        )


def parsed_layers(layer: Any) -> tuple[int, ...] | None:
    """Return the layers that a value names, None for ``"auto"``.

    Raises
    ------
    InputError
        For what is no layer and no range of layers.

    Examples
    --------
    >>> parsed_layers("5-8"), parsed_layers(8), parsed_layers("auto")
    ((5, 6, 7, 8), (8,), None)
    """
    if layer == AUTO:
        return None
    is_whole = isinstance(layer, Integral) and not isinstance(layer, bool)
    found = _RANGE.fullmatch(str(layer)) if is_whole or isinstance(layer, str) else None
    first, last = (found[1], found[2] or found[1]) if found else ("1", "0")
    if int(first) > int(last):
        raise InputError(
            f"layer is {layer!r:.40}; give 'auto', a number from 0 (the embeddings), or a range, "
            "as 5-8"
        )
    return tuple(range(int(first), int(last) + 1))


def layers_of(layer: Any, n_layers: int) -> tuple[int, ...] | None:
    """Return the layers that a value names in an encoder; see `parsed_layers`.

    Raises
    ------
    InputError
        For a layer that the encoder lacks.
    """
    layers = parsed_layers(layer)
    if layers is not None and layers[-1] > n_layers:
        raise InputError(f"layer is {layer}; this encoder's layers are 0 to {n_layers}")
    return layers
