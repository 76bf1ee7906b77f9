"""Texts and labels that teach or tell little are counted."""

import logging

import pytest
from planted import FakeEncoder, english

from isogloss import TextClassifier
from isogloss.classify.documents.odd_texts import say_what_teaches_little
from isogloss.errors import OmissionWarning


def test_texts_under_different_labels_are_counted_and_one_is_shown() -> None:
    texts, labels = ["Où ?", "Où ? ", "b", "b", "c"], ["x", "y", "x", "z", "x"]
    with pytest.warns(OmissionWarning, match="2 training texts under different labels") as caught:
        say_what_teaches_little(texts, labels)
    assert "such as 'Où ?': 'x', 'y'" in str(caught[0].message)


def test_label_sets_contradict_each_other_too() -> None:
    with pytest.warns(OmissionWarning, match="1 training text under different labels"):
        say_what_teaches_little(["a", "a", "b"], [("x",), ("x", "y"), ()])


def test_repeats_are_no_loss_and_said(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, logger="isogloss"):
        say_what_teaches_little(["a", "a", "a", "b"], ["x", "x", "x", "y"])
    assert "2 training texts more than once" in caplog.text


def test_a_column_of_numbers_is_hardly_the_label() -> None:
    texts = [f"text {row}" for row in range(12)]
    with pytest.warns(UserWarning, match="12 of 12 labels have one text each .such as 'T-0'"):
        say_what_teaches_little(texts, [f"T-{row}" for row in range(12)])
    say_what_teaches_little(texts, ["x", "y", "z"] * 4)  # says nothing
    say_what_teaches_little(texts[:3], ["x", "y", "z"])


def test_a_fit_says_it_and_so_does_a_prediction() -> None:
    texts, labels = english(6)
    with pytest.warns(OmissionWarning, match="1 training text under different labels"):
        model = TextClassifier(FakeEncoder()).fit([*texts, "same", "same"], [*labels, "sport", "x"])
    sentence = "1 text empty and 2 texts without a letter: the label is a guess"
    with pytest.warns(UserWarning, match=sentence):
        found = model.predict(["", "123", "?", "水曜日", "नमस्ते"])
    assert set(found) <= set(model.classes_)
