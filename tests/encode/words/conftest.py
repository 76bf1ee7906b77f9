"""Tiny models of each kind; those of the tests of probes, which cut texts into the same words."""

import runpy
from pathlib import Path

import pytest
from repository import ROOT
from tiny_kinds import build_kind

PROBE = runpy.run_path(str(ROOT / "tests" / "probe" / "conftest.py"))
tiny_models, long_texts, bert = (PROBE[name] for name in ("tiny_models", "long_texts", "bert"))


@pytest.fixture(scope="session")
def layered(
    tiny_models: dict[str, Path], tmp_path_factory: pytest.TempPathFactory
) -> dict[str, Path]:
    """One model of each sort of layers and tokens."""
    root = tmp_path_factory.mktemp("layered")
    more = {kind: build_kind(root / kind, kind) for kind in ("deberta-v2", "modernbert")}
    return {kind: tiny_models[kind] for kind in ("bert", "xlm-roberta", "gpt2")} | more
