"""The HTML report of an evaluation: one file, no network, no script.

What is said, and in which words, is decided here and in ``templates``; charts are laid out in
`figures`. Which documents are shown, and what was linked in them, is the caller's business.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from isogloss.errors import InputError, counted
from isogloss.report.figures import SIGNIFICANT, chart_of, decimal, is_number
from isogloss.report.heat import HeatTable
from isogloss.report.marked import MarkedMention, excerpt
from isogloss.report.page import interval_of, name_of_language, write_page
from isogloss.report.reliability import N_OF_OWN, Reliability
from isogloss.report.table import Table

N_CLASSES_SHOWN = 3  # of a document, the likeliest
N_NAMED = 6  # languages in a sentence; of more, the first


@dataclass(frozen=True)
class ReportEntity:
    """An entity of a document."""

    title: str
    id: str
    link: str | None  # to its page
    share: float  # among the entities of the document
    adds: float  # to the predicted class, in log-odds
    seen: bool  # whether training met it
    surfaces: list[str]  # the names it is found by in the text


@dataclass(frozen=True)
class ReportExample:
    """A training text near to a document."""

    text: str
    label: str
    lang: str
    similarity: float


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
    examples: list[ReportExample] = field(default_factory=list)


@dataclass(frozen=True)
class LanguageNotes:
    """What there is to say about a language beside its accuracy."""

    weakest: str = ""  # class
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, kw_only=True)
class ClassificationReport:
    """What the report of an evaluation shows.

    Attributes
    ----------
    rows, mean
        As in `classify.evaluate.evaluation.Evaluation`; a missing score is None or NaN. Rows with
        ``difference`` are compared with a second model. Languages that ``mean["langs"]`` leaves
        out are shown as training languages.
    scores
        The same as a table.
    languages
        Language to what to know of it.
    audits
        Language to its audit, in words; those of other texts than the evaluated.
    confusions, matrices
        Pairs of classes, the most frequent first; the matrix of each language, by its title.
    reliability
        The diagram of all texts, then those of languages; none where texts have label sets.
    documents
        Kind to a few, shown in full up to a limit.
    sources
        Of the knowledge base, with their licences.
    versus
        Name of the second model; None: the same encoder without entities.
    abstain_below, target
        As in the evaluation; None: rows have none of it.
    """

    title: str
    note: str
    rows: list[dict[str, Any]]
    mean: dict[str, Any]
    scores: Table
    settings: Mapping[str, str]
    languages: Mapping[str, LanguageNotes] = field(default_factory=dict)
    audits: Mapping[str, str] = field(default_factory=dict)
    confusions: Table | None = None
    matrices: Mapping[str, HeatTable] = field(default_factory=dict)
    classes: Table | None = None
    reliability: Sequence[Reliability] = ()
    documents: Mapping[str, Sequence[ReportDocument]] = field(default_factory=dict)
    sources: Table | None = None
    versus: str | None = None
    abstain_below: float | None = None
    target: float | None = None

    def write(self, path: Path, *, overwrite: bool = False) -> None:
        """Write it as one HTML file.

        Raises
        ------
        InputError
            When there are no rows, or `path` exists and `overwrite` is false, or cannot be written.
        """
        if not self.rows:
            raise InputError("no language was evaluated; a report needs at least one", path=path)
        held = self.mean.get("langs") or [row["lang"] for row in self.rows]
        training = [row["lang"] for row in self.rows if row["lang"] not in held]
        line = self.target or (self.mean["accuracy"] if len(held) > 1 else None)
        differing = [row for row in self.rows if is_number(row.get("difference"))]
        values = vars(self) | {
            "headline": headline(
                self.rows, self.mean, versus=self.versus, abstain_below=self.abstain_below,
                target=self.target,
            ),
            "chart": chart_of(self.rows, hollow=training, line=line),
            "difference": chart_of(differing, "difference") if differing else None,
            "training": training,
            "n_of_own": N_OF_OWN,
            "classes_of": _classes,
            "excerpt": excerpt,
        }  # fmt: skip
        write_page(path, "classification.html", values, overwrite=overwrite)


def headline(
    rows: Sequence[Mapping[str, Any]],
    mean: Mapping[str, Any],
    *,
    versus: str | None = None,
    abstain_below: float | None = None,
    target: float | None = None,
) -> list[str]:
    """Return the result in short sentences: what can be trusted, accuracy, coverage, the gain."""
    held = [row for row in rows if row["lang"] in (mean.get("langs") or [row["lang"]])]
    whole = held[0] if len(held) == 1 else mean
    of = f"Accuracy in {name_of_language(held[0]['lang'])}"
    of = of if len(held) == 1 else f"Mean accuracy over {len(held)} languages"
    beside = [row for row in rows if row not in held]
    said = [] if target is None else [_trusted(held, beside, target)]
    said.append(f"{of}: {decimal(whole['accuracy'])}{interval_of(whole, 'accuracy')}.")
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


def _trusted(
    held: Sequence[Mapping[str, Any]], beside: Sequence[Mapping[str, Any]], target: float
) -> str:
    """Say in how many languages the target is reached, missed and open, and of those beside."""
    by_verdict: dict[str, list[str]] = {"above": [], "below": [], "open": []}
    for row in held:
        by_verdict[row["target"]].append(name_of_language(row["lang"]))
    above, below, still_open = by_verdict.values()
    others = [f"{name_of_language(row['lang'])} ({row['target']})" for row in beside]
    return (
        f"An accuracy of {target:g} is shown in {len(above)} of {counted(len(held), 'language')}"
        f"{_in_brackets(above)}; {len(below)} below it{_in_brackets(below)}, {len(still_open)} "
        f"open: too few texts to tell.{f' Not counted: {_some(others)}.' if others else ''}"
    )


def _in_brackets(names: Sequence[str]) -> str:
    return f" ({_some(names)})" if names else ""


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:N_NAMED]) + (", …" if len(names) > N_NAMED else "")


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
