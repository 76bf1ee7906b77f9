"""The report of an evaluation: settings in words and a few explained documents."""

from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest
from planted import JAPANESE

from isogloss.classify import TextClassifier
from isogloss.classify.mboe_plus import Mixture
from isogloss.classify.reporting import describe, write_report

TEXTS = [JAPANESE[2][0], "Mars <b>&</b> CERN", "", "Уимблдон"]
TOPICS, LANGS = ["money", "space", "sport", "sport"], ["ja", "en", None, "ru"]


@pytest.mark.usefixtures("quiet")
def test_the_report_shows_scores_and_marked_names(model: TextClassifier, tmp_path: Path) -> None:
    result = model.evaluate(TEXTS, TOPICS, LANGS)
    options = {"title": "Names & news", "note": "an illustration"}
    write_report(tmp_path / "r.html", model, result, TEXTS, TOPICS, LANGS, **options)
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Names &amp; news" in page
    assert "an illustration" in page
    assert "<b>&</b>" not in page  # the text of a document is escaped
    assert ("Toyota" in page) == (model.kb_ is not None)


def test_settings_say_what_the_head_is(fit: Callable[..., TextClassifier]) -> None:
    assert "encoder only, C = " in describe(fit(kb=None))["head"]
    assert describe(fit(preset="mboe", attention="sum"))["preset"] == "mboe, attention sum"
    plus = describe(fit())
    assert "K / (K + " in plus["entities"] or plus["entities"].startswith("no weight")
    model = fit()
    useless = replace(model.head_, mixture=Mixture(0.0, 10.0))
    silent = copy(model)
    silent.head_ = useless
    assert describe(silent)["entities"].startswith("no weight")
    assert plus["trained on"] == "48 texts in en"
    assert plus["entities seen in training"] == str(len(fit().head_.memory.entities))
