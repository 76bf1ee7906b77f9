"""Scores by language: the columns, what counts, what is compared and what is said."""

import json
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, english

from isogloss.classify import TextClassifier
from isogloss.classify.evaluate import evaluation
from isogloss.classify.evaluate.evaluated import COLUMNS, DIFFERENCE_COLUMNS
from isogloss.errors import InputError, OmissionWarning
from isogloss.vectors import EntityVectors
from isogloss.vectors.entity_vectors import random_vectors

Fit = Callable[..., TextClassifier]
TEXTS = [text for text, _ in JAPANESE]
TOPICS = [label for _, label in JAPANESE]
KEYS = [
    "lang", "n", "accuracy", "accuracy_low", "accuracy_high", "accuracy_seen", "macro_f1",
    "micro_f1", "ece_uncalibrated", "ece", "n_unlinked", "n_unseen_entity",
    "n_unseen_label", "truncated",
    "n_dropped",
]  # fmt: skip
EN, EN_TOPICS = english(12, seed=8)
RU, RU_TOPICS = ["Уимблдон", "Уолл-стрит", "Марс"], ["sport", "money", "space"]
ALL = [*EN, *TEXTS, *RU]
ALL_TOPICS = [*EN_TOPICS, *TOPICS, *RU_TOPICS]
LANGS = ["en"] * len(EN) + ["ja"] * len(TEXTS) + ["ru"] * len(RU)


def test_rows_have_the_keys_and_the_order_given(model: TextClassifier) -> None:
    result = model.evaluate(ALL, ALL_TOPICS, LANGS)
    assert list(COLUMNS) == KEYS
    assert [row["lang"] for row in result.rows] == ["en", "ja", "ru"]
    for row in result.rows:
        assert sorted(row) == sorted(KEYS)
        assert row["accuracy_low"] <= row["accuracy"] <= row["accuracy_high"]
        assert row["micro_f1"] == pytest.approx(row["accuracy"])
    predicted = model.predict(ALL, LANGS)
    for row in result.rows:
        right = [
            predicted[i] == ALL_TOPICS[i] for i, lang in enumerate(LANGS) if lang == row["lang"]
        ]
        assert row["accuracy"] == pytest.approx(np.mean(right))
        assert result.correct[row["lang"]].tolist() == right
    text = json.dumps(result.as_json(), allow_nan=False)
    assert set(json.loads(text)) == {"rows", "mean"}


@pytest.mark.usefixtures("quiet")
def test_languages_come_in_the_order_of_codes_whatever_that_of_the_texts(
    model: TextClassifier,
) -> None:
    langs = ["ru" if lang == "en" else "en" if lang == "ru" else lang for lang in LANGS]
    langs[0] = None
    result = model.evaluate(ALL, ALL_TOPICS, langs)
    assert [row["lang"] for row in result.rows] == ["en", "ja", "ru", "und"]
    assert result.mean["langs"] == ["ja", "ru"]
    assert [row["n"] for row in result.rows] == [len(RU), len(TEXTS), len(EN) - 1, 1]


def test_confidence_is_the_probability_of_the_label_that_predict_gives(
    model: TextClassifier,
) -> None:
    cooled = copy(model)
    cooled.fitted_ = replace(cooled.fitted_, trust=replace(model.trust_, temperature=0.4))
    for one in (model, cooled):
        result = one.evaluate(ALL, ALL_TOPICS, LANGS)
        probabilities = one.predict_proba(ALL, LANGS).max(axis=1)
        for lang, confidence in result.confidence.items():
            rows = [row for row, code in enumerate(LANGS) if code == lang]
            assert confidence == pytest.approx(probabilities[rows], abs=1e-12)
        assert list(result.confidence) == list(result.correct) == ["en", "ja", "ru"]


def test_the_mean_leaves_the_training_language_out(model: TextClassifier) -> None:
    result = model.evaluate(ALL, ALL_TOPICS, LANGS)
    assert result.mean["langs"] == ["ja", "ru"]
    rows = result.rows[1:]
    for key in ("accuracy", "accuracy_seen", "macro_f1", "micro_f1"):
        assert result.mean[key] == pytest.approx(np.mean([row[key] for row in rows]))
    for key in ("n", "n_unlinked", "n_unseen_entity", "n_unseen_label", "truncated"):
        assert result.mean[key] == sum(row[key] for row in rows)
    assert model.evaluate(EN, EN_TOPICS, "en").mean["langs"] == ["en"]


def test_counts(fit: Fit) -> None:
    model = fit()
    texts = ["ウィンブルドンとトヨタ", "国技館、国技館", "国技館", "何もない話", "word " * 80]
    with pytest.warns(OmissionWarning, match="1 of 5 texts are longer"):
        row = model.evaluate(texts, ["sport"] * 5, "ja").rows[0]
    assert (row["n_unlinked"], row["n_unseen_entity"], row["truncated"]) == (2, 1, 1)
    assert row["n_dropped"] == 0
    with pytest.warns(OmissionWarning, match="longer"):
        row = fit(kb=None).evaluate(texts, ["sport"] * 5, "ja").rows[0]
    assert (row["n_unlinked"], row["n_unseen_entity"], row["truncated"]) == (5, 0, 1)


