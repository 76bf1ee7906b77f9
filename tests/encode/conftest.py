"""Tiny random encoders with each kind of tokenizer, built here; no network."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tiny_models import TEXTS, build_chain, build_tiny


@pytest.fixture(scope="session")
def texts() -> list[str]:
    return list(TEXTS)


@pytest.fixture(scope="session")
def tiny_models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Directories of three plain transformers models: bert, roberta, xlm-roberta."""
    root = tmp_path_factory.mktemp("tiny")
    return {kind: build_tiny(root / kind, kind=kind) for kind in ("bert", "roberta", "xlm-roberta")}


@pytest.fixture(scope="session")
def tiny(tiny_models: dict[str, Path]) -> Path:
    return tiny_models["bert"]


@pytest.fixture
def tiny_chain(tiny: Path, tmp_path: Path) -> Callable[..., Path]:
    """Return a maker of sentence-transformers directories around the tiny BERT."""

    def make(**options: Any) -> Path:
        return build_chain(tiny, tmp_path / "chain", **options)

    return make
