"""Every value of a saved model, made something else: the model works, or one sentence says why not.

A model that loads must also answer and describe itself; what breaks later than at loading would be
a traceback for a user.
"""

import copy
import json
import shutil
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct
from planted import JAPANESE, FakeEncoder, english, label_sets

from isogloss.classify import TextClassifier
from isogloss.classify.evaluate.settings import describe
from isogloss.classify.shift import ShiftCorrection
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.learn.tuning_options import TuningOptions
from isogloss.storage.sealed import sealed
from isogloss.storage.typed import typed

OTHERS: tuple[Any, ...] = (None, "x", -1, [], {}, 0.5, float("nan"), True)
TEXTS = [text for text, _ in JAPANESE[:3]]
Fit = Callable[..., TextClassifier]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def places(value: Any, so_far: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to each value in a JSON document, but to itself."""
    if so_far:
        yield so_far
    if isinstance(value, dict | list):
        parts = value.items() if isinstance(value, dict) else enumerate(value[:2])
        for key, part in parts:
            yield from places(part, (*so_far, key))


def changed(document: Any, way: tuple[Any, ...], value: Any) -> Any:
    made = copy.deepcopy(document)
    inner = made
    for key in way[:-1]:
        inner = inner[key]
    inner[way[-1]] = value
    return made


def use(model: TextClassifier) -> None:
    answers = model.predict_proba(TEXTS, "ja")
    assert answers.shape == (3, len(model.classes_))
    assert np.isfinite(answers).all()
    model.predict(TEXTS, "ja")
    describe(model.fitted_)
    if model.fitted_.examples is not None:
        model.nearest_examples(TEXTS, "ja")


def survey(saved: Path, encoder: Encoder | None, only: tuple[str, ...] = ()) -> list[str]:
    """Make each value something else; return what neither worked nor was refused in a sentence."""
    file = saved / "model.json"
    whole = json.loads(file.read_text())
    faults = []
    for way in places(whole):
        if only and way[0] not in only:
            continue
        for value in OTHERS:
            made = changed(whole, way, value)
            file.write_text(json.dumps(sealed(made)))
            try:
                use(TextClassifier.load(saved, encoder=encoder, device="cpu"))
            except Exception as error:  # noqa: BLE001 (to find those that are no InputError)
                said = str(error)
                if not isinstance(error, InputError) or "\n" in said or len(said) > 500:
                    faults.append(f"{way} = {value!r}: {type(error).__name__}: {error}")
    file.write_text(json.dumps(whole))
    return faults


KINDS: dict[str, dict[str, Any]] = {
    "encoder only": {"kb": None},
    "mboe": {"preset": "mboe"},
    "mboe-plus": {},
    "label sets": {"multilabel": True, "thresholds": "tuned"},
    "random vectors": {"init": "random", "max_entities": 3},
    "examples": {"kb": None, "keep_examples": True},
}


@pytest.mark.parametrize(
    "kind",
    [pytest.param(kind, marks=() if kind == "mboe-plus" else pytest.mark.full) for kind in KINDS],
)
def test_any_value_of_a_model(
    kind: str, kb: KnowledgeBase, encoder: FakeEncoder, tmp_path: Path
) -> None:
    options = {"encoder": encoder, "kb": kb} | KINDS[kind]
    rows = label_sets() if options.get("multilabel") else english()
    model = TextClassifier(**options).fit(*rows, lang="en")
    if kind == "mboe-plus":
        model.fitted_ = model.fitted_.with_correction("ja", ShiftCorrection(np.zeros(12), 0.9, 50))
    model.save(tmp_path / "model")
    faults = survey(tmp_path / "model", encoder)
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    "tune", ["full", *(pytest.param(tune, marks=pytest.mark.full) for tune in ("head", "lora"))]
)
def test_any_value_about_the_encoder_of_a_model(
    tune: str, tiny_directory: Path, tmp_path: Path
) -> None:
    if tune == "lora":
        pytest.importorskip("peft")
    training = None if tune == "head" else {"epochs": 1, "dev_split": 0.2}
    base = Encoder.load(tiny_directory, device="cpu")
    model = TextClassifier(base, tune=tune, training=training)  # type: ignore[arg-type]
    model.fit(*english(), lang="en").save(tmp_path / "model")
    faults = survey(tmp_path / "model", None, only=("encoder", "training", "random_scale"))
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(
    ("way", "value", "expected"),
    [
        (
            ("trust", "temperature"),
            0,
            r"\(Expected `float` > 0.0 - at `\$.trust.temperature`\); copy",
        ),
        (("trust", "temperature"), "2", r"got `str` - at `\$.trust.temperature`\)"),
        (("thresholds",), [0.5], r"damaged \(it has 1 thresholds for 3 labels\)"),
        (("thresholds", 1), float("nan"), r"`float` >= 0.0 - at `\$.thresholds\[1\]`\)"),
        (("thresholds", 2), 1.5, r"`float` <= 1.0 - at `\$.thresholds\[2\]`\)"),
        (("classes",), ["a", "a", "b"], r"damaged \(classes is \['a', 'a', 'b'\]"),
        (("head", "mixture", "strength"), -1, r"`float` >= 0.0 - at `\$.head.mixture.strength`\)"),
        (("settings", "preset"), "x", r"damaged \(preset is 'x'; allowed: mboe, mboe-plus\)"),
        (("langs", 0), "german", r"damaged \(unknown language 'german'; did you mean 'de'\?\)"),
        (("settings", "pooling"), -1, r"damaged \(pooling is -1; allowed: mean, cls, pooler\)"),
        (("settings", "pooling"), True, r"damaged \(pooling is True; allowed"),
        (("settings", "pooling"), 1e308, r"damaged \(pooling is 1e\+308; allowed"),
        (("settings", "pooling"), float("nan"), r"damaged \(pooling is nan; allowed"),
        (("kb",), None, r"damaged \(its head has entities, and it names no know"),
        (("sha256",), {}, r"damaged: it lacks 'model.safetensors'"),
    ],
)
def test_what_is_said_of_damage(
    way: tuple[Any, ...], value: Any, expected: str, fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model")
    shutil.copytree(tmp_path / "model", tmp_path / "other")
    file = tmp_path / "other" / "model.json"
    file.write_text(json.dumps(sealed(changed(json.loads(file.read_text()), way, value))))
    with pytest.raises(InputError, match=expected) as refused:
        TextClassifier.load(tmp_path / "other", encoder=encoder)
    assert str(refused.value).startswith(str(file))


def test_no_field_that_is_missing_has_a_default(
    fit: Fit, encoder: FakeEncoder, tmp_path: Path
) -> None:
    fit().save(tmp_path / "model")
    file = tmp_path / "model" / "model.json"
    whole = json.loads(file.read_text())
    taken = []
    for way in places(whole):
        document = copy.deepcopy(whole)
        inner = document
        for key in way[:-1]:
            inner = inner[key]
        if not isinstance(inner, dict) or way[:2] == ("encoder", "options") or len(way) > 3:
            continue
        del inner[way[-1]]
        file.write_text(json.dumps(sealed(document)))
        try:
            TextClassifier.load(tmp_path / "model", encoder=encoder)
            taken.append(way)
        except InputError:
            pass
    assert taken == [("checksum",)]  # which `sealed` puts back


def test_a_record_lacks_nothing_at_any_depth() -> None:
    whole = {"mean": [{"dropout": None}], "by_name": {"a": {"dropout": 0.1}}}
    options = asdict(TuningOptions())
    filled = {"mean": [options], "by_name": {"a": options}}
    assert typed(filled, Nested) == Nested([TuningOptions()], {"a": TuningOptions()})
    for part in ("mean", "by_name"):
        with pytest.raises(KeyError):
            typed(filled | {part: whole[part]}, Nested)
    with pytest.raises(KeyError, match="by_name"):
        typed({"mean": []}, Nested)


class Nested(Struct):
    mean: list[TuningOptions]
    by_name: dict[str, TuningOptions] = {}
