"""A fit that was killed, at any moment, and resumed gives the model of the unbroken one."""

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from repository import HELPERS

N_KILLS = 20


def content(model: Path) -> dict[str, bytes]:
    return {
        str(file.relative_to(model)): file.read_bytes()
        for file in sorted(model.rglob("*"))
        if file.is_file()
    }


@pytest.mark.full
@pytest.mark.timeout(3600)
def test_a_fit_killed_at_twenty_moments_ends_in_the_same_model(
    tiny_directory: Path, kb_path: Path, tmp_path: Path
) -> None:
    """From its first call to its last, in calls of functions and not in seconds."""
    rng = random.Random(1)
    shares = [(number + rng.random()) / N_KILLS for number in range(N_KILLS - 1)]
    script = HELPERS / "killed_fit.py"
    words = [sys.executable, script, tiny_directory, kb_path, tmp_path, *shares, 0.9999]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        list(map(str, words)), env=environment, check=True, capture_output=True
    )  # fmt: skip
    assert int(ended.stdout) == N_KILLS
    unbroken = content(tmp_path / "unbroken")
    assert "encoder/model.safetensors" in unbroken
    for number in range(N_KILLS):
        assert content(tmp_path / str(number)) == unbroken
