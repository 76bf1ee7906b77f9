"""A server in this process, of a tiny random encoder and a small knowledge base."""

import json
import runpy
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from cli_world import ENTITIES, TRAIN
from repository import HELPERS
from served_models import URL, Open

from isogloss.classify import TextClassifier
from isogloss.classify.audit.saved import AuditedLanguage, save_audits
from isogloss.classify.saving.load import load_classifier
from isogloss.classify.saving.manifest import read_manifest
from isogloss.kb import build_knowledge_base
from isogloss.learn.search import Search
from isogloss.serve.application import application
from isogloss.serve.limits import Limits
from isogloss.serve.security import Access
from isogloss.serve.served import ServedModel

COARSE = Search(
    C_values=(0.01, 0.1), n_repeats=1, C_values_of_vote=(0.01, 0.03), strengths=(0.0, 1.0),
    half_counts=(1.0,), sharpnesses=(1.0,), n_joint_steps=5, n_vote_steps=5,
)  # fmt: skip
AUDIT = AuditedLanguage(
    accuracy=0.8, low=0.7, high=0.88, n=50, n_unsure=2, is_blind=True, by_class=False,
    date="2026-05-01", data="inbox.csv", sheet="0" * 64,
)  # fmt: skip


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A saved model with entities and examples, audited in Japanese."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    root = tmp_path_factory.mktemp("served")
    maker = runpy.run_path(str(HELPERS / "tiny_models.py"))["build_tiny"]
    encoder = maker(root / "encoder", kind="bert")
    names = root / "names.jsonl"
    names.write_text("".join(json.dumps(entity) + "\n" for entity in ENTITIES), "utf-8")
    kb = build_knowledge_base([f"names:{names}"], root / "kb").path
    classifier = TextClassifier(encoder, kb, preset="mboe", keep_examples=True)
    classifier.search = COARSE
    labels, texts = zip(*TRAIN, strict=True)
    classifier.fit([*texts], [*labels], "en").save(root / "model")
    save_audits(root / "model", {"ja": AUDIT})
    yield root / "model"
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="session")
def served(model: Path) -> ServedModel:
    loaded = load_classifier(
        model, encoder=None, kb=None, device="cpu", threads=None, cache=None
    ).fitted
    return ServedModel.of(loaded, read_manifest(model), model)


@pytest.fixture(scope="session")
def opened(served: ServedModel) -> Iterator[Open]:
    """Return a function: how a server is opened → a client of it; it is opened once each way."""
    from starlette.testclient import TestClient

    clients: dict[str, Any] = {}

    def client(**how: Any) -> Any:
        key = repr(sorted(how.items()))
        if key not in clients:
            access = Access(**{name: how.pop(name) for name in ("host", "token") if name in how})
            app = application(served, access=access, limits=Limits(**how))
            clients[key] = TestClient(app, base_url=URL, raise_server_exceptions=False)
            clients[key].__enter__()
        return clients[key]

    yield client
    for one in clients.values():
        one.__exit__(None, None, None)


@pytest.fixture
def client(opened: Open) -> Any:
    """A client of a server as it is by default."""
    return opened()
