"""What was tried to encode faster: packed weights, int8, and a table of vectors (static).

The bundled encoder, the texts of `encode_speed`, one process, one thread. Each repetition runs
every row once, in turn; medians. "packed" is what isogloss does: linear maps with weights laid out
for oneDNN; "plain" leaves them as torch has them. int8 is the trial that was left out: weights and
activations of every linear map in 8 bits, one scale a tensor, found at run time; the rest in
float32. The static table is random, 256 dimensions, with the bundled tokenizer. Beside the time:
the cosine of each text to its float32 vector, and of a text alone to itself in a batch.

    python benchmarks/encoder_kinds_speed.py --data DIR [--limit 250]
"""

import argparse
import csv
import json
import shutil
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import torch
from safetensors.numpy import save_file

from encode_speed import read_texts
from isogloss.encode import Encoder
from isogloss.encode.bundled.bundled import bundled_directory
from isogloss.encode.weights import packed
from isogloss.report.table import Table

REFERENCE = "float32, packed"
STATIC_WIDTH = 256


class Int8Linear(torch.nn.Module):
    """A linear map in 8 bits: one scale for the weights, one and a zero for the activations."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach()
        self.scale = (weight.abs().max() / 127).reshape(1)
        rounded = (weight / self.scale).round().to(torch.int8)
        self.weight = torch.ops.onednn.qlinear_prepack(rounded, None)
        self.zero = torch.zeros(1, dtype=torch.int64)
        self.bias = linear.bias

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Map (…, in_features) to (…, out_features)."""
        low, high = (float(end) for end in states.aminmax())
        scale = (high - low) / 255 or 1.0
        zero = min(255, max(0, round(-low / scale)))
        rounded = torch.quantize_per_tensor(states, scale, zero, torch.quint8).int_repr()
        product: torch.Tensor = torch.ops.onednn.qlinear_pointwise(
            rounded, scale, zero, self.weight, self.scale, self.zero, self.bias, 1.0, 0,
            torch.float32, "none", [], "",
        )  # fmt: skip
        return product


def load(dtype: str) -> Encoder:
    """Load the bundled encoder; long texts are cut, as in what it is compared with."""
    return Encoder.load("bundled", device="cpu", dtype=dtype, threads=1, long_texts="cut")


def plain(dtype: str) -> Encoder:
    """Load the bundled encoder with its linear maps as torch has them."""
    with patch.object(packed, "pack"):
        return load(dtype)


def int8() -> Encoder:
    """Load the bundled encoder with its linear maps in 8 bits."""
    encoder = plain("float32")
    for module in list(encoder.network.model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is torch.nn.Linear:
                setattr(module, name, Int8Linear(child))
    return encoder


def static(folder: Path) -> Encoder:
    """Write a random table in model2vec's layout, with the bundled tokenizer, and load it."""
    source = bundled_directory()
    shutil.copy(source / "tokenizer.json", folder)
    tokenizer = json.loads((source / "tokenizer.json").read_text("utf-8"))
    n_rows = len(tokenizer["model"]["vocab"]) + len(tokenizer["added_tokens"])
    table = np.random.default_rng(0).standard_normal((n_rows, STATIC_WIDTH), np.float32)
    save_file({"embeddings": table}, folder / "model.safetensors")
    (folder / "config.json").write_text(json.dumps({"model_type": "model2vec", "normalize": True}))
    return Encoder.load(folder, device="cpu", threads=1, long_texts="cut")


def seconds_of(run: Callable[[], Any]) -> float:
    """Return the processor seconds of a call."""
    begin = time.process_time()
    run()
    return time.process_time() - begin


def cosines(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the cosine of each row of one to the same row of the other: (n_rows,)."""
    lengths = np.linalg.norm(one, axis=1) * np.linalg.norm(other, axis=1)
    return np.asarray((one * other).sum(axis=1) / lengths)


def transformers_table(texts: list[str], repetitions: int, n_alone: int) -> Table:
    """Measure the rows that run the whole network."""
    encoders = {
        REFERENCE: load("float32"),
        "float32, plain": plain("float32"),
        "bfloat16, packed": load("bfloat16"),
        "bfloat16, plain": plain("bfloat16"),
        "int8, rest in float32": int8(),
    }
    seconds: dict[str, list[float]] = {name: [] for name in encoders}
    for _ in range(repetitions):
        for name, encoder in encoders.items():
            seconds[name].append(seconds_of(lambda encoder=encoder: encoder.encode(texts)))
    vectors = {name: encoder.encode(texts) for name, encoder in encoders.items()}
    rows = []
    for name, encoder in encoders.items():
        alone = np.vstack([encoder.encode([text]) for text in texts[:n_alone]])
        to_float32 = cosines(vectors[name], vectors[REFERENCE])
        to_itself = cosines(alone, vectors[name][:n_alone])
        spent, reference = np.median(seconds[name]), np.median(seconds[REFERENCE])
        rows.append(
            {
                "encoder": name,
                "CPU s": f"{spent:.2f}",
                "times faster": f"{reference / spent:.2f}",
                "cosine to float32, least": f"{to_float32.min():.5f}",
                "median": f"{np.median(to_float32):.5f}",
                "alone to in a batch, median": f"{np.median(to_itself):.5f}",
            }
        )
    return Table(rows)


def static_row(texts: list[str], repetitions: int) -> dict[str, float]:
    """Measure the static table: texts a CPU-second, and the share of tokenising."""
    with tempfile.TemporaryDirectory() as name:
        encoder = static(Path(name))
        whole = [seconds_of(lambda: encoder.encode(texts)) for _ in range(repetitions)]
        tokens = [seconds_of(lambda: encoder.tokenizer(texts)) for _ in range(repetitions)]
    spent = float(np.median(whole))
    return {
        "texts": len(texts),
        "texts a CPU-second": len(texts) / spent,
        "share of tokenising": float(np.median(tokens)) / spent,
    }


def main() -> None:
    """Measure, write JSON to OUT, print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--repetitions", type=int, default=3)
    parser.add_argument("--limit", type=int, default=250, help="texts for the networks")
    parser.add_argument("--alone", type=int, default=50, help="of these, encoded one by one")
    parser.add_argument("--static-limit", type=int, default=2000, help="texts for the table")
    options = parser.parse_args()
    warnings.filterwarnings("ignore", message="torch.quantize_per_tensor")  # deprecated
    torch.set_num_threads(1)
    csv.field_size_limit(sys.maxsize)
    options.out.mkdir(parents=True, exist_ok=True)
    many = read_texts(options.data, limit=options.static_limit)
    found = static_row(many, options.repetitions)
    print(Table([found]).to_markdown())
    texts = read_texts(options.data, limit=options.limit)
    table = transformers_table(texts, options.repetitions, options.alone)
    print(table.to_markdown())
    kept = {"torch": torch.__version__, "networks": table.rows, "static": found}
    (options.out / "encoder_kinds_speed.json").write_text(json.dumps(kept, indent=1), "utf-8")


if __name__ == "__main__":
    main()
