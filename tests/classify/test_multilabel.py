"""Classifiers that give any number of labels, from label sets to files and back."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from planted import JAPANESE, UNLINKED, FakeEncoder, label_sets
from scipy.optimize import minimize
from scipy.special import logit
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from isogloss.classify import TextClassifier
from isogloss.classify.fitting import fit as fitting
from isogloss.classify.heads.joint import train_together
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase

FitSets = Callable[..., TextClassifier]


@pytest.fixture(scope="module")
def fit_sets(kb: KnowledgeBase, encoder: FakeEncoder) -> FitSets:
    """Return a function that fits on label sets; the same options give the same model."""
    fitted: dict[str, TextClassifier] = {}

    def fit(**options: Any) -> TextClassifier:
        key = repr(sorted((name, repr(value)) for name, value in options.items()))
        if key not in fitted:
            model = TextClassifier(**{"encoder": encoder, "kb": kb, "multilabel": True} | options)
            fitted[key] = model.fit(*label_sets(), lang="en")
        return fitted[key]

    return fit


@pytest.fixture(scope="module", params=["encoder only", "mboe", "mboe-plus"])
def sets_model(request: pytest.FixtureRequest, fit_sets: FitSets) -> TextClassifier:
    """Each kind of classifier."""
    none = request.param == "encoder only"
    return fit_sets(kb=None) if none else fit_sets(preset=request.param)


def test_labels_come_as_tuples_in_the_order_of_the_classes(sets_model: TextClassifier) -> None:
    texts, sets = label_sets(30, seed=1)
    assert sets_model.classes_.tolist() == ["money", "space", "sport"]
    answers = sets_model.predict(texts, "en")
    assert answers.dtype == object
    assert all(isinstance(answer, tuple) for answer in answers)
    assert all(list(answer) == sorted(answer) for answer in answers)
    assert sets_model.score(texts, sets, "en") > 0.7
    assert sets_model.score(texts, [one[::-1] for one in sets], "en") > 0.7  # order is nothing


def test_probabilities_are_of_each_label_and_decide(sets_model: TextClassifier) -> None:
    texts = label_sets(30, seed=1)[0] + UNLINKED
    probabilities = sets_model.predict_proba(texts, "en")
    assert probabilities.shape == (len(texts), 3)
    assert not np.allclose(probabilities.sum(axis=1), 1)
    expected = [
        tuple(label for label, p in zip(sets_model.classes_, row, strict=True) if p >= 0.5)
        for row in probabilities
    ]
    assert sets_model.predict(texts, "en").tolist() == expected
    assert () in expected


@pytest.mark.parametrize("kind", [list, set, frozenset, np.array])
def test_a_label_set_may_be_of_any_kind(kind: Any, fit_sets: FitSets, encoder: FakeEncoder) -> None:
    texts, sets = label_sets()
    model = TextClassifier(encoder, multilabel=True).fit(texts, [kind(one) for one in sets], "en")
    expected = fit_sets(kb=None).predict_proba(texts[:5], "en")
    assert np.array_equal(model.predict_proba(texts[:5], "en"), expected)


def test_mboe_plus_without_entities_is_the_encoder_alone_to_the_bit(fit_sets: FitSets) -> None:
    alone = fit_sets(kb=None).predict_proba(UNLINKED, "en")
    assert np.array_equal(fit_sets().predict_proba(UNLINKED, "en"), alone)


def test_mboe_plus_adds_log_odds_label_by_label(fit_sets: FitSets) -> None:
    model = fit_sets()
    head = model.head_
    assert isinstance(head, MboePlusHead)
    texts, langs = [text for text, _ in JAPANESE], "ja"
    documents = model.fitted_.prepare(texts, langs)
    batch = model.fitted_.preparation.entity_batch(documents)
    weights = head.mixture.weights(batch.counts)
    own = logit(np.exp(head.linear.log_probabilities(documents.vectors)))
    evidence = head.vote.log_evidence(documents.vectors, batch)
    linked = batch.counts > 0
    assert linked.any()
    assert not linked.all()
    mixed = own + np.where(linked, weights, 0.0)[:, None] * evidence
    np.testing.assert_allclose(logit(model.predict_proba(texts, langs)), mixed, atol=1e-9)


def test_entities_carry_labels_to_another_language(fit_sets: FitSets) -> None:
    model = fit_sets(preset="mboe")
    linked = [(text, {topic}) for text, topic in JAPANESE[:6]]
    answers = model.predict([text for text, _ in linked], "ja")
    assert sum(topic <= set(answer) for answer, (_, topic) in zip(answers, linked, strict=True)) > 3


def test_a_result_is_bit_equal_in_any_company(sets_model: TextClassifier) -> None:
    texts = label_sets(20, seed=2)[0] + UNLINKED
    whole = sets_model.predict_proba(texts, "en")
    for rows in ([3], [25, 0, 7]):
        alone = sets_model.predict_proba([texts[row] for row in rows], "en")
        assert np.array_equal(alone, whole[rows])


def test_the_same_seed_gives_the_same_model(
    sets_model: TextClassifier, encoder: FakeEncoder
) -> None:
    again = clone(sets_model).fit(*label_sets(), lang="en")
    texts = label_sets(20, seed=2)[0]
    assert np.array_equal(again.predict_proba(texts, "en"), sets_model.predict_proba(texts, "en"))


@pytest.mark.parametrize("options", [{}, {"preset": "mboe", "thresholds": "tuned"}, {"kb": None}])
def test_decisions_are_the_same_before_and_after_save(
    options: dict[str, Any], fit_sets: FitSets, tmp_path: Path, encoder: FakeEncoder
) -> None:
    model = fit_sets(**options)
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=encoder)
    texts = label_sets(40, seed=3)[0] + UNLINKED
    before, after = model.predict_proba(texts, "en"), loaded.predict_proba(texts, "en")
    assert np.array_equal(after, before)
    assert loaded.predict(texts, "en").tolist() == model.predict(texts, "en").tolist()
    assert loaded.multilabel is True
    assert loaded.thresholds == model.thresholds
    assert np.array_equal(loaded.thresholds_, model.thresholds_)


def test_thresholds_are_one_half_or_tuned_out_of_fold_or_on_dev(
    fit_sets: FitSets, encoder: FakeEncoder
) -> None:
    assert fit_sets(kb=None).thresholds_.tolist() == [0.5] * 3
    tuned = fit_sets(kb=None, thresholds="tuned")
    assert not np.any(tuned.thresholds_ == 0.5)
    texts, sets = label_sets(30, seed=4)
    model = TextClassifier(encoder, multilabel=True, thresholds="tuned")
    model.fit(*label_sets(), "en", X_dev=texts, y_dev=sets)
    assert not np.array_equal(model.thresholds_, tuned.thresholds_)
    given = model.predict_proba(texts, "en") >= model.thresholds_
    names = [tuple(model.classes_[row].tolist()) for row in given]
    assert model.predict(texts, "en").tolist() == names


def test_entities_and_tuned_thresholds_go_together(fit_sets: FitSets) -> None:
    assert not np.any(fit_sets(thresholds="tuned").thresholds_ == 0.5)


def test_whole_numbers_are_labels_too(encoder: FakeEncoder) -> None:
    texts, sets = label_sets()
    number = {"money": 7, "space": -1, "sport": 3}
    sets_of_numbers = [[number[label] for label in one] for one in sets]
    model = TextClassifier(encoder, multilabel=True).fit(texts, sets_of_numbers, "en")
    assert model.classes_.tolist() == [-1, 3, 7]
    assert {type(label) for answer in model.predict(texts, "en") for label in answer} == {int}


def test_one_label_is_enough(encoder: FakeEncoder) -> None:
    texts, sets = label_sets()
    only = [tuple(label for label in one if label == "sport") for one in sets]
    model = TextClassifier(encoder, multilabel=True).fit(texts, only, "en")
    assert model.score(texts, only, "en") > 0.8


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        (["ab", "c"], "the labels of text 0 are one string ('ab'); give a list or a set"),
        ([["a"], None], "the labels of text 1 are None; give a list or a set"),
        ([["a"], ["a", None]], "a label of text 1 is missing"),
        ([["a"], [["b"]]], "a label of text 1 is ['b']; labels are single values"),
        ([[0, 0, 1], [1, 0, 0]], "text 0 has the label 0 twice; give label sets, not rows"),
        (np.eye(2), "y is a matrix; give the labels of each text as a list or a set"),
        ([["a"]], "2 texts but 1 label set"),
        ([[1], [True]], "the labels 1 (int) and True (bool, of text 1) are equal"),
        ([[], []], "no training text has a label"),
        ([["a", "b"], ["b", "a"]], "all 2 training texts have the same labels (a|b)"),
    ],
)
def test_what_are_no_label_sets_gets_one_sentence(
    y: Any, sentence: str, encoder: FakeEncoder
) -> None:
    with pytest.raises(InputError) as caught:
        TextClassifier(encoder, multilabel=True).fit(["one text", "another"], y)
    assert sentence in str(caught.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"multilabel": 2}, "multilabel is 2"),
        ({"multilabel": True, "thresholds": "best"}, "thresholds is 'best'"),
        ({"thresholds": "tuned"}, "thresholds is 'tuned', which is for label sets"),
    ],
)
def test_options_that_cannot_be(
    options: dict[str, Any], sentence: str, encoder: FakeEncoder
) -> None:
    with pytest.raises(InputError) as caught:
        TextClassifier(encoder, **options).fit(["a", "b"], ["x", "y"])
    assert sentence in str(caught.value)


def test_a_dev_label_that_training_lacks_is_left_out_and_said(encoder: FakeEncoder) -> None:
    texts, sets = label_sets()
    model = TextClassifier(encoder, multilabel=True)
    with pytest.warns(OmissionWarning, match="1 of 2 development texts have a label that training"):
        model.fit(texts, sets, "en", X_dev=["a", "b"], y_dev=[["sport", "new"], []])
    with pytest.raises(InputError, match="no development text has a label of the training data"):
        model.fit(texts, sets, "en", X_dev=["a"], y_dev=[[]])


def test_evaluation_has_intervals_of_f1_and_counts_unseen_labels_as_missed(
    fit_sets: FitSets,
) -> None:
    model = fit_sets(kb=None)
    texts, sets = label_sets(40, seed=5)
    evaluation = model.evaluate(texts, sets, "en")
    assert evaluation.confidence == {}
    known = evaluation.rows[0]
    for name in ("micro_f1", "macro_f1", "accuracy"):
        assert known[f"{name}_low"] <= known[name] <= known[f"{name}_high"]
    assert known["accuracy"] == model.score(texts, sets, "en")
    assert known["accuracy_seen"] == known["accuracy"]
    strange = [(*one, "art") if row < 10 else one for row, one in enumerate(sets)]
    with pytest.warns(OmissionWarning, match="10 of 40 texts have a label that training lacks"):
        result = model.evaluate(texts, strange, "en")
    row = result.rows[0]
    assert row["n_unseen_label"] == 10
    assert row["micro_f1"] < known["micro_f1"]
    assert row["macro_f1"] == pytest.approx(known["macro_f1"] * 3 / 4)
    assert not result.correct["en"][:10].any()
    assert row["accuracy_seen"] == pytest.approx(result.correct["en"][10:].mean())


def test_half_thresholds_that_give_most_texts_no_label_are_said(
    fit_sets: FitSets, encoder: FakeEncoder, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts, sets = label_sets(40, seed=5)
    n_labelled = sum(bool(one) for one in sets)
    said = f"{n_labelled} of {n_labelled} texts that have a label get none.*--thresholds tuned"
    for thresholds in ("half", "tuned"):
        model = copy(fit_sets(kb=None, thresholds=thresholds))
        model.fitted_ = replace(model.fitted_, thresholds=np.ones(3))
        if thresholds == "half":
            with pytest.warns(OmissionWarning, match=said):
                model.evaluate(texts, sets, "en")
        else:
            model.evaluate(texts, sets, "en")  # they were tuned: there is nothing to advise
    monkeypatch.setattr(fitting, "HALF", 1.0)
    with pytest.warns(OmissionWarning, match=said):
        TextClassifier(encoder, multilabel=True).fit(*label_sets(), "en", X_dev=texts, y_dev=sets)


@pytest.mark.usefixtures("quiet")
def test_evaluation_of_languages_gives_a_mean_with_intervals_and_a_table(
    fit_sets: FitSets,
) -> None:
    model = fit_sets()
    texts, sets = label_sets(20, seed=5)
    langs = ["en"] * 20 + ["ja"] * 20 + ["ru"] * 20
    ids = [str(row) for row in range(20)] * 3
    result = model.evaluate(texts * 3, sets * 3, langs, ids=ids, versus=fit_sets(kb=None))
    assert result.mean["langs"] == ["ja", "ru"]
    assert result.mean["micro_f1_low"] <= result.mean["micro_f1"] <= result.mean["micro_f1_high"]
    assert result.mean["difference"] == 0.0
    assert "micro_f1" in result.table().to_markdown()
    with pytest.raises(NotFittedError):
        TextClassifier().evaluate(texts, sets)


def test_models_of_both_kinds_are_not_compared(
    fit_sets: FitSets, fit: Callable[..., TextClassifier]
) -> None:
    texts, sets = label_sets(5)
    with pytest.raises(InputError, match="of the two models one gives label sets"):
        fit_sets(kb=None).evaluate(texts, sets, "en", versus=fit(kb=None))


def test_an_explanation_names_the_label_set(fit_sets: FitSets) -> None:
    model = fit_sets()
    text = "goal match at Wimbledon, stock price on Wall Street"
    explanation = model.explain(text, "en")
    assert explanation.label == model.predict([text], "en")[0]
    assert list(explanation.probabilities) == model.classes_.tolist()
    assert [entity.title for entity in explanation.entities]


def test_it_cannot_be_adapted_yet_and_says_so(fit_sets: FitSets) -> None:
    with pytest.raises(InputError, match="cannot be adapted: it gives label sets; fit one of"):
        fit_sets(kb=None).adapt("ja", [text for text, _ in JAPANESE])


def test_joint_training_minimises_the_binary_cross_entropy() -> None:
    rng = np.random.default_rng(0)
    inputs = torch.from_numpy(rng.normal(size=(12, 4)))
    y = torch.from_numpy(rng.random((12, 2)) < 0.5)
    weight, bias = (torch.from_numpy(rng.normal(size=shape)) for shape in ((2, 4), (2,)))
    result = train_together(
        lambda: inputs, torch.nn.Module(), y, weight=weight, bias=bias, C=0.5, scales={}
    )

    def objective(flat: Any) -> float:
        W, b = flat[:8].reshape(2, 4), flat[8:]
        p = 1 / (1 + np.exp(-(inputs.numpy() @ W.T + b)))
        right = np.where(y.numpy(), p, 1 - p)
        return float(-np.log(right).sum() + (W**2).sum())

    before = np.concatenate([weight.numpy().ravel(), bias.numpy()])
    after = np.concatenate([result.weight.numpy().ravel(), result.bias.numpy()])
    assert objective(after) < objective(before)
    assert objective(after) == pytest.approx(minimize(objective, before).fun, rel=1e-4)


def test_clone_and_parameters(fit_sets: FitSets) -> None:
    model = fit_sets(thresholds="tuned")
    copy = clone(model)
    assert copy.get_params() == model.get_params()
    assert copy.set_params(thresholds="half").thresholds == "half"
    assert not hasattr(copy, "thresholds_")
