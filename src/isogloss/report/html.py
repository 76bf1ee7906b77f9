"""The HTML report of an evaluation: one file, no network, no script.

What is said, and in which words, is decided here and in ``templates``; the chart is laid out in
`figures`. Which documents are shown, and what was linked in them, is the caller's business.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.report.figures import SIGNIFICANT, chart_of, decimal, is_number
from isogloss.report.marked import MarkedMention, excerpt
from isogloss.report.page import interval_of, name_of_language, write_page
from isogloss.report.reliability import LanguageReliability, description, diagrams_of

N_CLASSES_SHOWN = 8  # of a document, the likeliest


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
