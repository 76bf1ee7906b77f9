"""Two processes of `torchrun` give what one gives, within 1e-5 (sums are in another order)."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from repository import HELPERS
from safetensors.numpy import load_file
from small_task import Small, fit, same, weights

TASK = {"epochs": 3, "n": 41}
PROGRAM = """
import sys; sys.path.insert(0, {folder!r})
from small_task import Small, fit
from pathlib import Path
from safetensors.torch import save_file
import torch
torch.set_num_threads(1)
module = Small(sparse={sparse})
fit(module, **{task})
rank = __import__("os").environ.get("RANK", "0")
save_file({{n: v.detach() for n, v in module.named_parameters()}}, Path({out!r} + rank))
"""


@pytest.mark.full  # alignment has a quick one
@pytest.mark.parametrize("sparse", [False, True])
def test_two_processes_are_one(tmp_path: Path, sparse: bool) -> None:
    script, out = tmp_path / "two.py", str(tmp_path / "two-")
    script.write_text(PROGRAM.format(folder=str(HELPERS), sparse=sparse, out=out, task=TASK))
    subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2",
         str(script)],
        check=True, env=os.environ | {"OMP_NUM_THREADS": "1"}, timeout=200,
    )  # fmt: skip
    first, second = (load_file(out + rank) for rank in "01")
    assert same(first, second)
    one = Small(sparse=sparse)
    fit(one, **TASK)
    for name, value in weights(one).items():
        np.testing.assert_allclose(first[name], value, atol=1e-5)
