"""A run that was killed, at any moment, and resumed is the unbroken run, byte for byte."""

import copy
import json
import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from safetensors import safe_open
from safetensors.torch import load_file, save_file
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


def changed(document: Any, value: Any) -> Iterator[Any]:
    """Yield the JSON document with each of its values made another, one at a time."""
    parts = document.items() if isinstance(document, dict) else enumerate(document)
    for key, part in list(parts):
        for other in [value, *(changed(part, value) if isinstance(part, dict | list) else [])]:
            made = copy.copy(document)
            made[key] = other
            yield made


@pytest.mark.parametrize("value", [None, "x", -1, [], {}, 0.5, float("nan"), True], ids=repr)
def test_any_damaged_value_works_or_is_refused_in_one_sentence(tmp_path: Path, value: Any) -> None:
    options = {"epochs": 2, "average_checkpoints": 2, "patience": 1, "run": {"texts": "abc"}}
    checkpoints = Checkpoints(tmp_path)
    fit(Small(), checkpoints=checkpoints, **options)
    file = tmp_path / "checkpoint.safetensors"
    with safe_open(file, framework="pt") as opened:
        metadata = opened.metadata()
    whole, tensors = file.read_bytes(), load_file(file)
    said = []
    for progress in [value, *changed(json.loads(metadata["progress"]), value)]:
        save_file(tensors, file, metadata=metadata | {"progress": json.dumps(progress)})
        try:
            fit(Small(), checkpoints=checkpoints, **options)
        except InputError as error:
            said.append(str(error))
        file.write_bytes(whole)
    assert len(said) > 20
    assert all("remove it" in line and str(file) in line and "\n" not in line for line in said)


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
