"""The report of an evaluation: settings in words and a few explained documents."""

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from planted import JAPANESE

from isogloss.classify import TextClassifier
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.classify.evaluate.report import reliability_of, write_report
from isogloss.classify.evaluate.settings import describe
from isogloss.classify.heads.mboe_plus import Mixture
from isogloss.classify.trust.trust import Trust
from isogloss.errors import OmissionWarning

TEXTS = [JAPANESE[2][0], "Mars <b>&</b> CERN", "", "Уимблдон"]
TOPICS, LANGS = ["money", "space", "sport", "sport"], ["ja", "en", None, "ru"]


@pytest.mark.usefixtures("quiet")
def test_the_report_shows_scores_and_marked_names(model: TextClassifier, tmp_path: Path) -> None:
    result = model.evaluate(TEXTS, TOPICS, LANGS)
    options = {"title": "Names & news", "note": "an illustration"}
    write_report(tmp_path / "r.html", model.fitted_, result, TEXTS, **options)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Names &amp; news" in page
    assert "an illustration" in page
    assert "<b>&</b>" not in page  # the text of a document is escaped
    assert ("Toyota" in page) == (model.kb_ is not None)
    assert "the model is overconfident" in page
    assert page.count("<figure>") == 1  # all languages together: each has one text
    assert f"4 texts in {len(result.rows)} languages, SHA-256 " in page
    assert ("Sources of names" in page) == (model.kb_ is not None)


@pytest.mark.usefixtures("quiet")
def test_the_report_shows_what_abstaining_leaves(model: TextClassifier, tmp_path: Path) -> None:
    options = {"title": "t", "note": ""}
    for name, threshold in (("all", None), ("sure", 0.45), ("none", 1.0)):
        result = model.evaluate(TEXTS, TOPICS, LANGS, abstain_below=threshold)
        write_report(tmp_path / name, model.fitted_, result, TEXTS, **options)
    pages = {name: (tmp_path / name).read_text("utf-8") for name in ("all", "sure", "none")}
    assert "coverage" not in pages["all"]
    assert "Coverage (a label of probability 0.45 or more):" in pages["sure"]
    assert "--abstain-below 0.45" in pages["sure"]
    assert "accuracy_<wbr>covered" in pages["sure"]
    assert "Coverage (a label of probability 1 or more): 0.000; right of these: –." in pages["none"]


def test_the_report_says_nothing_of_cut_texts_again(
    fit: Callable[..., TextClassifier], tmp_path: Path
) -> None:
    """A sentence came for each document that is explained."""
    model, texts, topics = fit(kb=None), ["goal " * 99, "stock " * 99], ["sport", "money"]
    with pytest.warns(OmissionWarning, match="2 of 2 texts are longer than 64 tokens"):
        result = model.evaluate(texts, topics, ["ja", "ru"])
    options = {"title": "t", "note": ""}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        write_report(tmp_path / "r", model.fitted_, result, texts, **options)
    assert caught == []


