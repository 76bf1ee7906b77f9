"""Tiny random models of each kind: encoders, a decoder, encoder-decoders; and texts for them."""

from pathlib import Path

import pytest
from tiny_kinds import build_kind
from tiny_models import TEXTS

KINDS = ("bert", "roberta", "xlm-roberta", "gpt2", "t5", "bart")


@pytest.fixture(scope="session")
def tiny_texts() -> list[str]:
    """Texts of several scripts, some of them twice, none cut off, with words in several."""
    some = [text for text in TEXTS if len(text.encode()) < 44 and "<s>" not in text]
    more = [
        "the fox is quick", "a lazy dog and the fox", "the dog jumps over the brown fox",
        "the 🙂 fox too", "is the fox lazy?", "The fox, the dog.", "quick dog, lazy fox",
    ]  # fmt: skip
    return [*some, *more, *more[:2], "  the  fox is quick "]


@pytest.fixture(scope="session")
def long_texts() -> list[str]:
    return list(TEXTS)


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("tiny")
    return {kind: build_kind(root / kind, kind) for kind in KINDS}


@pytest.fixture(scope="session")
def bert(tiny_models: dict[str, Path]) -> Path:
    return tiny_models["bert"]
