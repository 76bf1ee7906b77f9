"""Options of commands that fine-tune the encoder, the same for each."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import typer

from isogloss.cli.groups import OnlyWith, count
from isogloss.cli.options import Precision
from isogloss.errors import InputError
from isogloss.train.options import TrainingOptions

ONLY_TUNED = OnlyWith(
    "tune=lora", "tune=full", why="is for --tune lora or full; the head alone learns"
)
TuneName = Annotated[
    Literal["head", "lora", "full"],
    typer.Option(help="What is trained: the head alone, low-rank adapters too, or all weights."),
]
_NO_DEV = OnlyWith("!dev", why="is of no use with --dev; leave one of them out")
_JUDGED = OnlyWith(
    "dev", "!dev_split=0.0",
    why="is of no use with --dev-split 0, which holds no texts out to judge an epoch by; leave one "
    "of them out",
)  # fmt: skip
_Number = int | None


@dataclass(frozen=True, kw_only=True)
class Schedule:
    """How long and how fast the encoder is fine-tuned."""

    epochs: Annotated[_Number, count("Maximum number of epochs (default: 10).")] = None
    batch_size: Annotated[_Number, count("Texts per step (default: 32).")] = None
    learning_rate: Annotated[
        float | None,
        typer.Option(help="Peak learning rate of the schedule (default: full 2e-5, lora 2e-4)."),
    ] = None

    def options(self, tune: str) -> dict[str, Any] | None:
        """Return what was given of the options, by name; None where nothing is tuned."""
        if tune == "head":
            return None
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class HowTuned(Schedule):
    """How the encoder is fine-tuned."""

    patience: Annotated[
        _Number,
        count("Early stopping: stop after this many epochs without improvement (default: 3)."),
        _JUDGED,
    ] = None
    dev_split: Annotated[
        float | None,
        typer.Option(
            help="Fraction of the training texts held out as development set, without --dev "
            "(default: 0.05)."
        ),
        _NO_DEV,
    ] = None
    class_weights: Annotated[
        Literal["balanced"] | None,
        typer.Option(help="Weight classes inversely to their frequency."),
    ] = None
    max_length: Annotated[
        _Number,
        count("Maximum number of tokens of a text, in prediction too (default: the encoder's)."),
    ] = None
    embeddings: Annotated[
        Literal["dense", "frozen", "rows"] | None,
        typer.Option(
            help="Word embeddings: train all, none, or the rows that a batch touches (default: "
            "chosen automatically)."
        ),
    ] = None
    accumulate: Annotated[
        _Number, count("Gradient accumulation steps (default: chosen automatically).")
    ] = None
    precision: Precision = None
    average_checkpoints: Annotated[
        _Number, count("Number of best epochs whose weights are averaged (default: 1).")
    ] = None

    def options(self, tune: str) -> dict[str, Any] | None:
        """Return what was given of the options, by name; None where nothing is tuned.

        Raises
        ------
        InputError
            When more epochs are averaged than there are.
        """
        found = super().options(tune)
        epochs = self.epochs or TrainingOptions.epochs
        if found is not None and (self.average_checkpoints or 1) > epochs:
            raise InputError(
                f"--average-checkpoints is {self.average_checkpoints}, and --epochs is {epochs}; "
                "give at most as many"
            )
        return found


Tuning = Annotated[HowTuned, ONLY_TUNED]
