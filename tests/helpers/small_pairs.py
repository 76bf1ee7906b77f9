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


def gradients(encoder: Path, *, n: int = 41) -> dict[str, Any]:
    """Return the gradients of the loss of one batch, which the processes of `torchrun` share."""
    import torch

    from isogloss.align.dual_encoder import DualEncoder
    from isogloss.align.pairs import PairExamples, sentence_numbers
    from isogloss.encode import Encoder
    from isogloss.encode.plan import make_plan
    from isogloss.learn.tuned_encoder import trainable_network
    from isogloss.train.order import share_of
    from isogloss.train.processes import joined_processes

    base = Encoder.load(encoder, device="cpu", threads=1)
    network = trainable_network(base, "cpu")
    plan = make_plan(base.settings, n_layers=base.n_layers, has_pooler=False, has_dense=False)
    module = DualEncoder(network, plan, margin=0.1, scale=5.0, learns_scale=True).eval()
    sides = made_pairs(n)[:2]
    examples = PairExamples(
        *(base.tokenizer(side).ids for side in sides), np.stack(sentence_numbers(*sides))
    )
    with joined_processes(torch.device("cpu")) as processes:
        share = share_of(np.arange(n), None, rank=processes.rank, size=processes.size)
        (module.loss(examples.collate(share.tolist())) / n).backward()
        trained = {name: one for name, one in module.named_parameters() if one.grad is not None}
        processes.sum_gradients(list(trained.values()), set())
    return {name: one.grad.clone() for name, one in trained.items() if one.grad is not None}
