"""Classes known by their names, alone and with few labelled texts."""

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from planted import FakeEncoder, english
from repository import ROOT

from isogloss import TextClassifier
from isogloss.classify.fitting import class_names
from isogloss.classify.fitting.class_names import NAME_WEIGHTS, SHARPNESS, TEMPLATE
from isogloss.errors import InputError, OmissionWarning
from isogloss.kb import KnowledgeBase

NAMES = {"sport": "game", "money": ["price", "stock and trade"], "space": "orbit"}
TEXTS = ["goal game game", "price price", "the orbit", "stock", ""]


class Longer(FakeEncoder):
    """The same directions, ten times as long."""

    def _sum(self, words: list[str], pooling: str | None) -> Any:
        return 10 * super()._sum(words, pooling)


@pytest.fixture(scope="module")
def encoder() -> FakeEncoder:
    """Wide, so that words have little in common."""
    return FakeEncoder(width=200)


def unit(vectors: Any) -> Any:
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


def slowly(
    encoder: FakeEncoder, texts: list[str], labels: list[str], asked: list[str], m: int
) -> dict[str, Any]:
    """Return label to s cos(h, q_c), by the formula."""
    scores = {}
    for label, given in NAMES.items():
        names = [given] if isinstance(given, str) else given
        written = [*names, *(TEMPLATE.format(name) for name in names)]
        towards = m * unit(unit(encoder.encode(written)).mean(axis=0))
        own = [text for text, other in zip(texts, labels, strict=True) if other == label]
        if own:
            towards = towards + unit(encoder.encode(own)).sum(axis=0)
        scores[label] = SHARPNESS * unit(encoder.encode(asked)) @ unit(towards)
    return scores


@pytest.mark.parametrize("n", [0, 2, 12])
def test_scores_are_those_of_the_formula(encoder: FakeEncoder, n: int) -> None:
    texts, labels = english(max(n, 1))
    texts, labels = texts[:n], labels[:n]
    model = TextClassifier(encoder).fit(texts, labels, "en", class_names=NAMES)
    (m,) = re.findall(r"counting as (\d+) text", model.head_.linear.describe())
    scores = slowly(encoder, texts, labels, TEXTS, int(m))
    found = model.head_.log_probabilities(encoder.encode(TEXTS))
    expected = np.stack([scores[label] for label in model.classes_.tolist()], axis=1)
    np.testing.assert_allclose(
        found - found.mean(axis=1, keepdims=True),
        expected - expected.mean(axis=1, keepdims=True),
        atol=1e-3,
    )


