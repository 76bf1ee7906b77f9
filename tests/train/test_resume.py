"""A run that was killed, at any moment, and resumed is the unbroken run, byte for byte."""

import os
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from small_task import Small, fit, same, weights

from isogloss.errors import InputError
from isogloss.train import Checkpoints

TASK = Path(__file__).with_name("small_task.py")


class KilledError(Exception):
    """Stands for a kill within a process."""


def killer(after: int) -> Any:
    left = [after]

    def tick() -> None:
        left[0] -= 1
        if left[0] < 0:
            raise KilledError

    return tick


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("with_score", [False, True])
def test_stopped_at_every_fifth_micro_batch(tmp_path: Path, sparse: bool, with_score: bool) -> None:
    options = {"average_checkpoints": 2, "with_score": with_score, "patience": 2}
    unbroken = Small(dropout=0.3, sparse=sparse)
    result = fit(unbroken, **options)
    for _ in range(200):
        module = Small(dropout=0.3, sparse=sparse)
        try:
            resumed = fit(module, checkpoints=Checkpoints(tmp_path, seconds=0),
                          after_step=killer(5), **options)  # fmt: skip
            break
        except KilledError:
            continue
    assert resumed == result
    assert same(weights(module), weights(unbroken))
    n_best = len(list(tmp_path.glob("best-*")))
    assert n_best == len(result.best_steps) == 2
    Checkpoints(tmp_path).remove()
    assert not tmp_path.exists()


def test_a_finished_run_is_not_run_again(tmp_path: Path) -> None:
    first, second = Small(), Small()
    fit(first, checkpoints=Checkpoints(tmp_path))
    fit(second, checkpoints=Checkpoints(tmp_path), after_step=killer(0))
    assert same(weights(first), weights(second))


def test_a_damaged_checkpoint_is_said(tmp_path: Path) -> None:
    fit(Small(), checkpoints=Checkpoints(tmp_path), epochs=1)
    file = tmp_path / "checkpoint.safetensors"
    file.write_bytes(file.read_bytes()[:100])
    with pytest.raises(InputError, match="remove it to start again"):
        fit(Small(), checkpoints=Checkpoints(tmp_path), epochs=1)


def test_a_place_that_cannot_hold_checkpoints_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made here"):
        fit(Small(), checkpoints=Checkpoints(tmp_path / "file"), epochs=1)


def killed_at(moments: list[float], out: Path, folder: Path, sparse: str) -> int:
    """Run the task again and again, killed after so many seconds each; return how many were."""
    command = [sys.executable, str(TASK), str(out), str(folder), sparse, *map(str, moments)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    ended = subprocess.run(command, env=environment, check=True, capture_output=True, timeout=250)
    return int(ended.stdout)


def check_kills(tmp_path: Path, n_kills: int, seed: int) -> None:
    sparse = "sparse" if seed % 2 else "dense"
    rng = random.Random(seed)
    moments = [rng.uniform(0.005, 0.3) for _ in range(n_kills)]
    unbroken, out, folder = (tmp_path / name for name in ("unbroken", "out", "run"))
    killed_at([], unbroken, tmp_path / "other", sparse)
    assert killed_at(moments, out, folder, sparse) > 0
    assert out.read_bytes() == unbroken.read_bytes()
    assert not list(folder.glob(".*part"))


def test_killed_at_random_moments(tmp_path: Path) -> None:
    check_kills(tmp_path, 4, seed=0)


@pytest.mark.full
@pytest.mark.parametrize("seed", range(4))
def test_killed_at_twenty_random_moments(tmp_path: Path, seed: int) -> None:
    check_kills(tmp_path, 5, seed)