@pytest.mark.filterwarnings("ignore:.*no vector among those")
@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_a_text_whose_entities_all_lack_a_vector_is_unlinked(fit: Fit, preset: str) -> None:
    ids = ["Q1", "Q2", "Q5", "Q9"]
    given = EntityVectors(ids, random_vectors(ids, 12, seed=9, root_mean_square=0.3))
    model = fit(preset=preset, init=given)
    texts = ["ウィンブルドンとトヨタ", "トヨタと国技館", "火星"]
    row = model.evaluate(texts, ["sport"] * 3, "ja").rows[0]
    assert (row["n_unlinked"], row["n_unseen_entity"], row["n_dropped"]) == (2, 0, 0)
    assert model.explain(texts[1], "ja").entities == []


def test_entities_that_training_does_not_name_are_counted_and_said_but_are_no_loss(
    fit: Fit, caplog: pytest.LogCaptureFixture
) -> None:
    texts = ["国技館の紅白歌合戦。", "紅白歌合戦、紅白歌合戦", "東京", "Toyota"]
    caplog.set_level("INFO", logger="isogloss")
    result = fit().evaluate(texts, ["sport"] * 3 + ["money"], ["ja", "ja", "ja", "en"])
    assert [row["n_dropped"] for row in result.rows] == [0, 2]
    assert (result.mean["n_dropped"], result.rows[1]["n_unlinked"]) == (2, 2)
    said = "2 entities in 2 texts left out: not named in a training language (en)"
    assert [record.message for record in caplog.records] == [said]
    caplog.clear()
    fit().predict(["トヨタ"], "ja")
    assert caplog.records == []


def test_an_unseen_label_is_wrong_and_left_out_of_accuracy_seen(model: TextClassifier) -> None:
    gold = [*model.predict(TEXTS, "ja").tolist()[:-2], "music", "music"]
    with pytest.warns(OmissionWarning, match=r"2 of 8 texts .* lacks \('music'\); they"):
        result = model.evaluate(TEXTS, gold, "ja")
    row = result.rows[0]
    assert row["accuracy"] == pytest.approx(6 / 8)
    assert (row["accuracy_seen"], row["n_unseen_label"]) == (1.0, 2)
    assert result.mean["accuracy_seen"] == 1.0


def test_labels_that_are_all_unseen_give_no_number_that_is_none(model: TextClassifier) -> None:
    with pytest.warns(OmissionWarning, match="training lacks"):
        result = model.evaluate(TEXTS, ["music"] * 8, "ja")
    assert result.rows[0]["accuracy_seen"] is None
    assert result.mean["accuracy_seen"] is None
    json.dumps(result.as_json(), allow_nan=False)


def test_a_model_does_not_differ_from_itself(model: TextClassifier) -> None:
    result = model.evaluate(ALL, ALL_TOPICS, LANGS, versus=model)
    for row in [*result.rows, result.mean]:
        value, low, high = (row[key] for key in DIFFERENCE_COLUMNS[:3])
        assert value == 0
        assert low == pytest.approx(-high) != 0  # so few texts cannot show that none would differ
    assert {row["p_holm"] for row in result.rows} == {1.0}
    json.dumps(result.as_json(), allow_nan=False)


def test_the_difference_is_ours_minus_theirs_on_the_same_rows(fit: Fit) -> None:
    ours, theirs = fit(preset="mboe"), fit(kb=None)
    result = ours.evaluate(ALL, ALL_TOPICS, LANGS, versus=theirs)
    other = theirs.evaluate(ALL, ALL_TOPICS, LANGS)
    for row, their_row in zip([*result.rows, result.mean], [*other.rows, other.mean], strict=True):
        assert row["difference"] == pytest.approx(row["accuracy"] - their_row["accuracy"])
    assert result.mean["difference"] > 0  # the entities were planted
    header = result.table().to_markdown().splitlines()[0]
    assert "difference" in header
    assert "difference" not in other.table().to_markdown()


def test_a_terminal_shows_the_columns_that_say_something(fit: Fit) -> None:
    alone = fit(kb=None).evaluate(ALL, ALL_TOPICS, LANGS)
    shown = {column.name for column in alone.shown().as_shown()}
    assert {"language", "texts", "accuracy", "macro F1", "calibration error"} <= shown
    assert not {"texts without link", "micro F1", "texts cut", "entities dropped"} & shown
    assert {"n_unlinked", "micro_f1", "truncated"} <= set(alone.rows[0])


