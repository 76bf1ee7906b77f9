"""Options of another kind than they may be: one sentence, before anything is encoded."""

from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from planted import FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.classify.options import FittedOptions, check_options
from isogloss.errors import InputError
from isogloss.learn.tuning_options import TuningOptions
from isogloss.train import TrainingOptions

TEXTS, LABELS = english(24)
NAN = float("nan")
MAY_BE_NONE = {
    "learning_rate", "clip_norm", "accumulate", "max_tokens", "patience", "class_weights",
    "max_length", "embeddings", "dropout", "max_entities", "pooling",
    "long_texts",
    "lang",
}  # fmt: skip
ALLOWED = {
    "attention": [True], "multilabel": [True], "nested": [True], "max_entities": [1],
    "keep_examples": [True],
    "random_state": [1], "min_link_prob": [1], "min_commonness": [1],
    "dtype": ["x"],  # of an encoder that is loaded already; what it is not is said in loading
}  # fmt: skip


def refused(model: TextClassifier, **given: Any) -> str:
    encoder = model.encoder
    before = encoder.n_encoded
    with pytest.raises(InputError) as error:
        model.fit(TEXTS, LABELS, "en", **given)
    assert encoder.n_encoded == before
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 200
    return str(error.value)


@pytest.mark.parametrize("name", [field.name for field in fields(TuningOptions)])
def test_an_option_of_tuning(name: str) -> None:
    is_of_training = name in [field.name for field in fields(TrainingOptions)]
    for value in ("1", [1], True, NAN, {}, None):
        if value is None and name in MAY_BE_NONE:
            assert getattr(TuningOptions.of({name: value}), name) is None
            continue
        with pytest.raises(InputError) as error:
            TuningOptions.of({name: value})
        assert str(error.value).startswith(f"{name} is {value!r}; ")
        if is_of_training:
            with pytest.raises(InputError, match=f"^{name} is "):
                TrainingOptions(**{name: value})


def test_options_of_tuning_are_looked_at_before_anything_is_encoded(encoder: FakeEncoder) -> None:
    said = refused(TextClassifier(encoder, tune="full", training={"epochs": "1"}))
    assert said.startswith("epochs is '1'; ")


@pytest.mark.parametrize("name", [field.name for field in fields(FittedOptions)])
def test_an_option_of_the_classifier(name: str, encoder: FakeEncoder) -> None:
    allowed = [None] if name in MAY_BE_NONE else []
    allowed += ALLOWED.get(name, [])
    for value in ("x", [1], NAN, 1.5, 1, True, None, -1, 2**32, np.eye(2)):
        model = TextClassifier(encoder, **{name: value})
        if any(type(one) is type(value) and np.all(one == value) for one in allowed):
            check_options(model.get_params(deep=False))
        else:
            said = refused(model)
            assert said.startswith((f"{name} is ", "no pooling 'x'", "unknown language 'x'"))


@pytest.mark.parametrize("training", [5, ["epochs"], "epochs", True, TrainingOptions()], ids=repr)
def test_what_holds_no_options_of_tuning(training: Any, encoder: FakeEncoder) -> None:
    said = refused(TextClassifier(encoder, tune="full", training=training))
    assert said.startswith("training is ")
    assert "give a TuningOptions or a dictionary: {'epochs': 3}" in said


@pytest.mark.parametrize("checkpoints", [5, True, [], b"x"], ids=repr)
def test_what_is_no_folder_for_checkpoints(checkpoints: Any, encoder: FakeEncoder) -> None:
    said = refused(TextClassifier(encoder, tune="full"), checkpoints=checkpoints)
    assert said == f"checkpoints is {checkpoints!r}; give a folder"


@pytest.mark.parametrize("device", [None, 0, ["cpu"]], ids=repr)
def test_what_is_no_device(device: Any, encoder: FakeEncoder) -> None:
    assert refused(TextClassifier(encoder, device=device)).startswith("device is ")


def test_the_largest_seed_is_one(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder, random_state=2**32 - 1).fit(TEXTS, LABELS, "en")
    assert model.options_.random_state == 2**32 - 1


def test_booleans_of_numpy_are_booleans(encoder: FakeEncoder) -> None:
    options = {"nested": np.True_, "multilabel": np.False_, "attention": np.True_}
    model = TextClassifier(encoder, **options).fit(TEXTS, LABELS, "en")
    assert model.predict(TEXTS[:2], "en").shape == (2,)


@pytest.mark.parametrize(
    ("weights", "expected"),
    [
        ([0] * 24, "all weights of texts are 0; give one above 0"),
        ([1] * 23, "23 weights for 24 texts; give one for each"),
        ([1] * 23 + [-1], "the weight of text 23 is -1; give 0 or more"),
        ([1] * 23 + [NAN], "the weight of text 23 is nan"),
        (["1"] * 24, "the weight of text 0 is '1'"),
        (np.ones((24, 1)), "sample_weight is a table"),
        (3, "sample_weight is 3; give a list of numbers"),
    ],
)
def test_weights_of_a_score(weights: Any, expected: str, encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit(TEXTS, LABELS, "en")
    before = encoder.n_encoded
    with pytest.raises(InputError, match=expected):
        model.score(["new text"] * 24, LABELS, "en", weights)
    assert encoder.n_encoded == before


def test_numbers_of_numpy_are_numbers() -> None:
    options = TuningOptions(
        learning_rate=np.float32(0.5), epochs=np.int64(3), warm_up=np.int64(0),
        dev_split=np.float32(0.25), lora_rank=np.int32(4),
    )  # fmt: skip
    kept = (options.learning_rate, options.epochs, options.warm_up, options.dev_split)
    assert kept == (0.5, 3, 0, 0.25)
    assert [type(value) for value in kept] == [float, int, int, float]
    assert type(options.lora_rank) is int
