"""What each entity adds to a class: equal to leaving it out by hand."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import english, label_sets, write_names

from isogloss.classify import TextClassifier, fitted
from isogloss.classify.answers.columns import mentions_of
from isogloss.classify.evaluate import direction
from isogloss.classify.evaluate.direction import log_odds_of_entities
from isogloss.classify.evaluate.evidence import entity_evidence
from isogloss.classify.heads.mboe_plus import Mixture
from isogloss.classify.shift import ShiftCorrection
from isogloss.kb import KnowledgeBase, build_knowledge_base

Fit = Callable[..., TextClassifier]
TEXTS = [
    "トヨタと国技館、レアル・マドリード。", "nothing", "Mars, CERN, a Toyota in the World Bank", "",
    "Wimbledon",
]  # fmt: skip
LANGS = ["ja", "en", "en", None, "en"]
pytestmark = [
    pytest.mark.usefixtures("quiet"), pytest.mark.filterwarnings("ignore::UserWarning")
]  # fmt: skip


def weighing(model: TextClassifier) -> TextClassifier:
    """Return the model with entities that count, whatever was chosen on so few texts."""
    made = copy(model)
    if hasattr(model.head_, "mixture"):
        head = replace(model.head_, mixture=Mixture(0.8, 1.0))
        made.fitted_ = replace(model.fitted_, head=head)
    return made


def odds(probabilities: Any) -> Any:
    return np.log(probabilities) - np.log1p(-probabilities)


def slow(model: TextClassifier) -> Any:
    """Return what each pair adds, one document without one entity at a time."""
    fitted = model.fitted_
    documents = fitted.prepare(TEXTS, LANGS)
    whole, found = fitted.probabilities(documents), []
    for row in range(len(TEXTS)):
        one = documents.select(np.array([row]))
        for pair in range(len(one.bags.entity)):
            kept = np.arange(len(one.bags.entity)) != pair
            without = fitted.probabilities(replace(one, bags=one.bags.keep(kept)))
            found.append(odds(whole[row]) - odds(without[0]))
    return np.array(found)


@pytest.mark.parametrize("attention", [True, "mean", "sum"])
def test_it_is_the_answer_less_that_without_the_entity(
    entity_model: TextClassifier, fit: Fit, attention: bool | str
) -> None:
    model = weighing(fit(preset=entity_model.preset, attention=attention))
    added = log_odds_of_entities(model.fitted_, model.fitted_.prepare(TEXTS, LANGS))
    expected = slow(model)
    assert len(expected) > 6
    assert np.abs(expected).max() > 0.01
    assert np.abs(added - expected).max() < 1e-6


def test_parts_change_nothing(entity_model: TextClassifier, monkeypatch: Any) -> None:
    model = weighing(entity_model)
    documents = model.fitted_.prepare(TEXTS * 3, LANGS * 3)
    whole = log_odds_of_entities(model.fitted_, documents)
    monkeypatch.setattr(fitted, "N_PAIRS_AT_ONCE", 5)
    assert np.abs(log_odds_of_entities(model.fitted_, documents) - whole).max() < 1e-6


def test_a_correction_of_the_language_holds_for_both_sides(entity_model: TextClassifier) -> None:
    model = weighing(entity_model)
    correction = ShiftCorrection(np.linspace(-1, 1, 12), 0.7, 50)
    model.fitted_ = model.fitted_.with_correction("ja", correction)
    added = log_odds_of_entities(model.fitted_, model.fitted_.prepare(TEXTS, LANGS))
    assert np.abs(added - slow(model)).max() < 1e-6


def test_one_entity_adds_what_all_add(fit: Fit) -> None:
    model = weighing(fit())
    explanation = model.explain("Wimbledon", "en")
    (entity,) = explanation.entities
    with_it, without = (
        np.array([*side.values()])
        for side in (explanation.probabilities, explanation.probabilities_without_entities)
    )
    added = odds(with_it) - odds(without)
    assert entity.adds == pytest.approx(added[with_it.argmax()])
    assert entity.raises == model.classes_[added.argmax()]
    assert entity.raises_by == pytest.approx(added.max())
    assert entity.raises_by > 0


def test_entities_without_weight_add_nothing(fit: Fit) -> None:
    model = copy(fit())
    model.fitted_ = replace(model.fitted_, head=replace(model.head_, mixture=Mixture(0.0, 1.0)))
    entities = model.explain("Toyota, Mars", "en").entities
    assert entities
    assert {(one.adds, one.raises, one.raises_by) for one in entities} == {(0.0, None, 0.0)}


def test_of_label_sets_the_likeliest_label_counts(encoder: Any, kb: Any) -> None:
    model = TextClassifier(encoder, kb, multilabel=True).fit(*label_sets(), lang="en")
    model = weighing(model)
    explanation = model.explain("Wimbledon", "en")
    (entity,) = explanation.entities
    best = max(explanation.probabilities, key=explanation.probabilities.__getitem__)
    expected = odds(explanation.probabilities[best]) - odds(
        explanation.probabilities_without_entities[best]
    )
    assert entity.adds == pytest.approx(expected)


def test_a_link_for_ids_of_wikidata_alone(tmp_path: Any, encoder: Any) -> None:
    records = [
        {"id": name, "names": {"en": [word]}}
        for name, word in [("Q6", "Toyota"), ("omw:1-n", "Mars"), ("Q0", "CERN"), ("Q7a", "Nobel")]
    ]
    file = write_names(tmp_path / "names.jsonl", records)
    kb = KnowledgeBase.open(build_knowledge_base([f"names:{file}"], tmp_path / "kb").path)
    model = TextClassifier(encoder, kb).fit(*english(), lang="en")
    fitted, texts = model.fitted_, ["Toyota Mars CERN Nobel"]
    (entities,) = entity_evidence(fitted, texts, fitted.prepare(texts, "en"))
    assert {one.id: one.link for one in entities} == {
        "Q6": "https://www.wikidata.org/wiki/Q6", "omw:1-n": None, "Q0": None, "Q7a": None
    }  # fmt: skip
    (record, *_) = mentions_of(entities)
    assert list(record) == [
        "id", "title", "start", "end", "weight", "adds", "raises", "raises_by", "link"
    ]  # fmt: skip


def test_an_answer_that_is_certain_has_finite_odds() -> None:
    certain = np.array([[0.0, -np.inf, -1e-20], [-1e-9, -50.0, np.log(0.5)]])
    found = direction._log_odds(certain)
    assert np.isfinite(found[:, [0, 2]]).all()
    assert found[1, 2] == pytest.approx(0.0)
    assert found[0, 1] == -np.inf
