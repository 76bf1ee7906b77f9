"""Small fitted classifiers, shared by the tests of this folder; see `planted`."""

import runpy
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch
from planted import ENTITIES, FakeEncoder, english, write_names
from repository import HELPERS

from isogloss.classify import TextClassifier
from isogloss.errors import OmissionWarning
from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.learn.search import Search

Fit = Callable[..., TextClassifier]


COARSE = Search(
    C_values=(0.01, 0.1, 1.0), n_repeats=1, C_values_of_vote=(0.01, 0.03),
    strengths=(0.0, 0.5, 1.0, 3.0), half_counts=(1.0, 10.0), sharpnesses=(1.0, 2.0),
    n_joint_steps=20, n_vote_steps=5,
)  # fmt: skip


@pytest.fixture(scope="session", autouse=True)
def _small_search() -> Iterator[None]:
    """One core and a coarse search of hyper-parameters, to be quick."""
    n_threads = torch.get_num_threads()
    torch.set_num_threads(1)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(TextClassifier, "search", COARSE)
        yield
    torch.set_num_threads(n_threads)


@pytest.fixture(scope="session")
def kb_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kb")
    file = write_names(folder / "names.jsonl", ENTITIES)
    return build_knowledge_base([f"names:{file}"], folder / "kb").path


@pytest.fixture(scope="session")
def kb(kb_path: Path) -> KnowledgeBase:
    return KnowledgeBase.open(kb_path)


@pytest.fixture(scope="session")
def encoder() -> FakeEncoder:
    return FakeEncoder()


@pytest.fixture(scope="session")
def fit(kb: KnowledgeBase, encoder: FakeEncoder) -> Fit:
    """Return a function that fits on the English texts; the same options give the same model."""
    fitted: dict[str, TextClassifier] = {}

    def fit(**options: Any) -> TextClassifier:
        key = repr(sorted((name, repr(value)) for name, value in options.items()))
        if key not in fitted:
            model = TextClassifier(**{"encoder": encoder, "kb": kb} | options)
            fitted[key] = model.fit(*english(), lang="en")
        return fitted[key]

    return fit


@pytest.fixture(scope="session", params=["encoder only", "mboe", "mboe-plus"])
def model(request: pytest.FixtureRequest, fit: Fit) -> TextClassifier:
    """Each kind of classifier."""
    return fit(kb=None) if request.param == "encoder only" else fit(preset=request.param)


@pytest.fixture(scope="session", params=["mboe", "mboe-plus"])
def entity_model(request: pytest.FixtureRequest, fit: Fit) -> TextClassifier:
    """Each kind of classifier with entities."""
    return fit(preset=request.param)


@pytest.fixture(scope="session")
def tiny_directory(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A random transformers model on disk."""
    maker = runpy.run_path(str(HELPERS / "tiny_models.py"))["build_tiny"]
    return maker(tmp_path_factory.mktemp("tiny") / "bert", kind="bert")


@pytest.fixture
def quiet() -> Iterator[None]:
    """Losses are expected and not what the test is about."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OmissionWarning)
        yield
