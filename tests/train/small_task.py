"""A tiny module with an embedding, sentences of numbers, and what the loop needs of them."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import save_file
from torch import nn

from isogloss.train import Checkpoints, TrainingOptions, TrainingResult, train

N_ROWS, WIDTH, N_CLASSES = 60, 8, 3


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

    def __getitem__(self, index: int) -> tuple[Any, int]:
        return self.ids[index], self.gold[index]


def collate(examples: list[tuple[Any, int]]) -> tuple[torch.Tensor, torch.Tensor]:
    longest = max(len(ids) for ids, _ in examples)
    padded = np.full((len(examples), longest), -1)
    for row, (ids, _) in enumerate(examples):
        padded[row, : len(ids)] = ids
    return torch.from_numpy(padded), torch.tensor([gold for _, gold in examples])


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
        ids, gold = collate([dev[index] for index in range(len(dev))])
        logits = module(ids)
        right = float((logits.argmax(1) == gold).float().mean())
        return right, -float(nn.functional.cross_entropy(logits, gold))

    chosen = {"epochs": 4, "batch_size": 8, "learning_rate": 0.01, "max_tokens": 24} | options
    return train(
        module, data, collate=collate, loss=loss, options=TrainingOptions(**chosen), seed=seed,
        lengths=data.lengths, score=score if with_score else None, checkpoints=checkpoints,
        run=run,
    )  # fmt: skip


def weights(module: nn.Module) -> dict[str, Any]:
    return {name: value.detach().numpy().copy() for name, value in module.named_parameters()}


def same(one: dict[str, Any], other: dict[str, Any]) -> bool:
    return all(np.array_equal(one[name], other[name]) for name in one)


def task(out: Path, folder: Path, sparse: bool) -> None:
    """Train slowly enough to be killed, with a checkpoint at every step, and write the weights."""
    module = Small(dropout=0.2, sparse=sparse)
    fit(module, checkpoints=Checkpoints(folder, seconds=0), after_step=lambda: time.sleep(0.002),
        average_checkpoints=2, epochs=6)  # fmt: skip
    save_file({name: value.detach() for name, value in module.named_parameters()}, out)


def main(out: str, folder: str, sparse: str, *moments: str) -> None:
    """Run the task in a process for each moment, killed then; at last in one that is not."""
    torch.set_num_threads(1)
    n_killed = 0
    for moment in (*moments, None):
        child = os.fork()
        if child == 0:
            task(Path(out), Path(folder), sparse == "sparse")
            os._exit(0)
        if moment is not None:
            time.sleep(float(moment))
            os.kill(child, signal.SIGKILL)
        n_killed += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    sys.stdout.write(str(n_killed))


if __name__ == "__main__":
    main(*sys.argv[1:])
