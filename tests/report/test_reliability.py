"""Reliability diagrams: the order of the languages, what is folded, and the page."""

import math

import pytest
from report_pages import LANGS, Page, mean_of, row

from isogloss.report.html import write_classification_report
from isogloss.report.reliability import (
    N_LANGUAGES_SHOWN,
    LanguageReliability,
    ReliabilityDot,
    diagrams_of,
)

DOTS = [ReliabilityDot(20, 0.4, 0.5, 0.3, 0.7), ReliabilityDot(19, 0.9, 0.6, 0.38, 0.79)]


def language(lang, ece=0.1, *, is_training=False, n=39, dots=DOTS):
    return LanguageReliability(lang, is_training, n, ece, 0.64, 0.55, list(dots))


def written(path, languages):
    rows = [row(one.lang, one.accuracy) for one in languages] or [row("sw", 0.6)]
    write_classification_report(
        path, title="t", note="", rows=rows, mean=mean_of([r["lang"] for r in rows]),
        documents=[], settings={}, reliability=languages, overwrite=True,
    )  # fmt: skip
    return path.read_text(encoding="utf-8")


@pytest.fixture
def path(tmp_path):
    return tmp_path / "report.html"


def test_the_training_language_comes_first_then_the_largest_error():
    languages = [
        language("sw", 0.1), language("ja", 0.3), language("en", 0.02, is_training=True),
        language("und", math.nan), language("fr", 0.1),
    ]  # fmt: skip
    diagrams = diagrams_of(languages)
    assert [one.lang for one in diagrams.shown] == ["en", "ja", "sw", "fr", "und"]
    assert diagrams.folded == []
    said = "Over 3 languages without training texts, mean confidence is 0.64, accuracy 0.55."
    assert diagrams.summary == said
    assert diagrams_of(languages[:1]).summary == "Mean confidence is 0.64, accuracy 0.55."
    assert diagrams_of(languages[:2]).summary.startswith("Over 2 languages, ")


def test_what_is_beyond_a_dozen_is_folded_and_counted(path):
    languages = [language(lang, 0.5 - 0.01 * place) for place, lang in enumerate(LANGS[:15])]
    diagrams = diagrams_of(languages)
    assert len(diagrams.shown) == N_LANGUAGES_SHOWN == 12
    assert [one.lang for one in diagrams.folded] == LANGS[12:15]
    page = written(path, languages)
    assert page.index("<figure>") < page.index("<details>") < page.rindex("<figure>")
    assert len(Page(page).all("figure")) == 15
    assert "3 more languages</summary>" in page
    assert "<details>" not in written(path, languages[:12])


def test_a_dot_lies_where_its_confidence_and_accuracy_say(path):
    page = Page(written(path, [language("sw")]))
    assert [(dot["cx"], dot["cy"]) for dot in page.all("circle") if "." in dot["r"]] == [
        ("40.0", "50.0"),
        ("90.0", "40.0"),
    ]
    bars = [bar for bar in page.all("line", **{"class": "range"}) if bar["x1"] == "90.0"]
    assert [(bar["y1"], bar["y2"]) for bar in bars] == [("62.0", "21.0")]


def test_a_diagram_is_told_in_words_and_loads_nothing(path):
    page = written(path, [language("sw", n=1, dots=DOTS[1:]), language("xx-<b>", math.nan)])
    text = " ".join(Page(page).text.split())
    assert "confidence 0.90, right 0.60 [0.38, 0.79] of 19." in text
    assert "Where the dots lie below the line" in text
    assert "Swahili sw 1 text, ECE 0.100 sure 0.64, right 0.55" in text
    assert "39 texts, ECE –" in text
    assert "<b>" not in page.split("xx-")[1][:5]
    assert "<script" not in page
    assert "http" not in page


def test_without_probabilities_of_one_label_there_is_no_section(path):
    page = written(path, [])
    assert "figure>" not in page
    assert "as sure as" not in page
