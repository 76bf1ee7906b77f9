"""Tiny random encoders, and a language in which each word has one tag."""

import runpy
from pathlib import Path

import pytest
from repository import HELPERS

TINY = runpy.run_path(str(HELPERS / "tiny_models.py"))
TAG_OF = {
    "the": "DET", "a": "DET", "fox": "NOUN", "dog": "NOUN", "forêt": "NOUN", "首都": "NOUN",
    "quick": "ADJ", "lazy": "ADJ", "brown": "ADJ", "jumps": "VERB", "chantaient": "VERB",
    "是": "VERB", "北京": "PROPN", "日本": "PROPN", ".": "PUNCT", "?": "PUNCT",
}  # fmt: skip


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("tiny")
    return {
        kind: TINY["build_tiny"](root / kind, kind=kind)
        for kind in ("bert", "roberta", "xlm-roberta")
    }


@pytest.fixture(scope="session")
def sentences() -> list[list[str]]:
    import numpy as np

    rng, words = np.random.default_rng(2), list(TAG_OF)
    return [rng.choice(words, size=n).tolist() for n in rng.integers(1, 9, size=60)]


@pytest.fixture(scope="session")
def tags(sentences: list[list[str]]) -> list[list[str]]:
    return [[TAG_OF[word] for word in words] for words in sentences]
