"""From an evaluation and a few explained documents to the HTML report."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.classify.evaluate.evaluation import Evaluation
from isogloss.classify.evaluate.explanation import NO_WEIGHT, Explanation, explain
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.labels.labelling import Labelling
from isogloss.errors import OmissionWarning, counted
from isogloss.progress import logger
from isogloss.report.html import (
    ReportDocument,
    ReportEntity,
    write_classification_report,
)
from isogloss.report.marked import MarkedMention
from isogloss.report.reliability import LanguageReliability, ReliabilityDot
from isogloss.statistics.calibration import reliability
from isogloss.statistics.intervals import interval_of_share
from isogloss.text.languages import UNKNOWN

N_DOCUMENTS = 6
N_ENTITIES_SHOWN = 12
MOST_DOTS = 10  # of a reliability diagram
FEATURES = ("cosine", "commonness", "inverse document frequency")  # of attention, in its order


def write_report(
    path: Path,
    fitted: FittedClassifier,
    evaluation: Evaluation,
    X: Sequence[str],
    y: Sequence[Any],
    langs: Sequence[str | None],
    *,
    title: str,
    note: str,
    fallback_lang: str | None = None,
    versus: str | None = None,
    overwrite: bool = False,
) -> None:
    """Write the report of an evaluation, with one document of each of a few languages.

    Parameters
    ----------
    X, y, langs
        The texts that were evaluated, with labels and languages.
    note
        What the reader should keep in mind, a sentence.
    versus
        Name of the model compared with; None: the same encoder without entities.
    """
    documents = []
    for row in _chosen_rows(langs, fitted):
        with _unsaid():
            explanation = explain(fitted, X[row], langs[row], fallback_lang=fallback_lang)
        documents.append(_document(explanation, y[row], fitted.labelling))
    if fitted.kb is not None and not fitted.head.uses_entities:
        note = f"{note} {NO_WEIGHT[0].upper()}{NO_WEIGHT[1:]}.".lstrip()
    write_classification_report(
        path,
        title=title,
        note=note,
        rows=evaluation.rows,
        mean=evaluation.mean,
        documents=documents,
        settings=describe(fitted),
        reliability=reliability_by_language(evaluation, fitted.langs),
        versus=versus,
        abstain_below=evaluation.abstain_below,
        overwrite=overwrite,
    )


def reliability_by_language(
    evaluation: Evaluation, training_langs: Sequence[str]
) -> list[LanguageReliability]:
    """Return the reliability diagram of each language; none of texts with label sets.

    A diagram has half the square root of n dots, at most `MOST_DOTS`: with more, each would hold
    too few texts to say anything. The calibration error keeps its own, finer bins.
    """
    diagrams = []
    for row in evaluation.rows if evaluation.confidence else []:
        confidence, correct = evaluation.confidence[row["lang"]], evaluation.correct[row["lang"]]
        n_dots = min(max(round(len(correct) ** 0.5 / 2), 1), MOST_DOTS)
        dots = []
        for group in reliability(confidence, correct, n_bins=n_dots):
            share = interval_of_share(round(group.accuracy * group.n), group.n)
            dots.append(
                ReliabilityDot(group.n, group.confidence, share.value, share.low, share.high)
            )
        diagrams.append(
            LanguageReliability(
                lang=row["lang"],
                is_training=row["lang"] in training_langs,
                n=row["n"],
                ece=row["ece"],
                confidence=float(confidence.mean()),
                accuracy=row["accuracy"],
                dots=dots,
            )
        )
    return diagrams


def describe(fitted: FittedClassifier) -> dict[str, str]:
    """Return the settings of a fitted model in words."""
    head = fitted.head
    settings = {
        "encoder": fitted.preparation.base_encoder.name,
        "trained on": f"{counted(fitted.n_training_documents, 'text')} in "
        + (", ".join(fitted.langs) or "a language that was not named")
        if fitted.n_training_documents
        else "names of the classes alone",
        "labels": ", ".join(str(label) for label in fitted.classes.tolist()),
        "knowledge base": "none" if fitted.kb is None else Path(fitted.kb.path).name,
    }
    if fitted.options.multilabel:
        settings["labels of a text"] = f"any number, from a probability of {_thresholds(fitted)}"
    if fitted.corrections:
        settings["corrected languages"] = ", ".join(
            f"{lang} (learned from {counted(correction.n_texts, 'text')})"
            for lang, correction in fitted.corrections.items()
        )
    if fitted.examples is not None:
        kept = counted(len(fitted.examples), "training text")
        settings["examples"] = f"{kept}, kept in the model; they go wherever it goes"
    settings["probabilities"] = _calibration(fitted)
    if head.memory is None:
        return settings | {"head": f"encoder only, {head.linear.describe()}"}
    settings["preset"] = f"{fitted.options.preset}, attention {head.memory.attention}"
    if head.memory.attention == "learned":
        weights = zip(FEATURES, head.memory.attention_weight, strict=False)
        settings["attention to"] = ", ".join(f"{name} {weight:.2f}" for name, weight in weights)
    settings["entities seen in training"] = str(len(head.memory.entities))
    if not isinstance(head, MboePlusHead):
        return settings | {"head": head.linear.describe()}
    mixture = head.mixture
    weight = f"C = {head.vote.linear.C}, weight {mixture.strength:.2f} · K / (K + "
    weight += f"{mixture.half_count:.0f}) with K entities in a text"
    if fitted.trust.is_calibrated:
        one = float(mixture.weights(np.ones(1, np.int64))[0]) / fitted.trust.temperature
        weight += f", and 1 / T of that in probabilities: {one:.2f} with one"
    if mixture.strength == 0.0:
        weight = "no weight: they did not help on held-out training texts"
    return settings | {"head": f"encoder only, {head.linear.describe()}", "entities": weight}


@contextmanager
def _unsaid() -> Iterator[None]:
    """Say nothing of texts that are cut or corrected: the evaluation has said it of all of them."""
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OmissionWarning)
        logger.setLevel(max(level, logging.WARNING))
        try:
            yield
        finally:
            logger.setLevel(level)


def _thresholds(fitted: FittedClassifier) -> str:
    shown = [f"{threshold:.2f}" for threshold in fitted.thresholds]
    if len(set(shown)) == 1:
        return f"{shown[0]} each"
    pairs = zip(fitted.classes.tolist(), shown, strict=True)
    return ", ".join(f"{label} {threshold}" for label, threshold in pairs)


def _calibration(fitted: FittedClassifier) -> str:
    trust = fitted.trust
    if trust.is_calibrated:
        return f"calibrated on {trust.describe()}, T = {trust.temperature:.2f}"
    return trust.describe()


def _chosen_rows(langs: Sequence[str | None], fitted: FittedClassifier) -> list[int]:
    """Take one row each of at most `N_DOCUMENTS` languages, training languages last.

    The first row of the first language, the second of the second …: files of several languages
    are often translations of each other, and the same text six times would show little.
    """
    rows_by_language: dict[str | None, list[int]] = {}
    for row, lang in enumerate(langs):
        rows_by_language.setdefault(lang, []).append(row)
    order = sorted(rows_by_language, key=lambda lang: lang in fitted.langs)
    picked = np.linspace(0, len(order) - 1, min(N_DOCUMENTS, len(order))).round().astype(int)
    columns = [rows_by_language[order[place]] for place in picked]
    return [rows[number % len(rows)] for number, rows in enumerate(columns)]


def _document(explanation: Explanation, gold: Any, labelling: Labelling) -> ReportDocument:
    text = explanation.text
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
        probabilities=_named(explanation.probabilities),
        probabilities_without_entities=_named(explanation.probabilities_without_entities),
        mentions=[
            MarkedMention(start=start, end=end, weight=weight / largest)
            for (start, end), weight in sorted(by_span.items())
        ],
        entities=[
            ReportEntity(
                title=entity.title,
                id=entity.id,
                share=entity.share,
                commonness=entity.commonness,
                seen=entity.seen,
                surfaces=list(dict.fromkeys(text[start:end] for start, end in entity.spans)),
            )
            for entity in explanation.entities[:N_ENTITIES_SHOWN]
        ],
    )


def _named(probabilities: dict[Any, float]) -> dict[str, float]:
    return {str(label): value for label, value in probabilities.items()}
