"""How much memory `align fit` takes by what is trained: docs/alignment.md.

    python benchmarks/align_memory.py --data DIR [--pairs 256] [--threads N]

Each setting trains the bundled encoder for an epoch in a process of its own, and prints the most
memory that the process held, before and in training, and the seconds it took.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from align import read
from isogloss import Encoder
from isogloss.align import SentenceAligner
from isogloss.report.table import Table

SETTINGS: list[dict[str, Any]] = [
    {},
    {"max_length": 64},
    {"embeddings": "frozen"},
    {"tune": "lora"},
    {"tune": "lora", "max_length": 64},
]


def main() -> None:
    """Print a row a setting; with --one, measure one in this process."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with parallel/")
    parser.add_argument("--pairs", type=int, default=256, help="at most, drawn evenly by language")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one is not None:
        measure(options, json.loads(options.one))
        return
    rows = []
    for setting in SETTINGS:
        words = [sys.executable, *sys.argv, "--one", json.dumps(setting)]
        found = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True)
        rows.append(json.loads(found.stdout))
    print(Table(rows).to_markdown())


def measure(options: argparse.Namespace, setting: dict[str, Any]) -> None:
    """Train, and print what it took."""
    columns = read(options.data / "parallel", n=options.pairs, seed=0, all_rows=False)
    training = {"epochs": 1} | {name: one for name, one in setting.items() if name != "tune"}
    encoder = Encoder.load("bundled", threads=options.threads)
    loaded, began = most_memory(), time.perf_counter()
    SentenceAligner(encoder, tune=setting.get("tune", "full"), training=training).fit(*columns)
    row = {
        "setting": ", ".join(f"{name} {one}" for name, one in setting.items()) or "default",
        "n_pairs": len(columns[0]), "GB_before": loaded, "GB": most_memory(),
        "seconds": round(time.perf_counter() - began),
    }  # fmt: skip
    print(json.dumps(row))


def most_memory() -> str:
    """Return the most that this process has held, in GB."""
    return f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9:.1f}"


if __name__ == "__main__":
    main()
