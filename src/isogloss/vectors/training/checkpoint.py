"""The state of a training between two epochs, in a file: both matrices and the schedule."""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Floats2d
from isogloss.memory import check_disk
from isogloss.storage.array_file import atomic_part
from isogloss.storage.files import damage_in_one_sentence, parse_json
from isogloss.storage.tensor_file import map_sealed, tensor_metadata, write_sealed
from isogloss.vectors.training.schedule import Schedule


def checkpoint_in(folder: Path, made_with: dict[str, Any]) -> Path:
    """Return the file of a training among those of others, named by what it is made with."""
    known_by = hashlib.sha256(json.dumps(made_with, sort_keys=True).encode()).hexdigest()
    return folder / f"training-{known_by[:16]}.bin"


def check_room(path: Path, n_bytes: int, n_to_write: int) -> None:
    """Stop where the disk is too small: an old checkpoint stays until the new one is whole.

    Parameters
    ----------
    n_bytes
        Size of a checkpoint.
    n_to_write
        How many are still to be written, one after the other.
    """
    n_there = 1 if path.is_file() else 0
    n_more = min(n_to_write, 2 - n_there)
    check_disk(
        path.parent, n_more * n_bytes, "checkpoints of the training",
        advice="give --work on a larger disk",
    )  # fmt: skip


def write_checkpoint(
    path: Path, made_with: dict[str, Any], schedule: Schedule, n_pairs: int,
    inputs: Floats2d, outputs: Floats2d,
) -> None:  # fmt: skip
    """Write the state after an epoch; as large as both matrices, and whole or not at all."""
    arrays = {"inputs": inputs, "outputs": outputs, "left": schedule.left}
    state = {**schedule.state(), "n_pairs": n_pairs}
    with atomic_part(path) as temporary:
        facts = {"made_with": json.dumps(made_with), "state": json.dumps(state)}
        write_sealed(temporary, arrays, facts)


def read_checkpoint(
    path: Path, made_with: dict[str, Any], schedule: Schedule, inputs: Floats2d, outputs: Floats2d
) -> int | None:
    """Restore the state of the same training; return its pairs so far, None if there is none.

    Parameters
    ----------
    made_with
        Options and sizes, as JSON holds them; a file that was made with others is passed over.
    """
    if not path.is_file():
        return None
    facts = tensor_metadata(path) or {}
    if facts.get("made_with") != json.dumps(made_with):
        return None
    with damage_in_one_sentence(path, advice="remove it"):
        arrays, facts = map_sealed(path, advice="remove it")
        state = parse_json(facts["state"])
        schedule.restore(state, np.array(arrays["left"]))
        inputs[:], outputs[:] = arrays["inputs"], arrays["outputs"]
        return int(state["n_pairs"])
