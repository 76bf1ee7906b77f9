"""Fits of a classifier with its encoder, in processes that are killed and resumed."""

import functools
import importlib
import runpy
import shutil
import sys
from pathlib import Path
from typing import Any

import torch
from planted import english
from repository import HELPERS

from isogloss import TextClassifier
from isogloss.classify.tuning import task as tuned
from isogloss.encode import Encoder
from isogloss.train import Checkpoints

TRAINING = {"epochs": 3, "batch_size": 12, "dev_split": 0.2, "average_checkpoints": 2}
in_a_child: Any = runpy.run_path(str(HELPERS / "small_task.py"))["in_a_child"]


def task(encoder: str, kb: str, made: Path, folder: Path) -> None:
    """Fit as the paper has it, with a checkpoint at every step, and save the model."""
    model = TextClassifier(
        Encoder.load(encoder, device="cpu"), kb, preset="mboe", tune="full", training=TRAINING
    )
    model.fit(*english(), lang="en", checkpoints=folder).save(made)


def main(encoder: str, kb: str, root: str, *shares: str) -> None:
    """Fit unbroken, and for each share of its calls killed there and then resumed.

    Writes the models ``unbroken``, ``0``, ``1``, …; says how many fits were killed.
    """
    torch.set_num_threads(1)
    importlib.import_module("torch._dynamo")  # takes seconds, which each child would take anew
    tuned.Checkpoints = functools.partial(Checkpoints, seconds=0)  # type: ignore[assignment,misc]
    place, n_killed = Path(root), 0

    def run(name: str, killed_after: int | None = None) -> Any:
        made, folder = place / name, place / f"{name}.run"
        return in_a_child(lambda: task(encoder, kb, made, folder), killed_after=killed_after)

    n_calls = run("unbroken")
    for number, share in enumerate(shares):
        name = str(number)
        n_killed += run(name, max(1, int(float(share) * n_calls))) is None
        shutil.rmtree(place / name, ignore_errors=True)  # a model that was just made
        run(name)
    sys.stdout.write(str(n_killed))


if __name__ == "__main__":
    main(*sys.argv[1:])
