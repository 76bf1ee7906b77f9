"""`classify predict` over parts as processes of their own: a model that is quick, and rows enough.

The encoder is a static one in model2vec's format, with a vector for each of some words.
"""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow
from pyarrow import parquet
from static_encoders import write_static

N_WORDS, WIDTH, N_PARTS = 300, 16, 8
AFTERWARDS = ["_run.json", "_summary.json"]  # beside the parts of a run that ended well
SUMMARY = AFTERWARDS[1]


@dataclass(frozen=True)
class Task:
    """A model and a corpus."""

    model: Path
    corpus: Path

    def words(self, out: Path, *more: object) -> list[str]:
        """Return the words of the command."""
        words = ["classify", "predict", self.model, self.corpus, "--threads", 1, "--out", out]
        return [str(word) for word in (*words, *more)]

    def start(self, out: Path, *more: object) -> subprocess.Popen[str]:
        """Start the command; what it says is in a pipe."""
        command = [sys.executable, "-m", "isogloss", *self.words(out, *more)]
        environment = os.environ | {
            "OMP_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        }  # fmt: skip
        return subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
        )

    def run(self, out: Path, *more: object) -> tuple[int, str]:
        """Run the command; return its exit code, and what it said."""
        process = self.start(out, *more)
        return process.wait(), said_by(process)


def made_task(root: Path, *, rows: int) -> Task:
    """Write an encoder, fit a model, and write a corpus with so many rows a part."""
    encoder, train = _encoder(root / "encoder"), root / "train.jsonl"
    draws = np.random.default_rng(1)
    rows_of_train = [{"text": _text(draws, at % 3), "label": f"l{at % 3}"} for at in range(90)]
    train.write_text("".join(json.dumps(row) + "\n" for row in rows_of_train), "utf-8")
    fit = ["classify", "fit", "--train", f"en={train}", "--encoder", encoder, "--out", root / "m"]
    command = [sys.executable, "-m", "isogloss", *map(str, fit)]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run(command, check=True, capture_output=True, env=environment)
    texts = [_text(draws, at % 3) for at in range(997)]
    (root / "in").mkdir()
    for part in range(N_PARTS):
        ids = list(range(part * rows, (part + 1) * rows))
        table = pyarrow.table({"id": ids, "text": [texts[one % len(texts)] for one in ids]})
        parquet.write_table(table, root / "in" / f"{part}.parquet")
    return Task(root / "m", root / "in")


def said_by(process: subprocess.Popen[str]) -> str:
    """Return what an ended process said."""
    with process:
        assert process.stderr is not None
        return process.stderr.read()


def tables_in(out: Path) -> dict[str, pyarrow.Table]:
    """Return the rows of each part by its name."""
    paths = sorted(out.rglob("*.parquet"))
    return {
        path.name: parquet.read_table(path).replace_schema_metadata(None)
        for path in paths
        if not any(part.startswith(".") for part in path.relative_to(out).parts)
    }


def beside_parts(out: Path) -> list[str]:
    """Return what lies beside the parts, in folders too."""
    return sorted(
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.name.startswith((".", "_"))
    )


def refuse_other(out: Path, whole: Path) -> None:
    """Raise `AssertionError` where the rows of a run are not those of the unbroken one."""
    ours, its = tables_in(out), tables_in(whole)
    assert ours.keys() == its.keys()
    for name, table in its.items():
        assert ours[name].equals(table), name
    assert beside_parts(out) == AFTERWARDS
    mine, unbroken = (json.loads((of / SUMMARY).read_text("utf-8")) for of in (out, whole))
    assert (mine["data"], mine["languages"]) == (unbroken["data"], unbroken["languages"])


def children_of(process: int) -> list[int]:
    """Return the processes that a process started."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    try:
        return [int(one) for one in listed.read_text("ascii").split()]
    except (FileNotFoundError, ProcessLookupError):  # it has ended
        return []


def wait_for(found: object, process: subprocess.Popen[str]) -> None:
    """Wait until a function returns something, or a process has ended."""
    assert callable(found)
    while not found() and process.poll() is None:
        time.sleep(0.002)


def _encoder(folder: Path) -> Path:
    words = {"[UNK]": 0} | {f"w{number}": number + 1 for number in range(N_WORDS)}
    table = np.random.default_rng(0).normal(size=(len(words), WIDTH)).astype(np.float32)
    return write_static(folder, words, {"normalize": True}, embeddings=table)


def _text(draws: np.random.Generator, third: int) -> str:
    numbers: Sequence[int] = draws.integers(N_WORDS // 3, size=8).tolist()
    return " ".join(f"w{third * N_WORDS // 3 + number}" for number in numbers)
