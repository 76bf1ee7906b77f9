"""A classifier reads long texts as it was fitted to, saved or not; with tuning they are cut."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import english
from sklearn.base import clone

from isogloss.classify import TextClassifier
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning

SHORT, LABELS = english(24)
TEXTS = [f"{text} while after new plan " * 6 for text in SHORT]  # more than 40 tokens each


@pytest.fixture(scope="module")
def tiny(tiny_directory: Path) -> Encoder:
    return Encoder.load(tiny_directory, device="cpu", threads=1, pooling="mean")


def test_prediction_reads_what_fit_was_told_to(
    tiny: Encoder, tiny_directory: Path, tmp_path: Path
) -> None:
    model = TextClassifier(tiny, long_texts="windows").fit(TEXTS, LABELS)
    vectors = tiny.encode(TEXTS, long_texts="windows")
    np.testing.assert_allclose(model.fitted_.prepare(TEXTS).vectors, vectors, atol=1e-6)
    assert not model.fitted_.prepare(TEXTS).truncated.any()
    expected = model.predict_proba(TEXTS)
    model.save(tmp_path / "m")
    model.set_params(long_texts="cut")  # waits for the next fit
    for given in (None, tiny, tiny_directory):
        loaded = TextClassifier.load(tmp_path / "m", encoder=given, device="cpu")
        assert loaded.options_.long_texts == loaded.long_texts == "windows"
        np.testing.assert_allclose(loaded.predict_proba(TEXTS), expected, atol=1e-5)
    with pytest.warns(
        OmissionWarning, match=r"24 of 24 texts are longer .* fit with --long-texts win"
    ):
        cut = TextClassifier(tiny, long_texts="cut").fit(TEXTS, LABELS)
    assert not np.allclose(cut.head_.linear.weight, model.head_.linear.weight)


@pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")
def test_the_encoders_own_way_is_the_default(
    tiny: Encoder, tiny_directory: Path, tmp_path: Path
) -> None:
    encoder = Encoder.load(tiny_directory, device="cpu", pooling="mean", long_texts="cut")
    model = TextClassifier(encoder).fit(TEXTS, LABELS)
    assert not TextClassifier(tiny).fit(TEXTS, LABELS).fitted_.prepare(TEXTS).truncated.any()
    model.save(tmp_path / "m")
    loaded = TextClassifier.load(tmp_path / "m", device="cpu")
    assert loaded.fitted_.prepare(TEXTS).truncated.all()
    np.testing.assert_allclose(loaded.predict_proba(TEXTS), model.predict_proba(TEXTS), atol=1e-5)


@pytest.mark.parametrize(("own", "given"), [(None, "windows"), ("windows", None)])
def test_windows_are_refused_with_tuning(own: Any, given: Any, tiny_directory: Path) -> None:
    encoder = Encoder.load(tiny_directory, device="cpu", pooling="mean", long_texts=own)
    model = TextClassifier(encoder, tune="full", long_texts=given)
    with pytest.raises(InputError, match=r"for an encoder that stays frozen \(tune='head'\)"):
        model.fit(SHORT, LABELS)


def test_a_loaded_classifier_can_be_fine_tuned(tiny: Encoder, tmp_path: Path) -> None:
    TextClassifier(tiny).fit(SHORT, LABELS).save(tmp_path / "m")
    loaded = TextClassifier.load(tmp_path / "m", device="cpu")
    tuned = clone(loaded).set_params(tune="full", training={"epochs": 1, "dev_split": 0.0})
    tuned.fit(SHORT, LABELS).save(tmp_path / "t")
    assert tuned.encoder_.settings.long_texts.value == "cut"
