"""Few documents, classes without entities, an encoder that says nothing."""

from typing import Any

import numpy as np
import pytest
from planted import ENTITIES, JAPANESE, FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.errors import OmissionWarning
from isogloss.kb import KnowledgeBase
from isogloss.vectors import EntityVectors
from isogloss.vectors.entity_vectors import random_vectors

TEXTS = [text for text, _ in JAPANESE]
IDS = [record["id"] for record in ENTITIES]


@pytest.mark.parametrize("preset", [None, "mboe", "mboe-plus"])
@pytest.mark.parametrize(
    ("texts", "labels"),
    [
        (["Toyota stock", "CERN atom"], ["money", "space"]),
        (["Toyota stock", "atom"], ["money", "space"]),
        (["CERN", "Toyota price", "goal", "Toyota stock"], ["space", "money", "sport", "money"]),
        (["", ""], ["a", "b"]),
        (["Toyota"] * 6, ["a", "b", "a"] * 2),
        ([f"word{i // 2} Toyota" for i in range(200)], [f"c{i // 2}" for i in range(200)]),
    ],
    ids=["two", "one linked", "single", "empty", "constant", "100 classes"],
)
@pytest.mark.filterwarnings(
    "error::RuntimeWarning",
    "error::UserWarning",
    "ignore:.*without a word",
    "ignore:.*under different labels",
    "ignore:.*texts empty",
)
def test_few_documents(
    kb: KnowledgeBase, encoder: FakeEncoder, preset: Any, texts: list[str], labels: list[str]
) -> None:
    options = {"kb": None} if preset is None else {"kb": kb, "preset": preset}
    model = TextClassifier(encoder, **options).fit(texts, labels, lang="en")
    found = model.predict_proba([*TEXTS, *texts], ["ja"] * len(TEXTS) + ["en"] * len(texts))
    assert np.isfinite(found).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_an_encoder_that_says_nothing_leaves_it_to_the_entities(kb: KnowledgeBase) -> None:
    class Constant(FakeEncoder):
        def _sum(self, words: list[str], pooling: str | None) -> Any:
            return np.full(self.width, 0.5)

    given = EntityVectors(IDS, random_vectors(IDS, 12, seed=9, root_mean_square=0.3))
    texts, labels = english(64)
    model = TextClassifier(Constant(), kb, init=given).fit(texts, labels, lang="en")
    found = model.predict_proba(["ウィンブルドン", "トヨタ", ""], "ja")
    assert np.isfinite(found).all()
    assert model.head_.mixture.strength > 0
    shares = [labels.count(label) / 64 for label in model.classes_]
    shares = [labels.count(label) / 64 for label in model.classes_]
    np.testing.assert_allclose(found[2], shares, atol=1e-3)


def test_a_class_without_entities_stays_possible_for_a_text_with_one(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    texts, labels = ["Toyota stock", "CERN atom", "goal match"], ["money", "space", "sport"]
    model = TextClassifier(encoder, kb).fit(texts, labels, lang="en")
    probability = model.predict_proba(["goal match Wimbledon"], "en")[0]
    assert probability[model.classes_ == "sport"] > 0.05


def test_a_class_without_entities_does_not_switch_the_others_off(
    kb: KnowledgeBase, encoder: FakeEncoder
) -> None:
    texts, labels = english(90)
    kept = [(t, y) for t, y in zip(texts, labels, strict=True) if y != "sport" or t.islower()]
    model = TextClassifier(encoder, kb).fit(*zip(*kept, strict=True), lang="en")
    assert model.head_.mixture.strength > 0


def test_training_texts_without_a_word_are_said(encoder: FakeEncoder) -> None:
    texts, labels = english(12)
    with pytest.warns(OmissionWarning, match="2 training texts without a word"):
        TextClassifier(encoder).fit([*texts, "", " \n"], [*labels, "sport", "money"])
