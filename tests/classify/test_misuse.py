"""What is no column of texts, labels or languages: one sentence, before anything is learned."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow
import pytest
from planted import FakeEncoder, english

import isogloss
from isogloss.classify import TextClassifier
from isogloss.encode import Encoder
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase, Linker

TEXTS, LABELS = english(24)
Fit = Callable[..., TextClassifier]
pytestmark = pytest.mark.filterwarnings("ignore::isogloss.errors.OmissionWarning")

NO_TEXTS: dict[str, tuple[Any, str]] = {
    "None": (None, "is None; give a list of texts"),
    "a number": (5, "is 5; give a list of texts"),
    "one string": ("one text", "is one string; give a list of texts"),
    "bytes": (b"one text", "is one value of bytes; give a list"),
    "a dictionary": ({"text": TEXTS}, "is a table; give one column of texts"),
    "an arrow table": (pyarrow.table({"text": TEXTS}), "is a table; give one column of texts"),
    "a matrix": (np.array(TEXTS)[:, None], "is a table; give one column"),
    "one value of numpy": (np.array("a"), "is one value; give one column"),
    "a set": (set(TEXTS), "is a set, which has no order"),
    "bytes in a list": ([b"a"] * 24, r"text 0 .*bytes"),
    "None in a list": ([*TEXTS[:-1], None], r"text 23 .*NoneType"),
    "lists in a list": ([[text] for text in TEXTS], r"text 0 .*list"),
    "missing values": ([float("nan")] * 24, r"text 0 .*float"),
    "numbers": (np.ones(24), r"text 0 .*float"),
}
TAKES_TEXTS: dict[str, Callable[[TextClassifier, Any], Any]] = {
    "fit": lambda model, X: model.fit(X, LABELS, "en"),
    "fit, dev": lambda model, X: model.fit(TEXTS, LABELS, "en", X_dev=X, y_dev=LABELS),
    "predict": lambda model, X: model.predict(X, "en"),
    "predict_proba": lambda model, X: model.predict_proba(X, "en"),
    "evaluate": lambda model, X: model.evaluate(X, LABELS, "en"),
    "score": lambda model, X: model.score(X, LABELS, "en"),
    "forecast": lambda model, X: model.forecast(X, "en"),
    "adapt": lambda model, X: model.adapt("de", X),
    "link": lambda model, X: Linker(model.kb_, "en").link(X),
}


@pytest.fixture
def model(fit: Fit, kb: KnowledgeBase, encoder: FakeEncoder) -> TextClassifier:
    """A fitted classifier that a test may fit again."""
    made = TextClassifier(encoder, kb)
    made.__dict__ |= {name: value for name, value in vars(fit()).items() if name.endswith("_")}
    return made


@pytest.fixture(scope="module")
def tiny(tiny_directory: Any) -> Encoder:
    return Encoder.load(tiny_directory, device="cpu", pooling="mean")


@pytest.mark.parametrize("kind", NO_TEXTS)
def test_no_column_of_texts(kind: str, tiny: Encoder) -> None:
    given, expected = NO_TEXTS[kind]
    with pytest.raises(InputError, match=expected) as refused:
        tiny.encode(given)
    assert isinstance(refused.value, TypeError) or kind == "None"  # as Python calls it
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("call", TAKES_TEXTS)
def test_what_takes_texts_takes_a_column(call: str, model: TextClassifier) -> None:
    for kind in ("one string", "None in a list"):
        given, expected = NO_TEXTS[kind]
        with pytest.raises(InputError, match=expected):
            TAKES_TEXTS[call](model, given)
    expected = "go together; one of them" if call == "fit, dev" else NO_TEXTS["None"][1]
    with pytest.raises(InputError, match=expected):
        TAKES_TEXTS[call](model, None)


@pytest.mark.parametrize(
    "column",
    [tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object), pyarrow.array(TEXTS),
     pyarrow.chunked_array([TEXTS])],
    ids=lambda column: f"{type(column).__name__} {getattr(column, 'dtype', '')}",
)  # fmt: skip
def test_columns_of_any_library(column: Any, model: TextClassifier, tiny: Encoder) -> None:
    expected = model.predict_proba(TEXTS, "en")
    assert np.array_equal(model.predict_proba(column, "en"), expected)
    assert np.array_equal(model.predict_proba(iter(TEXTS), iter(["en"] * 24)), expected)
    assert np.array_equal(tiny.encode(column), tiny.encode(TEXTS))
    for texts in (column, iter(TEXTS)):
        assert Linker(model.kb_, "en").link(texts).texts == tuple(TEXTS)


NO_LABELS: dict[str, tuple[Any, str]] = {
    "None": (None, "y is None; give a list of labels"),
    "a number": (4, "y is 4; give a list of labels"),
    "one string": ("a" * 24, "y is one string; give a list of labels"),
    "a matrix": (np.eye(24), "y is a table; give one column of labels"),
    "a dictionary": (dict(enumerate(LABELS)), "y is a table"),
    "a set": (set(LABELS), "y is a set, which has no order"),
    "another length": (LABELS[:3], "24 texts but 3 labels; give one for each"),
    "missing values": ([float("nan")] * 24, r"label of text 0 is missing \(nan\)"),
    "no time": ([np.datetime64("NaT")] * 24, "label of text 0 is missing"),
    "label sets": ([[label] for label in LABELS], r"text 0 is \['sport'\].*multilabel=True"),
    "dictionaries": ([{}] * 24, "text 0 is {}; give one label a text"),
    "lists in tuples": ([([],)] * 24, r"text 0 is \(\[\],\); give one label a text"),
}
NO_LABEL_SETS: dict[str, tuple[Any, str]] = {
    "None": (None, "y is None; give a list of label sets"),
    "one string": ("a" * 24, "y is one string; give a list of label sets"),
    "a matrix": (np.eye(24), "y is a matrix; give the labels of each text as a list"),
    "a dictionary": (dict(enumerate(LABELS)), "y is a table"),
    "another length": ([["a"]] * 3, "24 texts but 3 label sets"),
    "labels": (LABELS, r"labels of text 0 are one string \('sport'\)"),
    "lists in lists": ([[["a"]]] * 24, r"a label of text 0 is \['a'\]; labels are single"),
    "missing values": ([[None]] * 24, "a label of text 0 is missing"),
}


@pytest.mark.parametrize("kind", NO_LABELS)
def test_no_column_of_labels(kind: str, model: TextClassifier) -> None:
    given, expected = NO_LABELS[kind]
    with pytest.raises(InputError, match=expected):
        model.fit(TEXTS, given, "en")


def test_what_takes_labels_takes_a_column(model: TextClassifier) -> None:
    for call in (model.evaluate, model.score):
        with pytest.raises(InputError, match="y is one string; give a list of labels"):
            call(TEXTS, "a" * 24, "en")


@pytest.mark.parametrize("kind", NO_LABEL_SETS)
def test_no_column_of_label_sets(kind: str, encoder: FakeEncoder) -> None:
    given, expected = NO_LABEL_SETS[kind]
    with pytest.raises(InputError, match=expected):
        TextClassifier(encoder, multilabel=True).fit(TEXTS, given, "en")


@pytest.mark.parametrize(
    ("lang", "expected"),
    [
        (5, "lang is 5; give a list of codes"),
        (True, "lang is True; give a list of codes"),
        (b"en", "lang is one value of bytes"),
        ({"en": 1}, "lang is a table"),
        ({"en"}, "lang is a set, which has no order"),
        (["en"], "1 language for 24 texts"),
        ([5] * 24, "the language of text 0 is 5, not a code"),
        (np.array([["en"]] * 24), "lang is a table"),
        ("en,de", "did you mean 'auto:en,de'"),
        ("auto:xx-", "unknown language 'xx-'"),
    ],
    ids=repr,
)
def test_no_language(lang: Any, expected: str, model: TextClassifier) -> None:
    for call in (model.predict, model.forecast, lambda X, lang: model.fit(X, LABELS, lang)):
        with pytest.raises(InputError, match=expected):
            call(TEXTS, lang)


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda model: model.adapt(["en"], TEXTS), "a language is list; give one code"),
        (lambda model: Linker(model.kb_, 5), "a language is int; give one code"),
        (lambda model: model.predict(TEXTS, "en", fallback_lang=["de"]), "a language is list"),
        (lambda model: model.explain(TEXTS, "en"), "explain takes one text, not list"),
        (lambda model: model.evaluate(TEXTS, LABELS, "en", ids="a" * 24), "ids is one string"),
        (lambda model: model.evaluate(TEXTS, LABELS, "en", ids=5), "ids is 5; give a list"),
        (lambda model: model.evaluate(TEXTS, LABELS, "en", versus="m"), "versus is 'm'; give a"),
        (lambda model: model.evaluate(TEXTS, LABELS, "en", abstain_below="x"), "below is 'x'; a"),
        (lambda model: model.evaluate(TEXTS, LABELS, "en", abstain_below=True), "below is True; a"),
        (lambda model: TextClassifier(5).fit(TEXTS, LABELS), "encoder is 5; give an Encoder"),
        (lambda model: TextClassifier(kb=[]).fit(TEXTS, LABELS), r"kb is \[\]; give a Know"),
        (lambda model: TextClassifier(min_link_prob="x").fit(TEXTS, LABELS), "prob is 'x'; a num"),
        (lambda model: TextClassifier(nested="no").fit(TEXTS, LABELS), "nested is 'no'; allowed"),
    ],
)
def test_another_kind_of_value(
    call: Callable[[TextClassifier], Any], expected: str, model: TextClassifier
) -> None:
    with pytest.raises(InputError, match=expected):
        call(model)


def test_what_to_catch_comes_from_the_package(model: TextClassifier) -> None:
    with pytest.raises(isogloss.InputError, match="explain takes one text"):
        model.explain(["a"], "en")  # type: ignore[arg-type]
    assert isogloss.OmissionWarning is OmissionWarning
    assert all(hasattr(isogloss, name) for name in isogloss.__all__)
