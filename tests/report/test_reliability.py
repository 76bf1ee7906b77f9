"""Reliability diagrams: where dots lie, what is folded, and the words for who sees none."""

import math

import pytest
from report_pages import Page, mean_of, row

from isogloss.report.html import ClassificationReport
from isogloss.report.reliability import Reliability, ReliabilityDot
from isogloss.report.table import Table

DOTS = [ReliabilityDot(20, 0.4, 0.5, 0.3, 0.7), ReliabilityDot(19, 0.9, 0.6, 0.38, 0.79)]


def diagram(name, ece=0.1, *, n=39, dots=DOTS):
    return Reliability(name, n, ece, 0.64, 0.55, list(dots))


@pytest.fixture
def written(tmp_path):
    def write(*diagrams):
        rows = [row("sw", 0.6)]
        ClassificationReport(
            title="t", note="", rows=rows, mean=mean_of(["sw"]), scores=Table(rows), settings={},
            reliability=diagrams,
        ).write(tmp_path / "report.html", overwrite=True)  # fmt: skip
        return (tmp_path / "report.html").read_text(encoding="utf-8")

    return write


def test_the_first_diagram_is_shown_and_the_others_are_folded(written):
    page = written(diagram("3 languages"), diagram("Swahili", n=120), diagram("Thai", n=100))
    section = page[page.index('id="reliability"') :]
    assert section.index("3 languages") < section.index("<details>") < section.index("Swahili")
    assert "Languages of 100 texts or more</summary>" in section
    assert len(Page(page).all("figure")) == 3
    assert "texts or more" not in written(diagram("3 languages"))


def test_a_dot_lies_where_its_confidence_and_accuracy_say(written):
    page = Page(written(diagram("Swahili")))
    assert [(dot["cx"], dot["cy"]) for dot in page.all("circle") if "." in dot["r"]] == [
        ("40.0", "50.0"),
        ("90.0", "40.0"),
    ]
    bars = [bar for bar in page.all("line", **{"class": "range"}) if bar["x1"] == "90.0"]
    assert [(bar["y1"], bar["y2"]) for bar in bars] == [("62.0", "21.0")]


def test_a_diagram_is_told_in_words_and_loads_nothing(written):
    page = written(diagram("xx-<b>", math.nan, n=1, dots=DOTS[1:]), diagram("Swahili"))
    text = " ".join(Page(page).text.split())
    assert "confidence 0.90, right 0.60 [0.38, 0.79] of 19." in text
    assert "Where the dots lie below the line" in text
    assert "Swahili 39 texts, ECE 0.100 sure 0.64, right 0.55" in text
    assert "1 text, ECE –" in text
    assert "<b>" not in page.split("xx-")[1][:5]
    assert "<script" not in page
    assert "http" not in page


def test_without_probabilities_of_one_label_there_is_no_section(written):
    page = written()
    assert "figure>" not in page
    assert "as sure as" not in page
