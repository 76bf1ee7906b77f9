"""The evidence of one prediction."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace

import numpy as np
import pytest
from planted import ENTITIES

from isogloss.classify import TextClassifier
from isogloss.classify.evaluate.explanation import difference_by_entities, explain
from isogloss.classify.heads.mboe_plus import Mixture
from isogloss.errors import InputError

Fit = Callable[..., TextClassifier]
TEXT = "🙂 トヨタと国技館、トヨタと紅白歌合戦。"
NAMES = {
    record["id"]: {name for names in record["names"].values() for name in names}
    for record in ENTITIES
}


def test_spans_slice_back_to_names(entity_model: TextClassifier) -> None:
    explanation = explain(entity_model.fitted_, TEXT, "ja")
    by_id = {entity.id: entity for entity in explanation.entities}
    assert set(by_id) == {"Q6", "Q12"}  # Q11 has no English name
    assert [TEXT[start:end] for start, end in by_id["Q6"].spans] == ["トヨタ", "トヨタ"]
    assert [TEXT[start:end] for start, end in by_id["Q12"].spans] == ["国技館"]
    assert (by_id["Q6"].title, by_id["Q6"].seen) == ("Toyota", True)
    assert (by_id["Q12"].title, by_id["Q12"].seen) == ("Sumo Hall", False)


@pytest.mark.parametrize("attention", [True, "mean", "sum"])
@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_shares_add_up(fit: Fit, preset: str, attention: bool | str) -> None:
    model = fit(preset=preset, attention=attention)
    shares = [entity.share for entity in model.explain("Mars, CERN, Toyota", "en").entities]
    assert len(shares) == 4
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(1, abs=1e-6)
    assert (len(set(shares)) == 1) == (attention in ("mean", "sum"))


def test_an_ambiguous_name_shows_every_candidate(fit: Fit) -> None:
    entities = {entity.id: entity for entity in fit().explain("Mars", "en").entities}
    assert entities["Q7"].commonness == pytest.approx(0.9)
    assert entities["Q8"].commonness == pytest.approx(0.1)
    assert entities["Q7"].spans == entities["Q8"].spans == [(0, 4)]
    cern = fit().explain("CERN", "en").entities[0]
    assert (cern.link_probability, cern.commonness) == (0.5, 1.0)


def test_the_difference_of_each_text_is_that_of_its_explanation(fit: Fit) -> None:
    model = fit()
    texts, label = [TEXT, "CERN", "nothing"], model.classes_[1]
    documents = model.fitted_.prepare(texts, ["ja", "en", "en"])
    differences = difference_by_entities(model.fitted_, documents, [label] * 3)
    for text, lang, difference in zip(texts, ["ja", "en", "en"], differences, strict=True):
        found = model.explain(text, lang).difference[label]
        assert found == pytest.approx(difference, abs=1e-6)
    assert differences[2] == 0.0
    assert np.abs(differences[:2]).min() > 0.0


@pytest.mark.usefixtures("quiet")
def test_probabilities_are_those_of_two_passes(model: TextClassifier, fit: Fit) -> None:
    explanation = model.explain(TEXT, "ja")
    found = np.array(list(explanation.probabilities.values()))
    assert np.array_equal(found, model.predict_proba([TEXT], "ja")[0])
    assert list(explanation.probabilities) == model.classes_.tolist()
    assert explanation.label == model.predict([TEXT], "ja")[0]
    without = np.array(list(explanation.probabilities_without_entities.values()))
    if model.preset == "mboe-plus":
        assert np.array_equal(without, fit(kb=None).predict_proba([TEXT], "ja")[0])
    else:
        assert np.array_equal(without, model.predict_proba([TEXT], [None])[0])
    assert np.array_equal(found, without) == (model.kb_ is None)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(("text", "lang"), [("", "ja"), ("話", "ja"), ("トヨタ", None)])
def test_a_text_without_entities(model: TextClassifier, text: str, lang: str | None) -> None:
    explanation = model.explain(text, lang)
    assert explanation.entities == []
    assert explanation.probabilities == explanation.probabilities_without_entities
    assert explanation.lang == lang


def test_fallback_names_have_spans_too(entity_model: TextClassifier) -> None:
    text = "トヨタとReal Madrid"
    entities = entity_model.explain(text, "ja", fallback_lang="eng").entities
    found = {text[start:end] for entity in entities for start, end in entity.spans}
    assert found == {"トヨタ", "Real Madrid"}
    for entity in entities:
        assert {text[start:end] for start, end in entity.spans} <= NAMES[entity.id]


def test_what_the_options_leave_out_is_not_shown(fit: Fit) -> None:
    model = fit(max_entities=1)
    assert [entity.id for entity in model.explain("Mars CERN Toyota", "en").entities] == ["Q6"]


def test_one_text_is_asked_for(model: TextClassifier) -> None:
    with pytest.raises(InputError, match="explain takes one text, not list"):
        model.explain(["a"], "en")


def test_entities_that_count_for_nothing_have_no_weight(fit: Fit) -> None:
    model = copy(fit())
    assert model.explain(TEXT, "ja").entities_have_weight
    model.fitted_ = replace(model.fitted_, head=replace(model.head_, mixture=Mixture(0.0, 10.0)))
    explanation = model.explain(TEXT, "ja")
    assert not explanation.entities_have_weight
    assert {entity.id: entity.share for entity in explanation.entities} == {"Q6": 0.0, "Q12": 0.0}
    assert explanation.probabilities == explanation.probabilities_without_entities
    assert fit(preset="mboe").explain(TEXT, "ja").entities_have_weight
