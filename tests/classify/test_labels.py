"""One order of labels: argmax of predict_proba is predict, before and after saving."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from planted import FakeEncoder, english

from isogloss.classify import TextClassifier
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase

TEXTS, TOPICS = english(24)


def numbered(labels: list[Any]) -> list[Any]:
    names = sorted(set(TOPICS))
    return [labels[names.index(topic)] for topic in TOPICS]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["z", "a", "m"], ["a", "m", "z"]),
        (["日本", "été", "спорт"], ["été", "спорт", "日本"]),
        ([30, -1, 7], [-1, 7, 30]),
        ([2**70, 1, 0], [0, 1, 2**70]),
        ([True, False, True], [False, True]),
        ([0.5, 2.5, 1.5], [0.5, 1.5, 2.5]),
        (["1", 1, 2.5], [2.5, "1", 1]),
        ([np.int64(3), np.int64(2), np.int64(1)], [1, 2, 3]),
        (["x", "xx ", ""], ["", "x", "xx "]),
        (["a\0", "a", "\0"], ["\0", "a", "a\0"]),
        ([2**63, -1, 0], [-1, 0, 2**63]),
    ],
    ids=str,
)
def test_labels_come_back_as_they_are(
    encoder: FakeEncoder, tmp_path: Path, labels: list[Any], classes: list[Any]
) -> None:
    y = numbered(labels)
    model = TextClassifier(encoder).fit(TEXTS, y)
    if classes[0] == 2.5:
        classes = list(dict.fromkeys(y))  # no order: as first met
    assert model.classes_.tolist() == classes
    model.save(tmp_path / "model")
    loaded = TextClassifier.load(tmp_path / "model", encoder=encoder)
    for one in (model, loaded):
        predicted, probabilities = one.predict(TEXTS), one.predict_proba(TEXTS)
        assert predicted.tolist() == [classes[i] for i in probabilities.argmax(axis=1)]
        assert {type(label) for label in predicted.tolist()} <= {type(label) for label in classes}
        assert np.mean([a == b for a, b in zip(predicted.tolist(), y, strict=True)]) > 0.8
    assert np.array_equal(model.predict_proba(TEXTS), loaded.predict_proba(TEXTS))
    assert loaded.classes_.dtype == model.classes_.dtype


def test_labels_that_json_cannot_hold_work_but_are_not_saved(
    encoder: FakeEncoder, tmp_path: Path
) -> None:
    y = numbered([("a", 1), ("a", 2), ("b", 1)])
    model = TextClassifier(encoder).fit(TEXTS, y)
    assert np.mean([a == b for a, b in zip(model.predict(TEXTS).tolist(), y, strict=True)]) > 0.8
    with pytest.raises(InputError, match=r"a label is \('a', 1\); only strings"):
        model.save(tmp_path / "model")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("labels", "said"),
    [
        ([1, True, 2], r"labels True \(bool\) and 1 \(int, of text 2\)|labels 1 \(int\) and True"),
        ([1.0, 2, 1], r"1 \(int\) and 1.0 \(float|1.0 \(float\) and 1 \(int"),
        ([False, 0.0, 1], r"are equal; give labels of one kind"),
        ([np.float32(2), 2, 3], r"2.0 \(float\).*2 \(int|2 \(int\).*2.0 \(float"),
    ],
    ids=str,
)
def test_equal_labels_of_different_kinds_do_not_become_one_class(
    encoder: FakeEncoder, labels: list[Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        TextClassifier(encoder).fit(TEXTS, numbered(labels))


def test_arrays_of_labels_are_taken(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder).fit(np.array(TEXTS), np.array(TOPICS))
    assert model.predict(np.array(TEXTS[:3])).tolist() == TOPICS[:3]


@pytest.mark.parametrize("preset", ["mboe", "mboe-plus"])
def test_same_seed_same_bytes(
    kb: KnowledgeBase, encoder: FakeEncoder, tmp_path: Path, preset: Any
) -> None:
    for name, seed in (("a", 3), ("b", 3), ("c", 4)):
        model = TextClassifier(encoder, kb, preset=preset, init="random", random_state=seed)
        model.fit(TEXTS, TOPICS, lang="en").save(tmp_path / name)
    content = [
        {file.name: file.read_bytes() for file in (tmp_path / name).iterdir()} for name in "abc"
    ]
    assert content[0] == content[1]
    assert content[0]["model.safetensors"] != content[2]["model.safetensors"]
