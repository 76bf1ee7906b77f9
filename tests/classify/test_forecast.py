"""Forecasts on planted vectors: a language moved away is flagged, good ones are not."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from planted import JAPANESE, english
from scipy.special import softmax

from isogloss.classify import TextClassifier, forecast
from isogloss.classify.forecast import COLUMNS, ForecastReference, flag_rows, forecast_row
from isogloss.classify.shift import ShiftCorrection
from isogloss.classify.trust.trust import Calibration
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase
from isogloss.learn.linear_head import LinearHead

Fit = Callable[..., TextClassifier]

WIDTH, N_CLASSES, C = 16, 4, 0.1
CENTRES = 1.2 * np.random.default_rng(7).standard_normal((N_CLASSES, WIDTH)) / 2


def _documents(
    n: int, *, seed: int, signal: float = 1.0, shares: list[float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Documents around their class's centre, weakened or not, with shares of classes."""
    rng = np.random.default_rng(seed)
    y = rng.choice(N_CLASSES, size=n, p=shares)
    vectors = signal * CENTRES[y] + 0.9 * rng.standard_normal((n, WIDTH))
    return vectors.astype(np.float32), y


@pytest.fixture(scope="module")
def head() -> LinearHead:
    return LinearHead.fit(*_documents(600, seed=0), N_CLASSES, C=C)


@pytest.fixture(scope="module")
def reference() -> ForecastReference:
    vectors, y = _documents(600, seed=0)
    found = ForecastReference.fit(vectors, y, N_CLASSES, C=C, seed=0)
    assert found is not None
    return found


def _forecast(reference: ForecastReference, vectors: np.ndarray) -> float:
    return reference.expected_accuracy(float(reference.agreement_on(vectors).mean()))


def _row(reference: ForecastReference, vectors: np.ndarray) -> dict[str, Any]:
    agreement = float(reference.agreement_on(vectors).mean())
    return forecast_row(reference, agreement, len(vectors), n_training=600)


def test_agreement_is_that_of_a_slow_reference(reference: ForecastReference) -> None:
    vectors, _ = _documents(9, seed=3)
    fast = reference.agreement_on(vectors)
    for row, vector in enumerate(vectors.astype(np.float64)):
        products = []
        for first in range(0, len(reference.weight), 2):
            one, two = (
                softmax((reference.weight[i] @ vector + reference.bias[i]) / reference.temperature)
                for i in (first, first + 1)
            )
            products.append(float(one @ two))
        assert fast[row] == pytest.approx(np.mean(products), abs=1e-4)


@pytest.mark.parametrize("shares", [None, [0.6, 0.3, 0.1, 0.0], [0.0, 0.05, 0.05, 0.9]])
@pytest.mark.parametrize("signal", [1.0, 0.85, 0.7])
def test_the_forecast_follows_accuracy_whatever_the_shares(
    shares: list[float] | None, signal: float, reference: ForecastReference, head: LinearHead
) -> None:
    vectors, y = _documents(800, seed=5, signal=signal, shares=shares)
    accuracy = float((head.log_probabilities(vectors).argmax(axis=1) == y).mean())
    row = _row(reference, vectors)
    assert row["low"] <= accuracy <= row["high"]


def test_a_bad_language_is_flagged_and_good_ones_are_not(reference: ForecastReference) -> None:
    signals = {"de": 1.0, "fr": 0.95, "ko": 1.0, "th": 0.9, "xx": 0.35}
    rows = [
        {"lang": lang} | _row(reference, _documents(300, seed=9, signal=signal)[0])
        for lang, signal in signals.items()
    ]
    flag_rows(rows, training_accuracy=reference.accuracy, training_langs={"en"})
    assert {row["lang"]: row["flag"] for row in rows} == {
        "de": "", "fr": "", "ko": "", "th": "", "xx": "below the other languages"
    }  # fmt: skip
    for training, flag in (("en", "far below the training language"), ("xx", "")):
        alone = [{**rows[-1], "flag": ""}]
        flag_rows(alone, training_accuracy=reference.accuracy, training_langs={training})
        assert alone[0]["flag"] == flag


