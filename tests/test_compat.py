"""What is optional sends nothing when it is imported."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnxruntime")
USES = """
import os
from isogloss.compat import require
runtime = require("onnxruntime", extra="onnx", why="A test")
assert "ORT_DISABLE_TELEMETRY" not in os.environ
import numpy as np
from onnx import TensorProto, helper
values = [helper.make_tensor_value_info(name, TensorProto.FLOAT, [1]) for name in "xy"]
graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", values[:1], values[1:])
model = helper.make_model(graph, ir_version=10, opset_imports=[helper.make_opsetid("", 20)])
session = runtime.InferenceSession(model.SerializeToString())
assert session.run(None, {"x": np.ones(1, np.float32)})[0] == -1
"""


def test_onnxruntime_reports_nothing_and_keeps_no_number_of_the_machine(tmp_path: Path) -> None:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ORT_")}
    env = {**kept, "XDG_CACHE_HOME": str(tmp_path), "HOME": str(tmp_path)}
    subprocess.run([sys.executable, "-c", USES], env=env, cwd=tmp_path, check=True)
    assert list(tmp_path.rglob("*")) == []
