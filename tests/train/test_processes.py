"""Two processes of `torchrun` give what one gives, within 1e-5 (sums are in another order)."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from repository import HELPERS
from safetensors.numpy import load_file

TASK = HELPERS / "small_task.py"
PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
from small_task import Small, fit
from pathlib import Path
from safetensors.torch import save_file
import torch
torch.set_num_threads(1)
module = Small(sparse={sparse})
fit(module, epochs=3, n=41)
rank = __import__("os").environ.get("RANK", "0")
save_file({{n: v.detach() for n, v in module.named_parameters()}}, Path({out!r} + rank))
"""


@pytest.mark.parametrize("sparse", [False, pytest.param(True, marks=pytest.mark.full)])
def test_two_processes_are_one(tmp_path: Path, sparse: bool) -> None:
    found = {}
    for name, command in (
        ("one", [sys.executable]),
        ("two", [sys.executable, "-m", "torch.distributed.run", "--standalone",
                 "--nproc-per-node=2"]),
    ):  # fmt: skip
        script = tmp_path / f"{name}.py"
        out = str(tmp_path / f"{name}-")
        script.write_text(PROGRAM.format(folder=str(TASK.parent), sparse=sparse, out=out))
        environment = os.environ | {"OMP_NUM_THREADS": "1"}
        subprocess.run([*command, str(script)], check=True, env=environment, timeout=200)
        found[name] = load_file(out + "0")
    assert all(
        np.array_equal(value, load_file(str(tmp_path / "two-1"))[name])
        for name, value in found["two"].items()
    )
    for name, value in found["one"].items():
        np.testing.assert_allclose(found["two"][name], value, atol=1e-5)
