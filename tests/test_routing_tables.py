"""The tables of the routing benchmark, on an inbox of a few messages."""

import sys

import numpy as np
import pytest
from repository import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

import routing
from isogloss.classify.forecast import Forecast
from routing_texts import Inbox

INBOX = Inbox(
    ids=["a", "b", "a", "b", "c", "d"],
    langs=["en", "en", "de", "de", "sw", "sw"],
    texts=["Krita", "x", "Krita", "y", "z", "w"],
    labels=["graphics"] * 6,
    is_named=[True, False, True, False, False, False],
)
OTHERS = ["de", "sw"]
RIGHT = {
    routing.Way.of(routing.ALONE): np.array([1.0, 1, 1, 0, 0, 0.5]),
    routing.Way.of(routing.GLOSSARY): np.array([1.0, 1, 1, 1, 0, 0.5]),
    routing.Way.of(routing.MASKED): np.array([1.0, 1, 0, 0, 0, 0.5]),
    routing.Way(routing.LOOKED_UP, routing.KNOWN, False): np.array([1.0, 1, 1, 0, 0, 0.5]),
}


def test_the_overview_is_a_mean_over_languages_without_english() -> None:
    rows = routing.overview(INBOX, RIGHT, OTHERS).rows
    assert [row["accuracy"] for row in rows] == pytest.approx([0.375, 0.625, 0.125, 0.375])
    assert rows[1]["difference"] == pytest.approx(0.25)
    assert rows[0]["en"] == 1
    assert "masked" in rows[2]["answered by"]


def test_the_effect_of_names_is_told_apart() -> None:
    rows = {row["messages"]: row for row in routing.effect_of_names(INBOX, RIGHT).rows}
    named = rows["other languages, a product named"]
    assert (named["n"], named["encoder alone"], named["what masking costs"]) == (1, 1.0, -1.0)
    assert rows["other languages, none named"]["difference"] == pytest.approx(1 / 3)


def test_detection_counts_right_wrong_and_none() -> None:
    langs = {
        routing.AUTO: ["en", None, "de", "nl", "sw", None],
        routing.AUTO_AMONG: INBOX.langs,
    }
    first, second, third, fourth = routing.detection(INBOX, langs, OTHERS).rows
    assert (first["right"], first["none"], first["wrong"]) == (0.5, 0.5, 0.0)
    assert (second["n"], second["right"], second["none"], second["wrong"]) == (4, 0.5, 0.25, 0.25)
    assert third["right"] == fourth["right"] == 1.0


def test_abstaining_and_forecasts_are_means_over_languages() -> None:
    rows = [
        {"lang": "de", "expected": 0.6, "low": 0.4, "high": 0.8, "flag": ""},
        {"lang": "sw", "expected": 0.3, "low": 0.1, "high": 0.5, "flag": "below"},
    ]
    trust = [
        routing.Trust(
            np.array([0.9, 0.2, 0.9, 0.2, 0.2, 0.2]),
            np.array([True, True, True, False, False, False]),
            Forecast(0.9, 0.8, 0.95, 100, rows),
        )
    ]
    table = {row["--abstain-below"]: row for row in routing.abstaining(INBOX, trust, OTHERS).rows}
    assert (table[0.5]["en: answered"], table[0.5]["en: right"]) == (0.5, 1.0)
    assert (table[0.5]["others: answered"], table[0.5]["others: right"]) == (0.25, 1.0)
    expected, judged = routing.forecasts(INBOX, trust, OTHERS)
    assert expected == {"de": 0.6, "sw": 0.3}
    assert judged["error"] == pytest.approx(0.2)
    assert judged["covered"] == pytest.approx(0.5)
    assert judged["far below"] == judged["flagged in most seeds"] == ["sw"]
