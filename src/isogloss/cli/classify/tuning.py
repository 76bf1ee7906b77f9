"""Options of commands that tune the encoder, the same for each."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from isogloss.errors import InputError
from isogloss.limits import LARGEST_COUNT
from isogloss.train.options import TrainingOptions

TuneName = Annotated[
    Literal["head", "lora", "full"],
    typer.Option(help="What learns: the head alone, low-rank matrices in the encoder too, or all."),
]
Epochs = Annotated[
    int | None, typer.Option(min=1, max=LARGEST_COUNT, help="Most passes over the texts (10).")
]
BatchSize = Annotated[
    int | None, typer.Option(min=1, max=LARGEST_COUNT, help="Texts of one step (32).")
]
LearningRate = Annotated[
    float | None, typer.Option(help="The largest of the schedule (full: 2e-5, lora: 2e-4).")
]
Patience = Annotated[
    int | None,
    typer.Option(
        min=1, max=LARGEST_COUNT, help="Stop after so many epochs without a better one (3)."
    ),
]
DevSplit = Annotated[
    float | None,
    typer.Option(help="Share of the texts held out to choose the epoch by, without --dev (0.05)."),
]
ClassWeights = Annotated[
    Literal["balanced"] | None, typer.Option(help="Let classes count alike, however rare.")
]
MaxLength = Annotated[
    int | None,
    typer.Option(min=1, max=LARGEST_COUNT, help="Cut texts to so many pieces, in prediction too."),
]
EmbeddingsName = Annotated[
    Literal["dense", "frozen", "rows"] | None,
    typer.Option(help="Train word embeddings all, not at all, or the rows that a batch touches."),
]
Accumulate = Annotated[
    int | None,
    typer.Option(
        min=1, max=LARGEST_COUNT, help="Parts a step is computed in; by default the cheapest."
    ),
]
Precision = Annotated[
    Literal["auto", "float32", "bfloat16", "float16"] | None,
    typer.Option(help="Of the forward pass in tuning; weights stay in float32."),
]
AverageCheckpoints = Annotated[
    int | None,
    typer.Option(
        min=1, max=LARGEST_COUNT, help="End with the mean of so many of the best epochs (1)."
    ),
]
CheckpointFolder = Annotated[
    Path | None,
    typer.Option("--checkpoints", help="Folder that keeps the run: the same command goes on there.",
                 metavar="DIR"),
]  # fmt: skip


def training_options(tune: str, *, has_dev: bool, **given: Any) -> dict[str, Any] | None:
    """Return what was given of the options of tuning, by name; None where nothing is tuned.

    Parameters
    ----------
    has_dev
        Whether there are development texts.

    Raises
    ------
    InputError
        When one was given that is of no use: only the head learns, or another option decides.
    """
    found = {name: value for name, value in given.items() if value is not None}
    if tune != "head":
        _refuse_useless(found, has_dev=has_dev)
        return found
    if found:
        option = next(iter(found)).replace("_", "-")
        raise InputError(f"--{option} is for --tune lora or full; the head alone learns")
    return None


def _refuse_useless(found: dict[str, Any], *, has_dev: bool) -> None:
    if has_dev and "dev_split" in found:
        raise InputError("--dev-split is of no use with --dev; leave one of them out")
    if not has_dev and found.get("dev_split") == 0 and "patience" in found:
        raise InputError(
            "--patience is of no use with --dev-split 0, which holds no texts out to judge an "
            "epoch by; leave one of them out"
        )
    epochs = found.get("epochs", TrainingOptions.epochs)
    if found.get("average_checkpoints", 1) > epochs:
        raise InputError(
            f"--average-checkpoints is {found['average_checkpoints']}, and --epochs is {epochs}; "
            "give at most as many"
        )