def test_equal_ids_are_drawn_together(fit: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    original = evaluation.interval_of_mean_accuracy

    def spy(values: Any, ids: Any, **options: Any) -> Any:
        seen.append(ids)
        return original(values, ids, **options)

    monkeypatch.setattr(evaluation, "interval_of_mean_accuracy", spy)
    texts, langs = TEXTS * 2, ["ja"] * 8 + ["ko"] * 8
    ids: list[str | None] = [str(number) for number in range(8)] * 2
    model = fit(kb=None)
    joint = model.evaluate(texts, TOPICS * 2, langs, ids=ids)
    assert seen[-1] == {"ja": ids[:8], "ko": ids[:8]}
    apart = model.evaluate(texts, TOPICS * 2, langs)
    assert seen[-1] == {"ja": None, "ko": None}
    wide = joint.mean["accuracy_high"] - joint.mean["accuracy_low"]
    assert wide > apart.mean["accuracy_high"] - apart.mean["accuracy_low"]
    model.evaluate(texts, TOPICS * 2, langs, ids=[None, *ids[1:]])
    assert seen[-1] == {"ja": None, "ko": ids[:8]}


def test_wrong_data_are_refused(model: TextClassifier) -> None:
    with pytest.raises(InputError, match="7 ids for 8 texts"):
        model.evaluate(TEXTS, TOPICS, "ja", ids=["a"] * 7)
    with pytest.raises(InputError, match="8 texts but 1 label;"):
        model.evaluate(TEXTS, ["sport"], "ja")
    with pytest.raises(InputError, match="there are no texts"):
        model.evaluate([], [], "ja")


def test_unknown_languages_and_those_without_names_are_said(fit: Fit) -> None:
    with pytest.warns(OmissionWarning) as said:
        result = fit().evaluate(["habari", "?!"], ["sport", "sport"], ["sw", None])
    messages = " | ".join(str(warning.message) for warning in said)
    assert "no names in 'sw'" in messages
    # True of either preset: mboe has no part that is the classifier of the encoder alone.
    assert "1 of 2 texts have no known language: no entity is linked in them" in messages
    assert "sw: no entity was linked in 1 text: their vectors alone decide here" in messages
    assert "too short or unsure" not in messages  # nothing was detected
    assert [row["lang"] for row in result.rows] == ["sw", "und"]


def test_fallback_names_count_as_linked(fit: Fit) -> None:
    texts = ["トヨタ", "Real Madrid"]
    row = fit().evaluate(texts, ["money", "sport"], "ja").rows[0]
    assert row["n_unlinked"] == 1
    row = fit().evaluate(texts, ["money", "sport"], "ja", fallback_lang="en").rows[0]
    assert row["n_unlinked"] == 0


@pytest.mark.parametrize("labels", [[1, 2, 3], [True, False, True]], ids=str)
def test_other_kinds_of_labels(fit: Fit, labels: list[Any]) -> None:
    names = ["money", "space", "sport"]
    texts, topics = english(24)
    y = [labels[names.index(topic)] for topic in topics]
    model = TextClassifier(fit(kb=None).encoder).fit(texts, np.array(y))
    result = model.evaluate(texts, np.array(y), "en")
    assert result.rows[0]["accuracy"] > 0.8
    json.dumps(result.as_json(), allow_nan=False)


def test_three_right_of_three_are_no_certainty(fit: Fit) -> None:
    """They were once reported as 1.000 [1.00, 1.00]."""
    result = fit(kb=None).evaluate(EN[:3], EN_TOPICS[:3], "en", target=0.8)
    (row,) = result.rows
    assert row["accuracy"] == 1.0
    assert row["accuracy_low"] == pytest.approx(0.4385, abs=1e-4)
    assert result.mean["accuracy_low"] < 0.5
    assert row["target"] == "open"
    assert "1.000 [0.44, 1.00]" in result.table().to_markdown()
    assert "[1.00, 1.00]" not in result.table().to_markdown()


def test_a_target_is_an_accuracy(fit: Fit) -> None:
    result = fit(kb=None).evaluate(EN, EN_TOPICS, "en", target=0.0)
    assert (result.rows[0]["target"], result.as_json()["target"]) == ("above", 0.0)
    assert result.table().columns.index("target") == 5
    with pytest.raises(InputError, match=r"target is 1\.5; an accuracy in 0 to 1 is allowed"):
        fit(kb=None).evaluate(EN, EN_TOPICS, "en", target=1.5)


def test_texts_are_kept_with_what_was_right_without_entities(model: TextClassifier) -> None:
    result = model.evaluate(ALL, ALL_TOPICS, LANGS, ids=[f"{at}" for at in range(len(ALL))])
    for lang, texts in result.texts.items():
        assert [LANGS[row] for row in texts.rows] == [lang] * len(texts.rows)
        assert texts.gold == [ALL_TOPICS[row] for row in texts.rows]
        assert texts.ids == [f"{row}" for row in texts.rows]
        assert (texts.correct_without_entities is None) == (not model.head_.uses_entities)
        if texts.correct_without_entities is not None:
            alone = [model.explain(ALL[row], lang).probabilities_without_entities
                     for row in texts.rows]  # fmt: skip
            right = [max(one, key=one.__getitem__) == gold
                     for one, gold in zip(alone, texts.gold, strict=True)]  # fmt: skip
            assert texts.correct_without_entities.tolist() == right
