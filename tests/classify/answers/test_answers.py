"""What rows get: labels, states, languages, evidence; and the summary of all."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from isogloss.classify import TextClassifier
from isogloss.classify.answers import summary as summary_module
from isogloss.classify.answers.answers import Answering, Answers
from isogloss.classify.answers.columns import AnswerColumns
from isogloss.classify.answers.summary import (
    DataFacts,
    ModelFacts,
    Summary,
    SummaryCounts,
    read_summary,
    summary_path,
)
from isogloss.classify.saving.manifest import read_manifest
from isogloss.data.row_languages import RowLanguages
from isogloss.errors import InputError
from isogloss.parts.summary import versions
from isogloss.storage.sealed import sealed

Fit = Callable[..., TextClassifier]
TEXTS = ["🙂 トヨタと国技館、トヨタ。", "", "CERN", "  ", "オリンピックが始まった。", "word " * 99]
LANGS = ["ja", "ja", "en", None, "ja", "en"]
pytestmark = pytest.mark.usefixtures("quiet")


def answers_of(
    model: TextClassifier, langs: list[str | None] | None = None, **options: Any
) -> Answers:
    given = RowLanguages(LANGS if langs is None else langs, "column", is_asked=True)
    return Answering(model.fitted_, **options).answer(TEXTS, given)


def cells_of(answers: Answers, model: TextClassifier, **options: Any) -> dict[str, list[Any]]:
    columns = AnswerColumns(model.classes_.tolist(), "f1", **options)
    return {
        added.name: list(cells)
        for added, cells in zip(columns.added, columns.cells(answers), strict=True)
    }


def test_labels_and_probabilities_are_those_of_the_model(model: TextClassifier) -> None:
    answers = answers_of(model)
    assert answers.labels == model.predict(TEXTS, LANGS).tolist()
    assert np.array_equal(answers.probabilities, model.predict_proba(TEXTS, LANGS))
    cells = cells_of(answers, model, with_scores=True)
    for row, p in enumerate(answers.probabilities):
        first, second, *_ = np.argsort(-p, kind="stable")
        assert cells["label"][row] == model.classes_[first]
        assert cells["second_label"][row] == model.classes_[second]
        assert cells["probability"][row] == round(p[first], 6)
        assert cells["second_probability"][row] == round(p[second], 6)
    named = np.array([cells[f"score_{label}"] for label in model.classes_]).T
    assert np.abs(named - answers.probabilities).max() <= 5e-7
    assert cells["model"] == ["f1"] * len(TEXTS)


def test_states_are_what_applies(fit: Fit) -> None:
    answers = answers_of(fit())
    assert answers.statuses == ["ok", "empty", "ok", "empty+unknown_language", "ok", "cut"]
    assert answers.lang_by == ["column", "column", "column", "unknown", "column", "column"]
    assert answers.langs == LANGS
    assert answers.is_linked is not None
    assert answers.is_linked.tolist() == [True, False, True, False, True, False]
    all_unsure = answers_of(fit(), abstain_below=1.0)
    assert all_unsure.labels == [None] * len(TEXTS)
    assert all_unsure.statuses[:4] == [
        "abstained", "empty+abstained", "abstained", "empty+abstained+unknown_language",
    ]  # fmt: skip
    cells = cells_of(all_unsure, fit())
    assert cells["label"] == cells["second_label"] == cells["second_probability"] == [None] * 6
    assert cells["probability"] == cells_of(answers, fit())["probability"]


def test_a_threshold_leaves_what_reaches_it(fit: Fit) -> None:
    best = answers_of(fit()).probabilities.max(axis=1)
    threshold = float(np.sort(best)[3])
    answers = answers_of(fit(), abstain_below=threshold)
    assert [label is None for label in answers.labels] == (best < threshold).tolist()


def test_a_language_that_nothing_asked_for_is_no_lack(fit: Fit) -> None:
    langs = RowLanguages([None] * len(TEXTS), "unknown", is_asked=False)
    answers = Answering(fit(kb=None).fitted_).answer(TEXTS, langs)
    assert answers.statuses == ["ok", "empty", "ok", "empty", "ok", "cut"]
    assert set(answers.lang_by) == {"unknown"}
    cells = cells_of(answers, fit(kb=None))
    assert cells["entities"] == cells["lang"] == [None] * len(TEXTS)


def test_a_text_without_letters_is_a_text(fit: Fit) -> None:
    texts = [".", "123", "👍"]
    given = RowLanguages(["ja"] * 3, "column", is_asked=True)
    assert Answering(fit().fitted_).answer(texts, given).statuses == ["ok"] * 3
    undetected = RowLanguages([None] * 3, "unknown", is_asked=True)
    answers = Answering(fit().fitted_).answer(texts, undetected)
    assert answers.statuses == ["unknown_language"] * 3
    assert None not in answers.labels


def test_entities_are_those_of_the_explanation(entity_model: TextClassifier) -> None:
    answers = answers_of(entity_model, fallback_lang="en")
    cells = cells_of(answers, entity_model)["entities"]
    assert answers.entities is not None
    for text, lang, entities, mentions in zip(TEXTS, LANGS, answers.entities, cells, strict=True):
        explained = entity_model.explain(text, lang, fallback_lang="en").entities
        assert [(one.id, one.title, one.spans) for one in entities] == [
            (one.id, one.title, one.spans) for one in explained
        ]
        assert [one.share for one in entities] == pytest.approx([one.share for one in explained])
        assert mentions == sorted(mentions, key=lambda one: (one["start"], one["end"]))
        assert len(mentions) == sum(len(one.spans) for one in explained)
    first, second, third = cells[0]
    assert [TEXTS[0][one["start"] : one["end"]] for one in cells[0]] == [
        "トヨタ",
        "国技館",
        "トヨタ",
    ]
    assert (first["id"], first["title"]) == (third["id"], third["title"]) == ("Q6", "Toyota")
    assert second["id"] == "Q12"
    assert first["weight"] + second["weight"] == pytest.approx(1, abs=1e-5)
    assert cells[1] == []


def test_no_evidence_is_looked_for_where_none_is_asked_for(fit: Fit) -> None:
    answers = answers_of(fit(), with_entities=False)
    assert answers.entities is None
    assert cells_of(answers, fit())["entities"] == [None] * len(TEXTS)


def test_answers_do_not_depend_on_the_other_texts(model: TextClassifier) -> None:
    whole = answers_of(model)
    for row, (text, lang) in enumerate(zip(TEXTS, LANGS, strict=True)):
        alone = Answering(model.fitted_).answer([text], RowLanguages([lang], "column", True))
        assert alone.statuses == [whole.statuses[row]]
        assert alone.labels == [whole.labels[row]]
        assert np.abs(alone.probabilities[0] - whole.probabilities[row]).max() < 1e-5


def test_names_and_order_of_columns(fit: Fit) -> None:
    names = [
        "label", "probability", "second_label", "second_probability", "lang", "lang_by", "entities",
        "status", "model",
    ]  # fmt: skip
    assert list(cells_of(answers_of(fit()), fit())) == names
    columns = AnswerColumns(["a", 1], "f", prefix="iso_", with_scores=True, with_support=True).added
    assert [one.name for one in columns] == [
        "iso_label", "iso_probability", "iso_second_label", "iso_second_probability", "iso_lang",
        "iso_lang_by", "iso_support", "iso_entities", "iso_status", "iso_model", "iso_score_a",
        "iso_score_1",
    ]  # fmt: skip
    answers = replace(answers_of(fit()), support=np.array([0.1, 0, 1, 0, 0, 2 / 3]))
    assert cells_of(answers, fit(), with_support=True)["support"][-1] == 0.666667


def test_label_sets_are_one_cell() -> None:
    p = np.array([[0.9, 0.2, 0.6], [0.1, 0.2, 0.3]])
    answers = Answers(p, [("joy", "fear"), ()], ["en", None], ["given", "unknown"], [(), ()], None,
                      None)  # fmt: skip
    columns = AnswerColumns(["joy", "anger", "fear"], "f", multilabel=True)
    cells = dict(zip([one.name for one in columns.added], columns.cells(answers), strict=True))
    assert list(cells) == ["label", "probability", "lang", "lang_by", "entities", "status", "model"]
    assert (cells["label"], cells["probability"]) == (["joy|fear", ""], ["0.9|0.6", ""])
    counts = SummaryCounts()
    counts.add(answers, ["", ""])
    assert [one.labels for one in counts.languages()] == [{"fear": 1, "joy": 1}, {}]


@pytest.fixture
def summary(fit: Fit) -> Summary:
    counts = SummaryCounts()
    for langs in (LANGS, ["ja"] * len(LANGS)):
        counts.add(answers_of(fit(), langs, abstain_below=0.5), TEXTS)
    return Summary(
        model=ModelFacts("m", "f1", ["a"]), versions=versions(), data=DataFacts("in.csv", None, 12),
        settings={"lang": None}, seconds=0.5, languages=counts.languages(),
    )  # fmt: skip


def test_the_summary_counts_by_language(fit: Fit, summary: Summary) -> None:
    assert [(one.lang, one.n) for one in summary.languages] == [("en", 2), ("ja", 9), (None, 1)]
    both = [answers_of(fit(), langs, abstain_below=0.5) for langs in (LANGS, ["ja"] * len(LANGS))]
    japanese = [
        (answers.probabilities[row].max(), answers.labels[row], answers.is_linked[row])
        for answers in both
        if answers.is_linked is not None
        for row, lang in enumerate(answers.langs)
        if lang == "ja"
    ]
    found = summary.languages[1]
    assert found.mean_probability == pytest.approx(np.mean([p for p, _, _ in japanese]))
    assert found.deviation_of_probability == pytest.approx(np.std([p for p, _, _ in japanese]))
    assert found.share_linked == pytest.approx(np.mean([linked for _, _, linked in japanese]))
    assert found.share_cut == pytest.approx(1 / 9)
    assert sum(found.labels.values()) == sum(label is not None for _, label, _ in japanese)
    assert found.status["empty"] == 3
    assert summary.languages[2].status["unknown_language"] == 1
    assert [(one.n_detected, one.n_other_language) for one in summary.languages] == [
        (0, 0), (4, 0), (0, 0)
    ]  # fmt: skip
    assert summary.languages[0].labels.keys() <= set(map(str, fit().classes_))


def test_texts_in_another_language_than_is_said_are_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(summary_module, "N_DETECTED", 3)
    texts = ["Guten Tag, wie geht es Ihnen?", "How are you today, my friend?", "42", "42", "42"]
    answers = Answers(np.ones((5, 2)), ["a"] * 5, ["de"] * 5, ["column"] * 5, [()] * 5, None, None)
    for langs, by, found in (
        ("de-AT", "column", (2, 1)),
        ("en", "given", (2, 1)),
        ("de", "detected", (0, 0)),
    ):
        counts = SummaryCounts()
        spoken = replace(answers, langs=[langs] * 5, lang_by=[by] * 5)
        counts.add(spoken, texts)
        counts.add(spoken, texts)  # beyond the first three
        (one,) = counts.languages()
        assert (one.n, one.n_detected, one.n_other_language) == (10, *found)


def test_a_summary_comes_back_and_damage_is_told(tmp_path: Path, summary: Summary) -> None:
    path = tmp_path / "a.summary.json"
    summary.write(path)
    assert read_summary(path) == summary
    assert {"isogloss", "python", "torch", "transformers"} <= summary.versions.keys()
    for change, said in (
        (lambda c: c["languages"][0].update(n=3), "damaged: its content is not what was written"),
        (lambda c: c.pop("checksum"), "damaged: its content is not what was written"),
    ):
        content = json.loads(path.read_text("utf-8"))
        change(content)
        (tmp_path / "b.json").write_text(json.dumps(content), "utf-8")
        with pytest.raises(InputError, match=f"{said}.*; answer the file again"):
            read_summary(tmp_path / "b.json")
    content = json.loads(path.read_text("utf-8")) | {"version": 1}
    (tmp_path / "b.json").write_text(json.dumps(sealed(content)), "utf-8")
    with pytest.raises(
        InputError, match="in version 1 of the format, this isogloss reads version 3; answer"
    ):
        read_summary(tmp_path / "b.json")
    with pytest.raises(InputError, match="not a summary of answers"):
        read_summary(tmp_path / "none.json")


@pytest.mark.parametrize(
    ("name", "beside"),
    [("a.csv", "a.summary.json"), ("a.b.tsv.gz", "a.b.summary.json"),
     ("a.parquet", "a.summary.json")],
)  # fmt: skip
def test_the_summary_lies_beside(name: str, beside: str) -> None:
    assert summary_path(Path("out") / name) == Path("out") / beside


def test_a_model_has_a_fingerprint_wherever_it_lies(
    tmp_path: Path, tiny_directory: Path, kb_path: Path
) -> None:
    texts, labels = ["a game", "a price", "a goal", "a stock"], ["x", "y"] * 2
    model = TextClassifier(str(tiny_directory), str(kb_path)).fit(texts, labels, lang="en")
    (tmp_path / "deep" / "er").mkdir(parents=True)
    places = [tmp_path / "one", tmp_path / "deep" / "er" / "two"]
    for place in places:
        model.save(place)
    one, two = (read_manifest(place) for place in places)
    assert one.encoder.name != two.encoder.name
    assert one.fingerprint == two.fingerprint
    assert len(one.fingerprint) == 16
    other = TextClassifier(str(tiny_directory)).fit(texts, labels[::-1], lang="en")
    other.save(tmp_path / "other")
    assert read_manifest(tmp_path / "other").fingerprint != one.fingerprint
