"""A training run on disk, from which a killed one resumes with the same result.

A folder with ``checkpoint.safetensors`` (weights, moments of the optimiser; as JSON in its header
how far the run is) and the weights of the best epochs, ``best-STEP.safetensors``. Each file appears
whole or not at all, and what a checkpoint names was written before it.
"""

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta, Struct
from safetensors import SafetensorError, safe_open

from isogloss.errors import InputError
from isogloss.storage.files import (
    LOCK,
    atomic_file,
    clear_all,
    damage_in_one_sentence,
    locked,
    parse_json,
    refuse_unwritable,
)
from isogloss.storage.sealed import CHECKSUM, arrays_checksum
from isogloss.storage.typed import typed

if TYPE_CHECKING:
    from isogloss.train.weights import Tensors

FORMAT = "isogloss training checkpoint 3"
NAME = "checkpoint.safetensors"
BEST = f"best-{8 * '[0-9]'}.safetensors"


Count = Annotated[int, Meta(ge=0)]


class Epoch(Struct, frozen=True):
    """What one pass over the examples came to.

    Attributes
    ----------
    step
        Steps done by its end.
    loss
        Mean over the examples, as they were met.
    score
        Development score, () without one.
    """

    step: Count
    loss: float
    score: tuple[float, ...]


class Progress(Struct, forbid_unknown_fields=True):
    """How far a run is.

    Attributes
    ----------
    loss
        Summed over the examples of the epoch so far.
    best_steps
        Ends of the epochs whose weights are kept, the best first.
    scaler
        State of the `torch.amp.GradScaler`.
    """

    step: Count = 0
    loss: float = 0.0
    epochs: list[Epoch] = []
    best_steps: list[int] = []
    is_stopped_early: bool = False
    scaler: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if not math.isfinite(self.loss):
            raise ValueError(f"loss is {self.loss}")
        if not {*self.best_steps} <= {epoch.step for epoch in self.epochs}:
            raise ValueError(f"best_steps is {self.best_steps!r:.40}, no epochs of the run")


class Checkpoint(NamedTuple):
    """How far a run is, and its tensors."""

    progress: Progress
    tensors: "Tensors"


class Checkpoints:
    """A folder for the checkpoints of one run.

    Parameters
    ----------
    folder
        Made where it is missing.
    seconds
        Least time between two checkpoints within an epoch; 0: after every step. One is always
        written at the end of an epoch.
    """

    def __init__(self, folder: str | Path, *, seconds: float = 300.0) -> None:
        self.folder = Path(folder)
        self.seconds = seconds

    def check_place(self) -> None:
        """Raise `InputError` where the folder cannot be made or written, and leave nothing."""
        there = next(place for place in (self.folder, *self.folder.parents) if place.exists())
        if not there.is_dir():
            raise self._refused("Not a directory")
        refuse_unwritable(there / NAME, option="--checkpoints")

    @contextmanager
    def held(self) -> Iterator[None]:
        """Make the folder, keep other runs out of it, remove what a killed one left half-written.

        Raises
        ------
        InputError
            When it cannot be made, is a file, or another run is at work there.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise self._refused(error.strerror) from error
        with locked(self.folder, option="--checkpoints"):
            for name in (NAME, BEST):
                clear_all(self.folder, name)
            yield

    def _refused(self, reason: str | None) -> InputError:
        return InputError(
            f"a folder for checkpoints cannot be made here: {reason}; choose another",
            path=self.folder,
        )

    def read(self, run: dict[str, Any]) -> Checkpoint | None:
        """Return the checkpoint of the run described by `run`; None where there is none.

        Raises
        ------
        InputError
            When the folder holds another run's, or a damaged one.
        """
        file = self.folder / NAME
        if not file.is_file():
            return None
        metadata, tensors = _read(file, advice="remove it to start again")
        with damage_in_one_sentence(file, advice="remove it to start again"):
            facts = parse_json(metadata["progress"])
            differing = _differing(facts.pop("run"), json.loads(json.dumps(run)))
            progress = typed(facts, Progress)
        if differing:
            raise InputError(
                f"the checkpoint is of another run ({', '.join(differing)} differ); "
                "give the same options and data, choose another folder, or remove it",
                path=file,
            )
        return Checkpoint(progress, tensors)

    def write(self, run: dict[str, Any], progress: Progress, tensors: "Tensors") -> None:
        """Replace the checkpoint; then remove the best epochs that it no longer names."""
        record = json.dumps(msgspec.to_builtins(progress) | {"run": run})
        self._write(NAME, tensors, {"format": FORMAT, "progress": record})
        named = {self._best(step) for step in progress.best_steps}
        for file in self.folder.glob(BEST):
            if file not in named:
                file.unlink(missing_ok=True)

    def write_best(self, step: int, tensors: "Tensors") -> None:
        """Keep the weights of a good epoch."""
        self._write(self._best(step).name, tensors, {"format": FORMAT})

    def read_best(self, step: int) -> "Tensors":
        """Return weights that `write_best` kept.

        Raises
        ------
        InputError
            When they are missing or damaged.
        """
        return _read(self._best(step), advice="remove the folder to start again")[1]

    def remove(self) -> None:
        """Remove the files of the run, and the folder when nothing else is in it."""
        for file in [self.folder / NAME, self.folder / LOCK, *self.folder.glob(BEST)]:
            file.unlink(missing_ok=True)
        if self.folder.is_dir() and not any(self.folder.iterdir()):
            self.folder.rmdir()

    def _best(self, step: int) -> Path:
        return self.folder / f"best-{step:08d}.safetensors"

    def _write(self, name: str, tensors: "Tensors", metadata: dict[str, str]) -> None:
        from safetensors.torch import save_file

        metadata[CHECKSUM] = arrays_checksum(tensors, metadata)
        with atomic_file(self.folder / name, overwrite=True) as temporary:
            save_file(tensors, temporary, metadata=metadata)


def _read(file: Path, *, advice: str) -> "tuple[dict[str, str], Tensors]":
    """Return metadata and tensors of a file as they were written."""
    from safetensors.torch import load_file

    try:
        with safe_open(file, framework="pt") as opened:
            metadata: dict[str, str] = opened.metadata() or {}
        tensors: Tensors = load_file(file)
    except (OSError, SafetensorError) as error:
        raise InputError(f"damaged: it cannot be read ({error}); {advice}", path=file) from error
    if metadata.get("format") != FORMAT:
        raise InputError(
            "no checkpoint of this version of isogloss; choose another folder", path=file
        )
    if metadata.get(CHECKSUM) != arrays_checksum(tensors, metadata):
        raise InputError(f"damaged: its content is not what was written; {advice}", path=file)
    return metadata, tensors


def _differing(saved: dict[str, Any], ours: dict[str, Any]) -> list[str]:
    """Return what two runs differ in; of options, which of them."""
    found: set[str] = set()
    for name in saved.keys() | ours.keys():
        one, other = saved.get(name), ours.get(name)
        if isinstance(one, dict) and isinstance(other, dict):
            found.update(_differing(one, other))
        elif one != other:
            found.add(name)
    return sorted(found)