def test_texts_of_no_known_language_are_not_to_be_labelled() -> None:
    """`audit draw`, which the advice names, leaves them out."""
    row = {"n": 20, "expected": None, "low": 0.3, "high": 0.9, "agreement": 0.5, "flag": ""}
    rows = [{"lang": lang, **row} for lang in ("en", "ja", "und")]
    flag_rows(rows, training_accuracy=0.55, training_langs={"en"})
    assert [row["flag"] for row in rows] == ["", "few texts", "few texts"]
    found = forecast.Forecast(0.55, 0.5, 0.6, 100, rows)
    assert found.to_label == ["ja"]
    assert found.against(0.6).to_label == ["en", "ja"]


@pytest.mark.parametrize("aside", [("und", 300), ("und", 3), ("sw", 3), ("en", 300)])
def test_rows_that_are_never_flagged_do_not_move_the_median(aside: tuple[str, int]) -> None:
    expected = {"de": 0.50, "fr": 0.51, "gd": 0.42}
    rows = [
        {"lang": lang, "n": 300, "expected": value, "flag": ""} for lang, value in expected.items()
    ]
    rows += [{"lang": aside[0], "n": aside[1], "expected": 0.1, "flag": ""} for _ in range(4)]
    flag_rows(rows, training_accuracy=0.55, training_langs={"en"})
    of_few = "few texts" if aside[1] == 3 else ""
    assert [row["flag"] for row in rows] == ["", "", "below the other languages", *[of_few] * 4]


def test_fewer_texts_make_a_wider_interval(reference: ForecastReference) -> None:
    """Of the language and, as its accuracy is only known from them, of training."""
    sizes = [(1000, 600), (60, 600), (60, 24)]
    rows = [forecast_row(reference, 0.5, n, n_training=of) for n, of in sizes]
    assert len({row["expected"] for row in rows}) == 1
    reaches = [row["high"] - row["low"] for row in rows]
    assert 0 < reaches[0] < reaches[1] < reaches[2]
    assert all(0 <= row["low"] <= row["high"] <= 1 for row in rows)


def test_no_language_is_expected_above_training(reference: ForecastReference) -> None:
    assert reference.expected_accuracy(1.0) == reference.accuracy
    assert forecast_row(reference, 1.0, 50, n_training=600)["high"] > reference.accuracy


@pytest.mark.parametrize(("n", "is_given"), [(49, False), (50, True)])
def test_few_texts_get_an_interval_alone(
    n: int, is_given: bool, reference: ForecastReference
) -> None:
    row = forecast_row(reference, 0.5, n, n_training=600)
    assert (row["expected"] is not None) == is_given
    assert 0 < row["low"] < row["high"] < 1


def test_one_text_of_full_agreement_may_still_be_wrong(reference: ForecastReference) -> None:
    row = forecast_row(reference, 1.0, 1, n_training=600)
    assert (row["low"], row["high"]) == (0.0, 1.0)
    assert forecast_row(reference, 0.0, 1, n_training=600)["high"] == 1.0


def test_a_classifier_forecasts_by_language(model: TextClassifier) -> None:
    texts = [text for text, _ in JAPANESE]
    mixed = [*english(60, seed=3)[0], *texts]
    with pytest.warns(OmissionWarning, match=r"few texts of ja \(\d+\), so there is an interval"):
        result = model.forecast(mixed, ["en"] * 60 + ["ja"] * len(texts))
    assert [row["lang"] for row in result.rows] == ["en", "ja"]
    assert all(list(row) == list(COLUMNS) for row in result.rows)
    assert result.training_accuracy == model.fitted_.forecast_reference.accuracy
    assert result.training_low < result.training_accuracy < result.training_high
    assert result.n_training == model.n_training_documents_
    assert (result.rows[1]["expected"], result.to_label) == (None, ["ja"])
    assert result.as_json()["rows"] == result.rows
    assert "expected" in result.table().to_markdown()


def test_a_forecast_links_nothing_and_puts_unknown_languages_last(
    entity_model: TextClassifier, monkeypatch: pytest.MonkeyPatch
) -> None:
    def link(*_: Any, **__: Any) -> None:
        raise AssertionError("a forecast has no use for links")

    monkeypatch.setattr("isogloss.classify.documents.documents._link", link)
    with pytest.warns(OmissionWarning, match=r"of en \(1\), ja \(1\), und \(1\), so .*give 50"):
        rows = entity_model.forecast(["rain", "雨", "sun"], [None, "ja", "en"]).rows
    assert [row["lang"] for row in rows] == ["en", "ja", "und"]


