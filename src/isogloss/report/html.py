"""The HTML report of an evaluation: one file, no network, no script.

What is said, and in which words, is decided here and in ``templates``; the chart is laid out in
`figures`. Which documents are shown, and what was linked in them, is the caller's business.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.errors import InputError
from isogloss.report.figures import SIGNIFICANT, chart_of, decimal, is_number
from isogloss.report.page import interval_of, name_of_language, write_page
from isogloss.report.reliability import LanguageReliability, description, diagrams_of

N_CHARACTERS_SHOWN = 1200  # of a document
N_CLASSES_SHOWN = 8  # of a document, the likeliest
_CHARACTERS_BEFORE_MENTION = 200
_LONGEST_WORD = 30  # a cut looks this far for a space
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class MarkedMention:
    """A name in a text, from `start` to `end`."""

    start: int
    end: int
    weight: float  # 0 to 1, the share of the entities it yields among those of the text


@dataclass(frozen=True)
class ReportEntity:
    """An entity of a document."""

    title: str
    id: str
    share: float  # among the entities of the document
    commonness: float
    seen: bool
    surfaces: list[str]  # the names it is found by in the text


@dataclass(frozen=True)
class ReportDocument:
    """A document with its prediction, and what the prediction rests on."""

    text: str
    lang: str  # canonical code, or "und"
    label: str
    gold: str | None
    probabilities: dict[str, float]  # of each label, by the whole model
    probabilities_without_entities: dict[str, float]
    mentions: list[MarkedMention]
    entities: list[ReportEntity]


class Run(NamedTuple):
    """A run of text under the same mentions; its weight is the largest of theirs, or None."""

    text: str
    weight: float | None
    n_mentions: int
    is_begin: bool


class Excerpt(NamedTuple):
    """The part of a text that is shown, from `start` to `end`."""

    runs: list[Run]
    start: int
    end: int
    n_mentions_outside: int


def write_classification_report(
    path: Path,
    *,
    title: str,
    note: str,
    rows: list[dict[str, Any]],
    mean: dict[str, Any],
    documents: list[ReportDocument],
    settings: dict[str, str],
    reliability: Sequence[LanguageReliability] = (),
    versus: str | None = None,
    abstain_below: float | None = None,
    overwrite: bool = False,
) -> None:
    """Write the report of an evaluation as one HTML file.

    Parameters
    ----------
    rows, mean
        As in `classify.evaluate.evaluation.Evaluation`; a missing score is None or NaN. Rows with
        ``difference`` are compared with a second model. Languages that ``mean["langs"]`` leaves
        out are shown as training languages.
    documents
        A few, shown in full up to `N_CHARACTERS_SHOWN` characters.
    reliability
        A diagram a language, in any order; none where texts have label sets.
    versus
        Name of the second model; None: the same encoder without entities.
    abstain_below
        The probability from which on a label counts as given, of the columns ``coverage`` and
        ``accuracy_covered``; None: rows have none.

    Raises
    ------
    InputError
        When there are no rows, or `path` exists and `overwrite` is false, or cannot be written.
    """
    if not rows:
        raise InputError("no language was evaluated; a report needs at least one", path=path)
    values = {
        "title": title,
        "note": note,
        "headline": headline(rows, mean, versus=versus, abstain_below=abstain_below),
        "versus": versus,
        "abstain_below": abstain_below,
        "chart": chart_of(rows, mean),
        "rows": rows,
        "mean": mean,
        "diagrams": diagrams_of(reliability),
        "has_difference": any(is_number(row.get("difference")) for row in rows),
        "documents": documents,
        "settings": settings,
    }
    names: dict[str, Callable[..., Any]] = {
        "p_value": _p_value, "classes": _classes, "reliability": description, "excerpt": excerpt,
    }  # fmt: skip
    write_page(path, "classification.html", values, names=names, overwrite=overwrite)


def headline(
    rows: Sequence[Mapping[str, Any]],
    mean: Mapping[str, Any],
    *,
    versus: str | None = None,
    abstain_below: float | None = None,
) -> list[str]:
    """Return the result in short sentences: accuracy, coverage, the gain over another model."""
    held = [row for row in rows if row["lang"] in (mean.get("langs") or [row["lang"]])]
    whole = held[0] if len(held) == 1 else mean
    of = f"Accuracy in {name_of_language(held[0]['lang'])}"
    of = of if len(held) == 1 else f"Mean accuracy over {len(held)} languages"
    said = [f"{of}: {decimal(whole['accuracy'])}{interval_of(whole, 'accuracy')}."]
    if abstain_below is not None:
        said.append(
            f"Coverage (a label of probability {abstain_below:g} or more): "
            f"{decimal(whole['coverage'])}; right of these: {decimal(whole['accuracy_covered'])}."
        )
    if is_number(whole.get("difference")):
        change = decimal(whole["difference"], signed=True)
        low, high = whole.get("difference_low"), whole.get("difference_high")
        verdict = "no clear difference"
        if is_number(low) and is_number(high) and (low > 0 or high < 0):
            verdict = "better" if low > 0 else "worse"
        said.append(
            f"Against {versus or 'the encoder alone'}: "
            f"{change}{interval_of(whole, 'difference', digits=3)}, {verdict}."
        )
        clear = [
            row for row in held if is_number(row.get("p_holm")) and row["p_holm"] < SIGNIFICANT
        ]
        n_better = sum(row["difference"] > 0 for row in clear)
        if len(held) > 1:
            said.append(
                f"Clearly better: {n_better} of {len(held)} languages, clearly worse: "
                f"{len(clear) - n_better}."
            )
    return said


def excerpt(text: str, mentions: Sequence[MarkedMention]) -> Excerpt:
    """Return the part of a text around its first mention, cut into marked and plain runs.

    Parameters
    ----------
    mentions
        In any order; they may overlap. Where several cover the same letters, the heaviest counts.
    """
    spans = [
        MarkedMention(max(mention.start, 0), min(mention.end, len(text)), mention.weight)
        for mention in mentions
    ]
    spans = sorted((span for span in spans if span.start < span.end), key=lambda span: span.start)
    start, end = _window(text, spans[0].start if spans else 0)
    shown = [span for span in spans if span.start < end and span.end > start]
    cuts = {start, end} | {
        min(max(cut, start), end) for span in shown for cut in (span.start, span.end)
    }
    places = sorted(cuts)
    runs = []
    for left, right in pairwise(places):
        over = [span for span in shown if span.start <= left and span.end >= right]
        weights = [span.weight if is_number(span.weight) else 0.0 for span in over]
        begins = any(span.start == left for span in over)
        heaviest = min(max(max(weights), 0.0), 1.0) if weights else None
        runs.append(Run(text[left:right], heaviest, len(over), begins))
    return Excerpt(runs, start, end, len(spans) - len(shown))


def _window(text: str, mention: int) -> tuple[int, int]:
    if len(text) <= N_CHARACTERS_SHOWN:
        return 0, len(text)
    start = min(max(mention - _CHARACTERS_BEFORE_MENTION, 0), len(text) - N_CHARACTERS_SHOWN)
    end = start + N_CHARACTERS_SHOWN
    if start and (space := _SPACE.search(text, start, min(start + _LONGEST_WORD, mention))):
        start = space.end()
    while 0 < start < mention and _continues(text[start]):
        start += 1
    if end < len(text) and (space := _SPACE.search(text, end, end + _LONGEST_WORD)):
        end = space.start()
    while end < len(text) and _continues(text[end]) and end - start < 2 * N_CHARACTERS_SHOWN:
        end += 1
    return start, end


def _continues(character: str) -> bool:
    """Return whether a character belongs to the one before it: vowel signs, accents, joiners."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")


def _classes(document: ReportDocument) -> list[tuple[str, float, float]]:
    """Return (label, probability with entities, without) of the likeliest, and of the gold one."""
    with_entities, without = document.probabilities, document.probabilities_without_entities
    labels = sorted(
        with_entities, key=lambda label: -max(with_entities[label], without.get(label, 0.0))
    )
    kept = set(labels[:N_CLASSES_SHOWN]) | {document.label, document.gold}
    return [
        (label, with_entities[label], without.get(label, 0.0)) for label in labels if label in kept
    ]


def _p_value(value: Any) -> str:
    return "<0.001" if is_number(value) and value < 0.001 else decimal(value)
