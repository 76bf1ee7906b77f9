"""Pairs of made-up languages, and a tiny encoder to align them: for tests in several processes."""

from pathlib import Path
from typing import Any

import numpy as np

WORDS = [
    "fox", "dog", "forest", "school", "morning", "country", "language", "capital", "japan", "china",
    "word", "emoji",
]  # fmt: skip
SOUNDS = {"xx": "qu", "yy": "зы"}


def made_pairs(n: int, *, seed: int = 0) -> tuple[list[str], list[str], list[str]]:
    """Return sources, targets and languages: a target says every word with its own sound."""
    generator = np.random.default_rng(seed)
    said: dict[str, str] = {}
    while len(said) < n:
        words = generator.choice(WORDS, size=int(generator.integers(2, 7)), replace=False)
        lang = ("xx", "yy")[len(said) % 2]
        said.setdefault(" ".join(words), " ".join(SOUNDS[lang] + word[::-1] for word in words))
    langs = [("xx", "yy")[number % 2] for number in range(n)]
    return list(said), list(said.values()), langs


def aligned(encoder: Path, **options: Any) -> Any:
    """Return a `SentenceAligner` fitted on a few made-up pairs."""
    from isogloss.align import SentenceAligner
    from isogloss.encode import Encoder

    sources, targets, langs = made_pairs(options.pop("n", 41))
    training = {"epochs": 2, "batch_size": 16, "learning_rate": 1e-3} | options
    base = Encoder.load(encoder, threads=1)
    return SentenceAligner(base, training=training).fit(sources, targets, langs)


def dual_encoder(encoder: Path, **objective: Any) -> Any:
    """Return the module that is trained, the examples it is trained on, and its tokenizer."""
    from isogloss.align.training.dual_encoder import DualEncoder
    from isogloss.align.training.objective import Objective
    from isogloss.encode import Encoder
    from isogloss.encode.plan import make_plan
    from isogloss.learn.tuned_encoder import trainable_network

    base = Encoder.load(encoder, device="cpu", threads=1)
    network = trainable_network(base, "cpu")
    plan = make_plan(base.settings, n_layers=base.n_layers, has_pooler=False, has_dense=False)
    chosen = {"margin": 0.1, "scale": 5.0, "learns_scale": True} | objective
    return DualEncoder(network, plan, Objective(**chosen)), base


def examples(base: Any, n: int, *, has_negatives: bool = False, has_teacher: bool = False) -> Any:
    """Return tokenised pairs, with negatives, of some pairs none, and random teacher's vectors."""
    from isogloss.align import Pairs
    from isogloss.align.training.distillation import TeacherVectors
    from isogloss.align.training.tokenized_pairs import tokenized_pairs

    sources, targets, langs = made_pairs(n)
    negatives = None
    if has_negatives:  # the first pair has none, the second one, the third two, and so on
        negatives = [[targets[(row + 3 + j) % n] for j in range(row % 3)] for row in range(n)]
    teacher = None
    if has_teacher:
        vectors = np.random.default_rng(7).normal(size=(n, base.width)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        teacher = TeacherVectors(vectors, np.arange(n))
    pairs = Pairs(sources, targets, langs, negatives)
    return tokenized_pairs(pairs, base.tokenizer).examples(base.tokenizer, teacher=teacher)


def gradients(encoder: Path, *, n: int = 41, everything: bool = False) -> dict[str, Any]:
    """Return the gradients of the loss of one batch, which the processes of `torchrun` share.

    `everything`: with hard negatives and a teacher.
    """
    import torch

    from isogloss.train.order import share_of
    from isogloss.train.processes import joined_processes

    module, base = dual_encoder(encoder, distillation_weight=0.7)
    module.eval()
    made = examples(base, n, has_negatives=everything, has_teacher=everything)
    with joined_processes(torch.device("cpu")) as processes:
        share = share_of(np.arange(n), None, rank=processes.rank, size=processes.size)
        (module.loss(made.collate(share.tolist())) / n).backward()
        trained = {name: one for name, one in module.named_parameters() if one.grad is not None}
        processes.sum_gradients(list(trained.values()), set())
    return {name: one.grad.clone() for name, one in trained.items() if one.grad is not None}