def test_there_is_no_forecast_for_corrected_vectors(model: TextClassifier) -> None:
    """A correction makes texts look like those of training, which is what a forecast goes by."""
    texts = english(60, seed=3)[0]
    before = model.forecast(texts, "en")
    adapted = copy(model)
    correction = ShiftCorrection(np.zeros(model.encoder_.width), scale=0.9, n_texts=30)
    adapted.fitted_ = model.fitted_.with_correction("ja", correction)
    with pytest.warns(
        OmissionWarning, match="3 texts in ja left out: the model is adapted to them"
    ):
        mixed = adapted.forecast([*texts, "雨", "雪", "風"], ["en"] * 60 + ["ja"] * 3)
    assert mixed == before
    with pytest.raises(InputError, match=r"adapted to ja, and there is no forecast.*--remove"):
        adapted.forecast(["雨"], "ja")


def test_save_and_load_keep_temperature_and_forecast(model: TextClassifier, tmp_path) -> None:
    texts = english(60, seed=3)[0]
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=model.encoder_)
    assert repr(loaded.trust_) == repr(model.trust_)
    assert loaded.forecast(texts, "en") == model.forecast(texts, "en")


def test_what_cannot_be_forecast_is_said(model: TextClassifier) -> None:
    with pytest.raises(InputError, match="no texts"):
        forecast.forecast(model.fitted_, [], "en")
    few = TextClassifier(model.encoder_).fit(["a b", "c d"], ["x", "y"], "en")
    assert (few.trust_.temperature, few.fitted_.forecast_reference) == (1.0, None)
    with pytest.raises(InputError, match="compare with, as it was fitted on too few texts; fit"):
        few.forecast(["a"], "en")
    tuned = copy(few)
    tuned.fitted_ = replace(
        few.fitted_,
        preparation=replace(few.fitted_.preparation, options=replace(few.options_, tune="lora")),
    )
    with pytest.raises(InputError, match="compare with, as its encoder was fine-tuned; fit"):
        tuned.forecast(["a"], "en")


def test_the_reference_is_told_without_its_arrays(model: TextClassifier) -> None:
    shown = repr(model.trust_)
    assert "temperature=" in shown
    assert "array" not in shown
    assert "array" not in repr(model.fitted_.forecast_reference)
    found = model.fitted_.forecast_reference
    assert f"accuracy={found.accuracy}" in repr(found)


def test_mboe_is_calibrated_on_development_data_alone(fit: Fit, kb: KnowledgeBase) -> None:
    model = fit(preset="mboe")
    assert (model.trust_.temperature, model.trust_.is_calibrated) == (1.0, False)
    assert model.trust_.describe() == "not calibrated: no development texts"
    texts, labels = english()
    judged = TextClassifier(model.encoder_, kb, preset="mboe").fit(
        texts, labels, "en", X_dev=texts[:30], y_dev=labels[:30]
    )
    assert judged.trust_.fitted_on is Calibration.DEVELOPMENT
    assert 0 <= judged.trust_.error_after < judged.trust_.error_before <= 1
    assert judged.trust_.temperature != 1.0


def test_a_few_development_texts_leave_calibration_to_the_training_texts(fit: Fit) -> None:
    (texts, labels), encoder = english(), fit().encoder_
    judged = TextClassifier(encoder).fit(texts, labels, "en", X_dev=texts[:15], y_dev=labels[:15])
    assert judged.trust_.fitted_on is Calibration.OUT_OF_FOLD
    enough = TextClassifier(encoder).fit(texts, labels, "en", X_dev=texts[:20], y_dev=labels[:20])
    assert enough.trust_.fitted_on is Calibration.DEVELOPMENT


def test_nothing_linked_is_the_calibrated_answer_of_the_encoder(fit: Fit) -> None:
    texts, labels = english()
    model = fit(preset="mboe-plus")
    assert model.trust_.fitted_on is Calibration.OUT_OF_FOLD
    alone = TextClassifier(model.encoder_, random_state=model.random_state).fit(texts, labels, "en")
    assert alone.trust_.temperature == model.trust_.temperature != 1.0
    unlinked = ["nothing here", "", "game goal after"]
    ours, theirs = (one.predict_proba(unlinked, "en") for one in (model, alone))
    assert (ours == theirs).all()
    raw = np.exp(alone.head_.log_probabilities(alone.fitted_.prepare(unlinked, "en").vectors))
    assert (raw.argmax(axis=1) == theirs.argmax(axis=1)).all()
