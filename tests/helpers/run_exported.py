"""Run exported classifiers in a process that has no isogloss: its own script, and what calls it."""

import json
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np


def logits_of(
    folder: Path, texts: Sequence[str], more: dict[str, Any] | None = None
) -> np.ndarray[Any, Any]:
    """Return what an exported directory gives for texts, with further inputs of its graph."""
    (folder / "given.json").write_text(json.dumps(list(texts)), "utf-8")
    np.savez(folder / "given.npz", **(more or {}))
    done = subprocess.run(
        [sys.executable, "-W", "error::UserWarning", __file__, folder],
        capture_output=True, text=True, check=False, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert "nrecognized" not in done.stderr
    found = np.load(folder / "found.npy")
    for name in ("given.json", "given.npz", "found.npy"):
        (folder / name).unlink()
    return found


def probabilities(logits: np.ndarray[Any, Any], answers: str = "softmax") -> Any:
    """Return softmax or sigmoid, written out."""
    logits = logits.astype(np.float64)
    if answers == "sigmoid":
        return 1 / (1 + np.exp(-logits))
    raised = np.exp(logits - logits.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)


def _main(folder: Path) -> None:
    texts = json.loads((folder / "given.json").read_text("utf-8"))
    if (folder / "model.onnx").is_file():
        found = _by_onnxruntime(folder, texts)
    else:
        from sentence_transformers import SentenceTransformer

        found = SentenceTransformer(str(folder), device="cpu", local_files_only=True).encode(texts)
    assert not [name for name in sys.modules if name.partition(".")[0] == "isogloss"]
    np.save(folder / "found.npy", found)


def _by_onnxruntime(folder: Path, texts: list[str]) -> Any:
    import onnxruntime
    from tokenizers import Tokenizer

    about = json.loads((folder / "manifest.json").read_text("utf-8"))
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokens = tokenizer.encode_batch([about["prefix"] + text for text in texts])
    given = {
        "input_ids": np.array([one.ids for one in tokens], np.int64),
        "attention_mask": np.array([one.attention_mask for one in tokens], np.int64),
        **np.load(folder / "given.npz"),
    }
    session = onnxruntime.InferenceSession(str(folder / "model.onnx"))
    assert [one.name for one in session.get_inputs()] == about["inputs"]
    return session.run([about["output"]], given)[0]


if __name__ == "__main__":
    _main(Path(sys.argv[1]))
