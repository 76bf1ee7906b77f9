"""Audits as rows: of a table, and of JSON."""

import math
from typing import Any

from isogloss.classify.audit.agreement import Agreement
from isogloss.classify.audit.estimates import LanguageAudit

# Told in plain words on a terminal; JSON keeps the names.
TITLES = {"forecast": "forecast before", "n_more": "labels to settle it", "n_unsure": "unsure",
          "n_unlabelled": "no label yet"}  # fmt: skip
SPARSE = ("assisted", "n_unsure", "n_unlabelled")


def audit_row(language: LanguageAudit, target: float | None) -> dict[str, Any]:
    """Return what is known of a language; `target` None: without a verdict."""
    expected, mistake = language.expected, language.mistake
    row: dict[str, Any] = {
        "lang": language.lang,
        "n": language.n,
        "accuracy": _number(language.accuracy.value),
        "accuracy_low": _number(language.accuracy.low),
        "accuracy_high": _number(language.accuracy.high),
        "assisted": language.is_assisted,
        "forecast": None if expected is None else expected.expected,
        "forecast_low": None if expected is None else expected.low,
        "forecast_high": None if expected is None else expected.high,
    }
    if target is not None:
        row |= {
            "target": language.verdict(target) if language.n else "open",
            "n_more": language.n_more(target) if language.n else None,
            "n_left": language.n_left,
        }
    return row | {
        "mistake": None
        if mistake is None
        else {"answer": mistake.answer, "label": mistake.label, "n": mistake.n},
        "n_unsure": language.n_unsure,
        "n_unlabelled": language.n_unlabelled,
    }


def shown_row(row: dict[str, Any]) -> dict[str, Any]:
    """Return a row as people read it: the mistake in words, no labels to settle what is settled.

    More labels than the file has rows for are shown with how many are left in it.
    """
    mistake = row["mistake"]
    words = mistake and f"{mistake['answer']}, is {mistake['label']} ({mistake['n']})"
    shown = row | {"mistake": words or "", "assisted": "yes" if row["assisted"] else ""}
    if "n_more" in row:
        more, left = shown["n_more"], shown.pop("n_left")
        words = f"{more:,}" if more else ""
        shown["n_more"] = f"{words} ({left:,} left)" if more and more > left else words
    return shown


def agreement_row(agreement: Agreement) -> dict[str, Any]:
    """Return the agreement of two sheets in a language."""
    return {
        "lang": agreement.lang,
        "n": agreement.n,
        "agreed": _number(agreement.agreed),
        "kappa": _number(agreement.kappa),
    }


def _number(value: float) -> float | None:
    return None if math.isnan(value) else value
