"""From an evaluation and a few explained documents to the HTML report."""

import logging
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.classify.evaluate.evaluation import Evaluation
from isogloss.classify.evaluate.explanation import NO_WEIGHT, Explanation
from isogloss.classify.heads.head import entities_have_weight
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.heads.mboe_plus import MboePlusHead
from isogloss.classify.labels.labelling import Labelling
from isogloss.classify.text_classifier import TextClassifier
from isogloss.errors import OmissionWarning, counted
from isogloss.learn.linear_head import LinearHead
from isogloss.progress import logger
from isogloss.report.html import (
    MarkedMention,
    ReportDocument,
    ReportEntity,
    write_classification_report,
)
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
    model: TextClassifier,
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
    for row in _chosen_rows(langs, model):
        with _unsaid():
            explanation = model.explain(X[row], langs[row], fallback_lang=fallback_lang)
        documents.append(_document(explanation, y[row], model.labelling))
    if model.kb_ is not None and not entities_have_weight(model.head_):
        note = f"{note} {NO_WEIGHT[0].upper()}{NO_WEIGHT[1:]}.".lstrip()
    write_classification_report(
        path,
        title=title,
        note=note,
        rows=evaluation.rows,
        mean=evaluation.mean,
        documents=documents,
        settings=describe(model),
        reliability=reliability_by_language(evaluation, model.langs_),
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


def describe(model: TextClassifier) -> dict[str, str]:
    """Return the settings of a fitted model in words, for people."""
    head = model.head_
    settings = {
        "encoder": model.base_encoder_.name,
        "trained on": f"{counted(model.n_training_documents_, 'text')} in "
        + (", ".join(model.langs_) or "a language that was not named")
        if model.n_training_documents_
        else "names of the classes alone",
        "labels": ", ".join(str(label) for label in model.classes_.tolist()),
        "knowledge base": "none" if model.kb_ is None else Path(model.kb_.path).name,
    }
    if model.options_.multilabel:
        settings["labels of a text"] = f"any number, from a probability of {_thresholds(model)}"
    if model.moves_:
        settings["moved languages"] = ", ".join(
            f"{lang} (learned from {counted(move.n_texts, 'text')})"
            for lang, move in model.moves_.items()
        )
    settings["probabilities"] = _calibration(model)
    if isinstance(head, LinearHead):
        return settings | {"head": f"encoder only, {_how(head)}"}
    settings["preset"] = f"{model.options_.preset}, attention {head.memory.attention}"
    if head.memory.attention == "learned":
        weights = zip(FEATURES, head.memory.attention_weight, strict=False)
        settings["attention to"] = ", ".join(f"{name} {weight:.2f}" for name, weight in weights)
    settings["entities seen in training"] = str(len(head.memory.entities))
    if isinstance(head, MboeHead):
        return settings | {"head": _how(head.linear)}
    own, mixture = head.encoder_only, head.mixture
    weight = f"C = {head.vote.linear.C}, weight {mixture.strength:.2f} · K / (K + "
    weight += f"{mixture.half_count:.0f}) with K entities in a text"
    if model.trust_.is_calibrated:
        weight += f", and 1 / T of that in probabilities: {_weight_of_one(model):.2f} with one"
    if mixture.strength == 0.0:
        weight = "no weight: they did not help on held-out training texts"
    return settings | {
        "head": f"encoder only, {_how(own)}",
        "entities": weight,
    }


@contextmanager
def _unsaid() -> Iterator[None]:
    """Say nothing of texts that are cut or moved: the evaluation has said it of all of them."""
    level = logger.level
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", OmissionWarning)
        logger.setLevel(max(level, logging.WARNING))
        try:
            yield
        finally:
            logger.setLevel(level)


def _thresholds(model: TextClassifier) -> str:
    shown = [f"{threshold:.2f}" for threshold in model.thresholds_]
    if len(set(shown)) == 1:
        return f"{shown[0]} each"
    pairs = zip(model.classes_.tolist(), shown, strict=True)
    return ", ".join(f"{label} {threshold}" for label, threshold in pairs)


def _calibration(model: TextClassifier) -> str:
    trust = model.trust_
    if trust.is_calibrated:
        return f"calibrated on {trust.fitted_on}, T = {trust.temperature:.2f}"
    several = ": those of label sets never are" if model.options_.multilabel else ""
    return f"{trust.fitted_on}{several}"


def _weight_of_one(model: TextClassifier) -> float:
    """Return the weight of a single entity's vote once probabilities are calibrated."""
    head = model.head_
    assert isinstance(head, MboePlusHead)
    return float(head.mixture.weights(np.ones(1, np.int64))[0]) / model.trust_.temperature


def _how(head: LinearHead) -> str:
    return f"C = {head.C} ({head.chosen_by})" if np.isfinite(head.C) else head.chosen_by


def _chosen_rows(langs: Sequence[str | None], model: TextClassifier) -> list[int]:
    """Take one row each of at most `N_DOCUMENTS` languages, training languages last.

    The first row of the first language, the second of the second …: files of several languages
    are often translations of each other, and the same text six times would show little.
    """
    rows_by_language: dict[str | None, list[int]] = {}
    for row, lang in enumerate(langs):
        rows_by_language.setdefault(lang, []).append(row)
    order = sorted(rows_by_language, key=lambda lang: lang in model.langs_)
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
