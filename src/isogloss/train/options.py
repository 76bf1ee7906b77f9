"""What the training loop can be told, and the sentences for what it cannot do."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal

import numpy as np

from isogloss.errors import InputError, InputKindError, did_you_mean
from isogloss.limits import check_count

Precision = Literal["auto", "float32", "bfloat16", "float16"]
LARGEST = 10**300
PRECISIONS: tuple[Precision, ...] = ("auto", "float32", "bfloat16", "float16")


@dataclass(frozen=True, kw_only=True)
class TrainingOptions:
    """Options of one training run.

    Attributes
    ----------
    epochs
        Most passes over the examples.
    batch_size
        Examples of one step, over all micro-batches and processes.
    learning_rate
        The largest of the schedule; None: to be settled before training, which refuses it.
    warm_up
        Share of all steps in which the rate rises from 0; it then falls to 0 in a line.
    weight_decay
        Of AdamW, on matrices only: not on biases and norms.
    clip_norm
        Largest norm of all gradients together; None: not clipped.
    accumulate
        Micro-batches of one step; None: what is cheapest on the device, within `max_tokens`.
    max_tokens
        Most padded tokens of a micro-batch; None: 2,048 on a processor, 16,384 elsewhere.
    precision
        Of the forward pass; weights stay in float32. ``"auto"``: bfloat16 on a graphics card
        that has it, else float16; float32 on a processor.
    patience
        Early stopping: epochs without a better development score; None: never.
    average_checkpoints
        The weights at the end are the mean over this number of the best epochs; without a dev
        score, over the last.

    Raises
    ------
    InputError
        For a value out of range.
    """

    epochs: int = 10
    batch_size: int = 32
    learning_rate: float | None = None
    warm_up: float = 0.1
    weight_decay: float = 0.01
    clip_norm: float | None = 1.0
    accumulate: int | None = None
    max_tokens: int | None = None
    precision: Precision = "auto"
    patience: int | None = 3
    average_checkpoints: int = 1

    def __post_init__(self) -> None:
        for field in fields(self):  # numbers of numpy become Python's, which JSON can hold
            value = getattr(self, field.name)
            if isinstance(value, np.generic):
                object.__setattr__(self, field.name, value.item())
        for name in ("epochs", "batch_size", "average_checkpoints"):
            check_count(name, getattr(self, name))
        for name in ("accumulate", "max_tokens", "patience"):
            if getattr(self, name) is not None:
                check_count(name, getattr(self, name))
        for name in ("learning_rate", "clip_norm"):
            value = getattr(self, name)
            if value is not None and not (is_number(value) and 0.0 < value < float("inf")):
                raise InputError(f"{name} is {value!r:.40}; give a number above 0")
        if self.average_checkpoints > self.epochs:
            raise InputError(
                f"average_checkpoints is {self.average_checkpoints}, and epochs is {self.epochs}; "
                "give at most as many"
            )
        if not is_number(self.weight_decay) or not 0.0 <= self.weight_decay < 1.0:
            raise InputError(f"weight_decay is {self.weight_decay!r:.40}; give 0 to below 1")
        if not is_number(self.warm_up) or not 0.0 <= self.warm_up <= 1.0:
            raise InputError(f"warm_up is {self.warm_up!r:.40}; give a share, 0 to 1")
        if not isinstance(self.precision, str) or self.precision not in PRECISIONS:
            hint = did_you_mean(str(self.precision), PRECISIONS)
            raise InputError(f"precision is {self.precision!r:.40}; {hint}")

    @classmethod
    def by_name(cls, given: Mapping[str, Any] | None, *, what: str) -> dict[str, Any]:
        """Return options given by name; nothing for None.

        Parameters
        ----------
        what
            What else may be given, for the error sentence.

        Raises
        ------
        InputError
            For a name that is no option of this class, or what is no mapping.
        """
        if given is not None and not isinstance(given, Mapping):
            raise InputKindError(
                f"training is {given!r:.40}; give {what} or a dictionary: {{'epochs': 3}}"
            )
        names = [field.name for field in fields(cls)]
        for name in given or {}:
            if name not in names:
                raise InputError(f"training has '{name}'; {did_you_mean(str(name), names)}")
        return dict(given or {})

    def of_loop(self) -> dict[str, Any]:
        """Return the values of the options of this class by name, for storing with a checkpoint."""
        return {field.name: getattr(self, field.name) for field in fields(TrainingOptions)}


def is_number(value: Any) -> bool:
    """Whether a value is a float, or an integer that floats reach; True and False are none."""
    return isinstance(value, float) or (
        isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    )