def test_names_alone_make_a_model(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit([], [], class_names=NAMES)
    assert model.predict(TEXTS[:4]).tolist() == ["sport", "money", "space", "money"]
    assert (model.n_training_documents_, model.trust_.temperature) == (0, 1.0)
    assert model.trust_.describe() == "not calibrated: too few texts"
    assert "each counting as 8 texts" in model.head_.linear.describe()
    scores = model.evaluate(TEXTS[:2], ["sport", "money"], "de")
    assert scores.rows[0]["accuracy"] == 1.0
    assert model.explain("price", "de").label == "money"


def test_a_class_may_have_a_name_and_no_text(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit(["goal"] * 3, ["sport"] * 3, "en", class_names=NAMES)
    assert model.classes_.tolist() == ["money", "space", "sport"]
    assert model.predict(["orbit", "goal"], "ja").tolist() == ["space", "sport"]


def test_names_that_mislead_count_nothing_and_the_head_says_so(
    encoder: FakeEncoder, tmp_path: Path
) -> None:
    texts, labels = english(45)
    swapped = {"sport": "price stock", "money": "game goal", "space": "orbit"}
    model = TextClassifier(encoder).fit(texts, labels, "en", class_names=swapped)
    alone = TextClassifier(encoder).fit(texts, labels, "en")
    assert model.predict_proba(TEXTS[:4]).tolist() == alone.predict_proba(TEXTS[:4]).tolist()
    assert "; class names count as 0 texts (chosen out-of-fold)" in model.head_.linear.describe()
    assert model.fitted_.forecast_reference is not None  # what a model of texts alone has
    assert model.fitted_.score_reference is not None


def test_a_class_without_a_text_keeps_its_name(encoder: FakeEncoder) -> None:
    texts, labels = english(45)
    kept = [row for row, label in enumerate(labels) if label != "space"]
    swapped = {"sport": "price stock", "money": "game goal", "space": "orbit"}
    model = TextClassifier(encoder).fit(
        [texts[row] for row in kept], [labels[row] for row in kept], "en", class_names=swapped
    )
    assert "(chosen out-of-fold)" in model.head_.linear.describe()
    assert model.predict(["orbit"]).tolist() == ["space"]


def test_too_few_texts_leave_the_smallest_weight(encoder: FakeEncoder) -> None:
    texts, labels = english(3)
    model = TextClassifier(encoder).fit(texts, labels, "en", class_names=NAMES)
    assert f"as {NAME_WEIGHTS[-1]} texts (too few texts to choose)" in model.head_.linear.describe()


def test_names_count_more_where_there_are_more_texts(encoder: FakeEncoder) -> None:
    for n, m in ((30, 8), (60, 16)):
        model = TextClassifier(encoder).fit(*english(n), "en", class_names=NAMES)
        assert f"counting as {m} texts" in model.head_.linear.describe()


def test_texts_draw_a_class_away_from_its_name(encoder: FakeEncoder) -> None:
    names = {"sport": "game", "money": "price"}
    texts = ["orbit"] * 100 + ["stock"] * 100
    model = TextClassifier(encoder).fit(
        texts, ["money"] * 100 + ["sport"] * 100, "en", class_names=names
    )
    assert model.predict(["orbit", "stock"], "en").tolist() == ["money", "sport"]


@pytest.mark.parametrize("names", ["same", [" same "], ["same", "same"]])
def test_two_classes_of_the_same_name_are_refused(encoder: FakeEncoder, names: Any) -> None:
    given = {"a": "same", "b": names, "c": ["same", "other"]}
    with pytest.raises(
        InputError, match="classes 'a' and 'b' have the same name \\('same'\\)"
    ) as error:
        TextClassifier(encoder).fit([], [], class_names={"a": "same", "b": names})
    assert "give each its own" in str(error.value)
    del given["b"]
    TextClassifier(encoder).fit([], [], class_names=given)  # one name of two is shared


def test_probabilities_are_calibrated_on_labelled_texts(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit(*english(60), "en", class_names=NAMES)
    assert model.trust_.describe() == "training texts, out-of-fold"
    assert model.trust_.temperature != 1.0
    assert model.trust_.error_after < 0.05


def test_a_longer_vector_changes_nothing() -> None:
    texts, labels = english(12)
    usual, longer = (
        TextClassifier(kind()).fit(texts, labels, "en", class_names=NAMES).predict_proba(TEXTS)
        for kind in (FakeEncoder, Longer)
    )
    np.testing.assert_allclose(usual, longer, atol=1e-4)


def test_the_probabilities_of_a_longer_vector_are_sharper_and_its_label_the_same() -> None:
    class Uneven(FakeEncoder):
        def _sum(self, words: list[str], pooling: str | None) -> Any:
            return (3 if "goal" in words else 1) * super()._sum(words, pooling)

    even, uneven = (
        TextClassifier(kind(width=200)).fit([], [], class_names=NAMES)
        for kind in (FakeEncoder, Uneven)
    )
    asked = ["goal game", "price"]
    assert uneven.predict(asked).tolist() == even.predict(asked).tolist()
    scores = [np.log(model.predict_proba(asked)[0]) for model in (even, uneven)]
    spread = [found - found.mean() for found in scores]
    np.testing.assert_allclose(spread[1], 3 * spread[0], rtol=1e-5)


def test_long_names_are_cut_with_a_word(tiny_directory: Path) -> None:
    with pytest.warns(OmissionWarning, match="1 name of classes longer than "):
        TextClassifier(tiny_directory, long_texts="cut").fit(
            [], [], class_names={"a": "sun " * 3000, "b": "rain"}
        )


def test_iterators_and_tensors_are_columns(encoder: FakeEncoder) -> None:
    texts, labels = english(12)
    fitted = TextClassifier(encoder).fit(iter(["goal"]), iter(["sport"]), class_names=NAMES)
    assert fitted.n_training_documents_ == 1
    numbers = torch.tensor([sorted(set(labels)).index(label) for label in labels])
    assert TextClassifier(encoder).fit(texts, numbers).classes_.tolist() == [0, 1, 2]


def test_labels_need_not_be_strings(encoder: FakeEncoder) -> None:
    names = {np.int64(2): "game", 1: "price"}
    model = TextClassifier(encoder).fit([], [], class_names=names)
    assert model.classes_.tolist() == [1, 2]
    assert model.predict(["game"]).tolist() == [2]


def test_a_saved_model_answers_the_same(tiny_directory: Path, tmp_path: Path) -> None:
    model = TextClassifier(tiny_directory).fit(*english(9), "en", class_names=NAMES)
    model.save(tmp_path / "model")
    again = TextClassifier.load(tmp_path / "model")
    assert again.predict_proba(TEXTS).tolist() == model.predict_proba(TEXTS).tolist()


def test_a_later_fit_without_names_forgets_them(encoder: FakeEncoder) -> None:
    fresh = TextClassifier(encoder).fit(*english(), "en")
    model = TextClassifier(encoder).fit([], [], class_names=NAMES).fit(*english(), "en")
    assert model.predict_proba(TEXTS).tolist() == fresh.predict_proba(TEXTS).tolist()
    assert model.fitted_.score_reference is not None


def test_what_needs_labelled_texts_says_so(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit([], [], class_names=NAMES)
    with pytest.raises(InputError, match="adapted: it was fitted with class names; fit"):
        model.adapt("de", ["price"] * 30)
    with pytest.raises(InputError, match="compare with, as it was fitted with class names; fit"):
        model.forecast(["price"], "de")


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"a": "one"}, "two classes are needed"),
        ({"a": "one", "b": " "}, "a name of class 'b' is ' '"),
        ({"a": "one", "b": []}, "class 'b' has no name"),
        ({"a": "one", "b": [3]}, "a name of class 'b' is 3"),
        (["a", "b"], "no dictionary"),
        ({"a": 5, "b": "two"}, "a class's name is 5; give a list of names"),
        ({None: "one", "b": "two"}, "the label None, which marks a missing one"),
        ({"sports": "game", "money": "price"}, "'sport', which has no name; did you mean 'sports'"),
    ],
)
def test_bad_names_are_refused(encoder: FakeEncoder, given: Any, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        TextClassifier(encoder).fit(["goal"], ["sport"], "en", class_names=given)


def test_equal_labels_of_two_kinds_are_refused(encoder: FakeEncoder) -> None:
    with pytest.raises(InputError, match="are equal"):
        TextClassifier(encoder).fit(["goal"], [True], class_names={1: "game", 2: "price"})


def test_other_classifiers_are_refused(encoder: FakeEncoder, kb: KnowledgeBase) -> None:
    for options, name in (
        ({"kb": kb}, "kb"), ({"multilabel": True}, "multilabel"), ({"tune": "full"}, "tune"),
    ):  # fmt: skip
        with pytest.raises(InputError, match=f"leave {name} out"):
            TextClassifier(encoder, **options).fit([], [], class_names=NAMES)
    with pytest.raises(InputError, match="names the encoder alone answers, without entities;"):
        TextClassifier(encoder, kb=kb).fit(["goal"], ["sport"], "en", class_names=NAMES)
    with pytest.raises(InputError, match="leave checkpoints out"):
        TextClassifier(encoder).fit([], [], class_names=NAMES, checkpoints="run")
    with pytest.raises(InputError, match="development texts"):
        TextClassifier(encoder).fit([], [], class_names=NAMES, X_dev=["a"], y_dev=["sport"])


def test_a_refused_fit_leaves_the_model_as_it_was(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit([], [], class_names=NAMES)
    with pytest.raises(InputError):
        model.fit(["goal"], ["unknown"], "en", class_names=NAMES)
    assert model.predict(["price"]).tolist() == ["money"]


def test_the_constants_are_those_of_the_page() -> None:
    page = ROOT / "docs" / "few-labels.md"
    shown = ", ".join(map(str, class_names.NAME_WEIGHTS))
    assert f"{shown} and 0" in " ".join(page.read_text("utf-8").split())
    assert f"s = {class_names.SHARPNESS:.0f}" in page.read_text("utf-8")
    assert TEMPLATE.format("…") in page.read_text("utf-8")
