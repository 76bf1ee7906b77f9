"""From an evaluation and a few explained documents to the HTML report."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.classify.evaluate.chosen import chosen_documents
from isogloss.classify.evaluate.class_tables import (
    class_table,
    confusion_matrices,
    confusion_table,
)
from isogloss.classify.evaluate.classes import class_scores, weakest_class
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.classify.evaluate.explanation import NO_WEIGHT, Explanation, explain
from isogloss.classify.evaluate.settings import describe
from isogloss.classify.evaluate.warnings import unsaid
from isogloss.classify.fitted import FittedClassifier
from isogloss.errors import counted
from isogloss.report.figures import decimal
from isogloss.report.html import (
    ClassificationReport,
    LanguageNotes,
    ReportDocument,
    ReportEntity,
    ReportExample,
)
from isogloss.report.marked import MarkedMention
from isogloss.report.page import name_of_language
from isogloss.report.reliability import N_OF_OWN, Reliability, ReliabilityDot
from isogloss.report.table import Table
from isogloss.statistics.calibration import expected_calibration_error, reliability
from isogloss.statistics.intervals import interval_of_share
from isogloss.text.languages import UNKNOWN

N_ENTITIES_SHOWN, N_EXAMPLES_SHOWN = 12, 3  # of a document
SOURCE_COLUMNS = ("name", "licence", "n_entities")
MOST_DOTS = 10  # of a reliability diagram


def write_report(
    path: Path,
    fitted: FittedClassifier,
    evaluation: Evaluation,
    X: Sequence[str],
    *,
    title: str,
    note: str,
    fallback_lang: str | None = None,
    versus: str | None = None,
    audits: Mapping[str, str] | None = None,
    about: Mapping[str, str] | None = None,
    overwrite: bool = False,
) -> None:
    """Write the report of an evaluation, with documents that teach.

    Parameters
    ----------
    X
        The texts that were evaluated.
    note
        What the reader should keep in mind, a sentence.
    versus
        Name of the model compared with; None: the same encoder without entities.
    audits
        Language to its audit, in words.
    about
        More of model and data to say among the settings.
    """
    documents: dict[str, list[ReportDocument]] = {}
    for kind, chosen in chosen_documents(evaluation).items():
        documents[kind] = []
        for lang, at in chosen:
            texts = evaluation.texts[lang]
            code = None if lang == UNKNOWN else lang
            with unsaid():
                found = explain(fitted, X[texts.rows[at]], code, fallback_lang=fallback_lang)
            documents[kind].append(_document(found, texts.gold[at], fitted))
    if fitted.kb is not None and not fitted.head.uses_entities:
        note = f"{note} {NO_WEIGHT[0].upper()}{NO_WEIGHT[1:]}.".lstrip()
    sources = [] if fitted.kb is None else fitted.kb.info()["sources"]
    several = fitted.options.multilabel
    ClassificationReport(
        title=title,
        note=note,
        rows=evaluation.rows,
        mean=evaluation.mean,
        scores=evaluation.table(),
        settings={**(about or {}), **_data(evaluation, X), **describe(fitted)},
        languages=_notes(evaluation, fitted),
        audits=audits or {},
        confusions=None if several else confusion_table(evaluation),
        matrices={} if several else confusion_matrices(evaluation),
        classes=class_table(evaluation, multilabel=several),
        reliability=reliability_of(evaluation),
        documents=documents,
        sources=Table(sources, columns=SOURCE_COLUMNS) if sources else None,
        versus=versus,
        abstain_below=evaluation.abstain_below,
        target=evaluation.target,
    ).write(path, overwrite=overwrite)


def reliability_of(evaluation: Evaluation) -> list[Reliability]:
    """Return the reliability diagram of all texts, then of languages with enough of them.

    A diagram has half the square root of n dots, at most `MOST_DOTS`: with more, each would hold
    too few texts to say anything. The calibration error keeps its own, finer bins.
    """
    known = [row["lang"] for row in evaluation.rows] if evaluation.confidence else []
    held = [lang for lang in known if lang in evaluation.mean["langs"]]
    of = {f"{len(held)} languages": held} if len(held) > 1 else {}
    of |= {name_of_language(lang): [lang] for lang in known
           if not of or len(evaluation.correct[lang]) >= N_OF_OWN}  # fmt: skip
    diagrams = []
    for name, langs in of.items():
        confidence = np.concatenate([evaluation.confidence[lang] for lang in langs])
        correct = np.concatenate([evaluation.correct[lang] for lang in langs])
        n_dots = min(max(round(len(correct) ** 0.5 / 2), 1), MOST_DOTS)
        dots = []
        for group in reliability(confidence, correct, n_bins=n_dots):
            share = interval_of_share(round(group.accuracy * group.n), group.n)
            dots.append(
                ReliabilityDot(group.n, group.confidence, share.value, share.low, share.high)
            )
        ece = expected_calibration_error(confidence, correct)
        means = float(confidence.mean()), float(correct.mean())
        diagrams.append(Reliability(name, len(correct), ece, *means, dots))
    return diagrams


def _notes(evaluation: Evaluation, fitted: FittedClassifier) -> dict[str, LanguageNotes]:
    """Say of each language which class is weakest, and what makes its accuracy what it is."""
    found = {}
    for row in evaluation.rows:
        lang, n = row["lang"], row["n"]
        texts, answers = evaluation.texts[lang], evaluation.answers[lang]
        weakest = weakest_class(
            class_scores(texts.gold, answers, multilabel=fitted.options.multilabel)
        )
        said = ["training language"] if lang in fitted.langs else []
        sure = float(evaluation.confidence[lang].mean()) if evaluation.confidence else 0.0
        if sure > row["accuracy_high"]:
            right = decimal(row["accuracy"], 2)
            said.append(f"overconfident: {decimal(sure, 2)} sure, {right} right")
        if fitted.head.uses_entities and 2 * row["n_unlinked"] > n:
            said.append(f"little linked: nothing in {row['n_unlinked']} of {n}")
        if row["truncated"]:
            said.append(f"cut: {row['truncated']} of {n}")
        if row["n_unseen_label"]:
            said.append(f"unknown labels: {row['n_unseen_label']} of {n}")
        if row.get("corrected"):
            said.append(f"corrected as learned from {counted(row['corrected'], 'text')}")
        shown = "" if weakest is None or weakest.f1 == 1 else (
            f"{weakest.label} (F1 {decimal(weakest.f1, 2)}, {counted(weakest.n, 'text')})"
        )  # fmt: skip
        found[lang] = LanguageNotes(shown, said)
    return found


def _data(evaluation: Evaluation, X: Sequence[str]) -> dict[str, str]:
    """Say which texts were evaluated, by a hash of texts, languages and labels in their order."""
    rows = sorted((int(at), lang, str(label)) for lang, texts in evaluation.texts.items()
                  for at, label in zip(texts.rows, texts.gold, strict=True))  # fmt: skip
    said = json.dumps([[X[at], lang, label] for at, lang, label in rows])
    digest = hashlib.sha256(said.encode()).hexdigest()
    size = f"{counted(len(rows), 'text')} in {counted(len(evaluation.texts), 'language')}"
    return {"evaluated on": f"{size}, SHA-256 {digest}"}


def _document(explanation: Explanation, gold: Any, fitted: FittedClassifier) -> ReportDocument:
    text, labelling = explanation.text, fitted.labelling
    by_span: dict[tuple[int, int], float] = {}
    for entity in explanation.entities:
        for span in entity.spans:
            by_span[span] = by_span.get(span, 0.0) + entity.share
    largest = max([1.0, *by_span.values()])
    return ReportDocument(
        text=text,
        lang=explanation.lang or UNKNOWN,
        label=labelling.shown(explanation.label),
        gold=labelling.shown(gold),
        probabilities={str(one): p for one, p in explanation.probabilities.items()},
        probabilities_without_entities={
            str(one): p for one, p in explanation.probabilities_without_entities.items()
        },
        mentions=[
            MarkedMention(start=start, end=end, weight=weight / largest)
            for (start, end), weight in sorted(by_span.items())
        ],
        entities=[
            ReportEntity(
                title=entity.title, id=entity.id, link=entity.link, share=entity.share,
                adds=entity.adds, seen=entity.seen,
                surfaces=list(dict.fromkeys(text[start:end] for start, end in entity.spans)),
            )
            for entity in explanation.entities[:N_ENTITIES_SHOWN]
        ],
        examples=[
            ReportExample(one.text, labelling.shown(one.label), one.lang or UNKNOWN, one.similarity)
            for one in (explanation.examples or [])[:N_EXAMPLES_SHOWN]
        ],
    )  # fmt: skip
