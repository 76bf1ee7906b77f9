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
    from isogloss.align.sentence_aligner import SentenceAligner
    from isogloss.encode import Encoder

    sources, targets, langs = made_pairs(options.pop("n", 41))
    training = {"epochs": 2, "batch_size": 16, "learning_rate": 1e-3} | options
    base = Encoder.load(encoder, threads=1)
    return SentenceAligner(base, training=training).fit(sources, targets, langs)
