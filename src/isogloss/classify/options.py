"""What the options of a classifier may be, and the sentences for those that are not."""

from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from isogloss.classify.entity_pooling import Attention
from isogloss.errors import InputError, did_you_mean
from isogloss.vectors import EntityVectors

Preset = Literal["mboe", "mboe-plus"]
AttentionChoice = Literal[True, "mean", "sum"]

PRESETS: tuple[Preset, ...] = ("mboe", "mboe-plus")
INITS = ("encoder", "random")
ATTENTIONS: dict[object, Attention] = {True: "learned", "mean": "mean", "sum": "sum"}


def check_options(options: Mapping[str, Any]) -> None:
    """Check the parameters of a classifier, by name.

    Raises
    ------
    InputError
        For the first that is not allowed; it says the value and what is.
    """
    for name, allowed in (
        ("preset", PRESETS),
        ("tune", ("head",)),
        ("attention", tuple(ATTENTIONS)),
        ("init", INITS),
    ):
        value = options[name]
        if name == "init" and isinstance(value, EntityVectors):
            continue
        if value not in allowed:
            hint = did_you_mean(str(value), [str(choice) for choice in allowed])
            raise InputError(f"{name} is {value!r}; {hint}")
    seed, most = options["random_state"], options["max_entities"]
    if not _is_whole(seed) or seed < 0:
        raise InputError(f"random_state is {seed!r}; give a whole number, 0 or more")
    if most is not None and (not _is_whole(most) or most < 1):
        raise InputError(f"max_entities is {most!r}; give 1 or more, or None")
    for name in ("min_link_prob", "min_commonness"):
        if not 0.0 <= options[name] <= 1.0:
            raise InputError(f"{name} is {options[name]}; a number in 0 to 1 is allowed")


def _is_whole(value: Any) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)
