"""A run that was killed, at any moment, and resumed is the unbroken run, byte for byte."""

import copy
import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from repository import HELPERS
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from small_task import Small, fit, same, weights

from isogloss.errors import InputError
from isogloss.storage.sealed import arrays_checksum
from isogloss.train import Checkpoints

TASK = HELPERS / "small_task.py"
N_STEPS = 7  # of an epoch: 50 sentences, 8 a batch


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


def test_other_files_in_the_folder_of_checkpoints_stay(tmp_path: Path) -> None:
    others = [tmp_path / name for name in (
        "best-of-mine.safetensors", "best-000000001.safetensors", ".mine.safetensors.x.part"
    )]  # fmt: skip
    own = [tmp_path / f".{name}.isogloss-0123abcd.part" for name in (
        "checkpoint.safetensors", "best-00000012.safetensors"
    )]  # fmt: skip
    for file in others:
        file.write_text("")
    for folder in own:
        folder.mkdir()
    fit(Small(), checkpoints=Checkpoints(tmp_path), average_checkpoints=2)
    assert not any(folder.exists() for folder in own)
    Checkpoints(tmp_path).remove()
    assert sorted(tmp_path.iterdir()) == sorted(others)


def test_two_runs_at_once_keep_out_of_each_others_way(tmp_path: Path) -> None:
    with Checkpoints(tmp_path).held(), pytest.raises(InputError, match="in use by another run"):
        fit(Small(), checkpoints=Checkpoints(tmp_path))
    fit(Small(), checkpoints=Checkpoints(tmp_path), epochs=1)


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


@pytest.mark.parametrize("value", [None, -1, float("nan")], ids=repr)
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
        made = metadata | {"progress": json.dumps(progress)}
        save_file(tensors, file, metadata=made | {"checksum": arrays_checksum(tensors, made)})
        try:
            fit(Small(), checkpoints=checkpoints, **options)
        except InputError as error:
            said.append(str(error))
        file.write_bytes(whole)
    assert len(said) > 20
    assert all("remove it" in line and str(file) in line and "\n" not in line for line in said)


def test_best_epochs_that_are_not_those_of_the_scores_are_refused(tmp_path: Path) -> None:
    options = {"epochs": 3, "average_checkpoints": 2}
    fit(Small(), checkpoints=Checkpoints(tmp_path), **options)
    file = tmp_path / "checkpoint.safetensors"
    with safe_open(file, framework="pt") as opened:
        metadata = opened.metadata()
    progress = json.loads(metadata["progress"])
    del progress["best_steps"][0]
    made = metadata | {"progress": json.dumps(progress)}
    tensors = load_file(file)
    save_file(tensors, file, metadata=made | {"checksum": arrays_checksum(tensors, made)})
    with pytest.raises(InputError, match="damaged: its best epochs are not those"):
        fit(Small(), checkpoints=Checkpoints(tmp_path), **options)


def test_a_place_that_cannot_hold_checkpoints_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot be made here"):
        fit(Small(), checkpoints=Checkpoints(tmp_path / "file"), epochs=1)


def test_who_is_told_to_stop_keeps_the_steps_so_far(tmp_path: Path) -> None:
    unbroken = Small(dropout=0.3)
    result = fit(unbroken)
    kept = []
    for n_calls in (8, 20):
        ticks = iter(range(n_calls))

        def tick(left: Iterator[int] = ticks) -> None:
            if next(left, None) is None:
                signal.raise_signal(signal.SIGINT)

        kept_every_hour = Checkpoints(tmp_path, seconds=3600)
        with pytest.raises(KeyboardInterrupt):
            fit(Small(dropout=0.3), checkpoints=kept_every_hour, after_step=tick)
        kept.append(step_in(tmp_path))
    assert all(step is not None and step % N_STEPS for step in kept), "between two epochs' ends"
    module = Small(dropout=0.3)
    assert fit(module, checkpoints=Checkpoints(tmp_path)) == result
    assert same(weights(module), weights(unbroken))


def check_kills(tmp_path: Path, n_kills: int, sparse: str) -> None:
    """Kill runs from their first call to their last, and resume each.

    The moments are counted in calls of functions, not in seconds, so that they lie all over the run
    on any machine: one at its start, one behind its last checkpoint, the others spread between.
    """
    rng = random.Random(n_kills)
    between = [(number + rng.random()) / (n_kills - 2) for number in range(n_kills - 2)]
    shares = [0.0, *between, 0.9999]
    command = [sys.executable, str(TASK), str(tmp_path), sparse, *map(str, shares)]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    ended = subprocess.run(command, env=environment, check=True, capture_output=True)
    assert int(ended.stdout) == n_kills
    steps = [step_in(tmp_path / f"{number}.run") for number in range(n_kills)]
    assert steps[0] is None  # before there was any checkpoint
    assert steps[-1] == step_in(tmp_path / "unbroken.resumed")
    assert len(set(steps)) > n_kills / 2
    for number in range(n_kills):
        assert (tmp_path / str(number)).read_bytes() == (tmp_path / "unbroken").read_bytes()
        assert not list((tmp_path / f"{number}.resumed").glob(".*part"))


def step_in(folder: Path) -> int | None:
    """Return the step of a folder's checkpoint; None where there is none."""
    file = folder / "checkpoint.safetensors"
    if not file.is_file():
        return None
    with safe_open(file, framework="pt") as opened:
        return json.loads(opened.metadata()["progress"])["step"]


@pytest.mark.full
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("sparse", ["dense", "sparse"])
def test_killed_at_twenty_moments_of_the_whole_run(tmp_path: Path, sparse: str) -> None:
    check_kills(tmp_path, 20, sparse)
