"""A tiny module with an embedding, sentences of numbers, and what the loop needs of them."""

import importlib
import os
import shutil
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

import isogloss
from isogloss.train import Checkpoints, TrainingOptions, TrainingResult, train

N_ROWS, WIDTH, N_CLASSES = 60, 8, 3
OURS = (str(Path(isogloss.__file__).parent), __file__)


class Small(nn.Module):
    """The mean of the embeddings of some numbers, and a linear classifier with dropout."""

    def __init__(self, *, dropout: float = 0.0, sparse: bool = False, seed: int = 0) -> None:
        super().__init__()
        with torch.random.fork_rng():
            torch.manual_seed(seed)
            self.embedding = nn.Embedding(N_ROWS, WIDTH, sparse=sparse)
            self.hidden = nn.Linear(WIDTH, WIDTH)
            self.classify = nn.Linear(WIDTH, N_CLASSES)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids: torch.Tensor) -> torch.Tensor:
        mask = (ids >= 0).float()
        vectors = self.embedding(ids.clamp(min=0)) * mask[..., None]
        mean = vectors.sum(1) / mask.sum(1, keepdim=True)
        return self.classify(self.dropout(torch.tanh(self.hidden(mean))))


class Sentences:
    """n sentences of 2 to 9 numbers below 50; the class is the most frequent remainder by 3."""

    def __init__(self, n: int = 50, *, seed: int = 3) -> None:
        rng = np.random.default_rng(seed)
        self.lengths = rng.integers(2, 10, n)
        self.ids = [rng.integers(0, 50, length) for length in self.lengths]
        self.gold = [int(np.bincount(ids % 3, minlength=3).argmax()) for ids in self.ids]

    def __len__(self) -> int:
        return len(self.ids)

    def collate(self, rows: list[int]) -> tuple[torch.Tensor, torch.Tensor]:
        """Return a batch of some sentences."""
        padded = np.full((len(rows), max(self.lengths[rows])), -1)
        for place, row in enumerate(rows):
            padded[place, : self.lengths[row]] = self.ids[row]
        return torch.from_numpy(padded), torch.tensor([self.gold[row] for row in rows])


def fit(
    module: nn.Module,
    *,
    with_score: bool = True,
    checkpoints: Checkpoints | None = None,
    after_step: Any = None,
    seed: int = 5,
    n: int = 50,
    run: dict[str, Any] | None = None,
    **options: Any,
) -> TrainingResult:
    data, dev = Sentences(n), Sentences(30, seed=4)

    def loss(batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        if after_step is not None:
            after_step()
        return nn.functional.cross_entropy(module(batch[0]), batch[1], reduction="sum")

    def score() -> tuple[float, ...]:
        ids, gold = dev.collate([*range(len(dev))])
        logits = module(ids)
        right = float((logits.argmax(1) == gold).float().mean())
        return right, -float(nn.functional.cross_entropy(logits, gold))

    chosen = {"epochs": 4, "batch_size": 8, "learning_rate": 0.01, "max_tokens": 24} | options
    return train(
        module, data, loss=loss, options=TrainingOptions(**chosen), seed=seed,
        score=score if with_score else None, checkpoints=checkpoints, run=run,
    )  # fmt: skip


def weights(module: nn.Module) -> dict[str, Any]:
    return {name: value.detach().numpy().copy() for name, value in module.named_parameters()}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in one)


def task(out: Path, folder: Path, sparse: bool) -> None:
    """Train with a checkpoint at every step, and write the weights."""
    module = Small(dropout=0.2, sparse=sparse)
    fit(module, checkpoints=Checkpoints(folder, seconds=0), average_checkpoints=2, epochs=6)
    save_file({name: value.detach() for name, value in module.named_parameters()}, out)


def in_a_child(work: Callable[[], None], *, killed_after: int | None = None) -> int | None:
    """Do the work in a process of its own; return how many calls isogloss and this file made in it.

    Parameters
    ----------
    killed_after
        So many calls and returns; the process is then killed where it stands, and None returned.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        n_calls = 0

        def count(frame: FrameType, *_: Any) -> None:
            nonlocal n_calls
            if not frame.f_code.co_filename.startswith(OURS):
                return
            n_calls += 1
            if n_calls == killed_after:
                os.kill(os.getpid(), signal.SIGKILL)

        sys.setprofile(count)
        work()
        sys.setprofile(None)
        os.write(writer, str(n_calls).encode())
        os._exit(0)
    os.close(writer)
    status = os.waitpid(child, 0)[1]
    with os.fdopen(reader) as file:
        said = file.read()
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return None
    if status:
        raise RuntimeError(f"the task ended with {status}")
    return int(said)


def main(root: str, sparse: str, *shares: str) -> None:
    """Run the task unbroken, and for each share of its calls killed there and then resumed.

    Writes ``unbroken``, and ``0``, ``1``, … for the shares, with the folder of the checkpoints as
    the kill left it in ``0.run``, ``1.run``, …; says how many were killed.
    """
    torch.set_num_threads(1)
    importlib.import_module("torch._dynamo")  # takes seconds, which each child would take anew
    place = Path(root)

    def run(name: str, killed_after: int | None = None) -> int | None:
        folder = place / f"{name}.resumed"
        made = place / name
        return in_a_child(lambda: task(made, folder, sparse == "sparse"), killed_after=killed_after)

    n_calls, n_killed = run("unbroken"), 0
    assert n_calls is not None
    for number, share in enumerate(shares):
        n_killed += run(str(number), max(1, int(float(share) * n_calls))) is None
        folder = place / f"{number}.resumed"
        if folder.exists():
            shutil.copytree(folder, place / f"{number}.run")
        run(str(number))
    sys.stdout.write(str(n_killed))


if __name__ == "__main__":
    main(*sys.argv[1:])