@pytest.mark.usefixtures("quiet")
def test_reliability_is_of_all_languages_and_of_those_with_a_hundred_texts(
    fit: Callable[..., TextClassifier],
) -> None:
    model, n = fit(kb=None), 100
    langs = ["ja"] * n + ["ru"] * n + ["en"] * n + ["th"]
    result = model.evaluate(["goal", "stock"] * (n * 3 // 2) + ["goal"],
                            ["sport", "sport"] * (n * 3 // 2) + ["sport"], langs)  # fmt: skip
    shown = reliability_of(result)
    assert [(one.name, one.n) for one in shown] == [
        ("3 languages", 201), ("English", 100), ("Japanese", 100), ("Russian", 100)
    ]  # fmt: skip
    for one in shown:
        assert sum(dot.n for dot in one.dots) == one.n
        total = sum(dot.n * dot.confidence for dot in one.dots)
        assert total / one.n == pytest.approx(one.confidence)
        assert sum(dot.n * dot.accuracy for dot in one.dots) / one.n == pytest.approx(one.accuracy)
    by_lang = {row["lang"]: row["ece"] for row in result.rows}
    assert shown[2].ece == pytest.approx(by_lang["ja"])


@pytest.mark.parametrize(("n", "n_dots"), [(1, 1), (9, 2), (99, 5), (400, 10), (9999, 10)])
def test_the_number_of_dots_grows_with_the_texts(n: int, n_dots: int) -> None:
    rows = [{"lang": "ja", "n": n, "ece": 0.1, "accuracy": 1.0}]
    right, sure = np.ones(n, dtype=bool), np.linspace(0.2, 0.8, n)
    evaluation = Evaluation(rows, {"langs": ["ja"]}, {"ja": right}, {"ja": sure}, {})
    (shown,) = reliability_of(evaluation)
    assert len(shown.dots) == n_dots
    assert all(dot.accuracy_low < dot.accuracy_high for dot in shown.dots)  # all right, yet doubt


@pytest.mark.usefixtures("quiet")
def test_what_to_know_of_a_language_is_said(
    fit: Callable[..., TextClassifier], tmp_path: Path
) -> None:
    model = fit(kb=None)
    texts = ["goal"] * 20 + ["stock"] * 20 + ["goal " * 99, "goal", "goal"]
    labels = ["money"] * 20 + ["money"] * 20 + ["sport", "sport", "riddle"]
    langs = ["ja"] * 40 + ["ru", "en", "ru"]
    result = model.evaluate(texts, labels, langs, target=0.9)
    sure = {lang: np.full(len(own), 0.99) for lang, own in result.confidence.items()}
    result = replace(result, confidence=sure)
    write_report(
        tmp_path / "r", model.fitted_, result, texts, title="x", note="",
        audits={"ru": "0.90 [0.80, 0.95]"}, about={"model": "m, 0123"},
    )  # fmt: skip
    page = " ".join((tmp_path / "r").read_text(encoding="utf-8").split())
    assert "training language" in page
    assert "cut: 1 of 2" in page
    assert "unknown labels: 1 of 2" in page
    assert "0.90 [0.80, 0.95]" in page
    assert "m, 0123" in page
    assert "overconfident: 0.99 sure" in page


def test_thresholds_are_told_once_or_beside_their_labels(
    fit: Callable[..., TextClassifier],
) -> None:
    model = copy(fit(kb=None))
    reading = model.fitted_.preparation
    reading = replace(reading, options=replace(reading.options, multilabel=True))
    model.fitted_ = replace(model.fitted_, preparation=reading)
    for thresholds, words in (
        ([0.5, 0.5, 0.5], "0.50 each"),
        ([0.5, 0.25, 0.125], "money 0.50, space 0.25, sport 0.12"),
    ):
        model.fitted_ = replace(model.fitted_, thresholds=np.array(thresholds))
        shown = describe(model.fitted_)["labels of a text"]
        assert shown == f"any number, from a probability of {words}"
    model.fitted_ = replace(model.fitted_, trust=Trust())
    said = "not calibrated: those of label sets never are"
    assert describe(model.fitted_)["probabilities"] == said


def test_settings_say_whether_probabilities_are_calibrated(
    fit: Callable[..., TextClassifier],
) -> None:
    model = fit(kb=None)
    said = f"calibrated on training texts, out-of-fold, T = {model.trust_.temperature:.2f}"
    assert describe(model.fitted_)["probabilities"] == said
    said = "not calibrated: no development texts"
    assert describe(fit(preset="mboe").fitted_)["probabilities"] == said


def test_settings_say_what_the_head_is(fit: Callable[..., TextClassifier]) -> None:
    assert "encoder only, C = " in describe(fit(kb=None).fitted_)["head"]
    assert describe(fit(preset="mboe", attention="sum").fitted_)["preset"] == "mboe, attention sum"
    plus = describe(fit().fitted_)
    assert "K / (K + " in plus["entities"] or plus["entities"].startswith("no weight")
    model = fit()
    useless = replace(model.head_, mixture=Mixture(0.0, 10.0))
    silent = copy(model)
    silent.fitted_ = replace(silent.fitted_, head=useless)
    assert describe(silent.fitted_)["entities"].startswith("no weight")
    sure = copy(model)
    sure.fitted_ = replace(sure.fitted_, head=replace(model.head_, mixture=Mixture(0.75, 10.0)))
    sure.fitted_ = replace(sure.fitted_, trust=replace(model.trust_, temperature=0.1))
    said = "0.75 · K / (K + 10) with K entities in a text, and 1 / T of that in probabilities: "
    assert f"{said}0.68 with one" in describe(sure.fitted_)["entities"]
    assert plus["trained on"] == "48 texts in en"
    assert plus["entities seen in training"] == str(len(fit().head_.memory.entities))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("has_weight", [True, False])
def test_the_report_says_that_entities_have_no_weight(
    fit: Callable[..., TextClassifier], tmp_path: Path, has_weight: bool
) -> None:
    model = copy(fit())
    if not has_weight:
        model.fitted_ = replace(
            model.fitted_, head=replace(model.head_, mixture=Mixture(0.0, 10.0))
        )
    result = model.evaluate(TEXTS, TOPICS, LANGS)
    write_report(tmp_path / "r", model.fitted_, result, TEXTS, title="x", note="A note.")
    page = (tmp_path / "r").read_text(encoding="utf-8")
    assert "A note." in page
    said = "A note. This model gives entities no weight: the label comes from the encoder alone."
    assert (said in page) != has_weight


@pytest.mark.usefixtures("quiet")
def test_near_training_texts_come_into_the_report(
    fit: Callable[..., TextClassifier], tmp_path: Path
) -> None:
    for keep, n_shown in ((False, 0), (True, 1)):
        model = fit(kb=None, keep_examples=keep)
        result = model.evaluate(TEXTS[:1], TOPICS[:1], LANGS[:1])
        path = tmp_path / f"{keep}.html"
        write_report(path, model.fitted_, result, TEXTS[:1], title="x", note="")
        assert path.read_text("utf-8").count("Nearest training texts") == n_shown
