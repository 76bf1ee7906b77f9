"""Evaluate a classifier language by language, and compare it with a second one on the same rows.

A row of the result is a language; the mean excludes the training languages.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d
from isogloss.classify.documents.documents import Languages, PreparedDocuments, rows_of
from isogloss.classify.evaluate.evaluated import (
    CORRECTED_COLUMN,
    COUNTS,
    MEANS,
    EvaluatedTexts,
    Evaluation,
)
from isogloss.classify.evaluate.label_set_scores import (
    Decisions,
    F1Intervals,
    f1_intervals,
    f1_intervals_of_mean,
)
from isogloss.classify.evaluate.warnings import unsaid, warn_of_omissions
from isogloss.classify.fitted import FittedClassifier
from isogloss.data.columns import column_of
from isogloss.errors import InputError, counted
from isogloss.statistics.calibration import (
    check_threshold,
    coverage_at,
    expected_calibration_error,
    tempered,
)
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import interval_of_accuracy
from isogloss.statistics.scores import (
    f1_scores,
    holm,
    interval_of_mean_accuracy,
    mean_difference,
    paired_difference,
)
from isogloss.text.languages import UNKNOWN, in_order_of_codes


def evaluate(
    fitted: FittedClassifier,
    X: Sequence[str],
    y: Sequence[Any],
    lang: Languages = None,
    *,
    ids: Sequence[str | None] | None = None,
    fallback_lang: str | None = None,
    versus: FittedClassifier | None = None,
    abstain_below: float | None = None,
    target: float | None = None,
    seed: int = 0,
) -> Evaluation:
    """Score a classifier on labelled texts of any number of languages.

    Parameters
    ----------
    X, y, lang
        Texts, labels and languages, as in `TextClassifier.fit`.
    ids
        Equal ids are the same document in several languages; they are resampled together.
    versus
        A second model; the rows gain the paired difference, its interval, the p-value of the
        exact sign test and the same corrected for the number of languages (Holm).
    abstain_below
        The rows gain the share of texts whose label is at least so probable, and the accuracy on
        these; all other scores stay those of all texts.
    target
        The accuracy that a language must have: its row says whether the interval is ``above`` it,
        ``below`` it, or holds it (``open``).

    Raises
    ------
    InputError
        When the numbers differ, there are no texts, or one of two models gives label sets.
    """
    texts, labels = fitted.labelling.check(X, y)
    ids = None if ids is None else column_of(ids, "ids", of="ids")
    if ids is not None and len(ids) != len(texts):
        raise InputError(
            f"{counted(len(ids), 'id')} for {counted(len(texts), 'text')}; give one for each"
        )
    _check_models(fitted, versus, abstain_below, target)
    documents = fitted.prepare(texts, lang, fallback_lang=fallback_lang)
    answers = fitted.log_probabilities(documents)
    predicted = fitted.labels_of(np.exp(answers))
    correct = _equal(fitted, predicted, labels)
    other = None
    if versus is not None:
        again = versus.prepare(texts, documents.langs, fallback_lang=fallback_lang)
        other = _equal(versus, versus.labels_of(versus.probabilities(again)), labels)
    decisions = None
    if fitted.options.multilabel:
        decisions = Decisions.of(labels, predicted.tolist(), fitted.classes.tolist())
    evaluated = _by_language(fitted, documents, labels, ids)
    row_ids = {name: own.ids for name, own in evaluated.items()}
    held: dict[str, Decisions] = {}
    confidence: dict[str, Doubles1d] = {}
    rows, by_language, others, answered = [], {}, {}, {}
    for name, (index, gold, own_ids, _) in evaluated.items():
        by_language[name] = correct[index]
        answered[name] = predicted[index].tolist()
        if decisions is None:
            f1 = f1_scores(gold, answered[name])
            f1 |= _calibration(fitted.trust.temperature, answers[index], correct[index])
            confidence[name] = np.exp(answers[index].max(axis=1))
        else:
            held[name] = decisions.select(index)
            f1 = _columns(f1_intervals(held[name], own_ids, seed=seed))
        rows.append(
            {"lang": name}
            | _scores(fitted, gold, correct[index], f1, own_ids, target)
            | _counts(fitted, documents, index)
            | ({CORRECTED_COLUMN: fitted.n_texts_behind(name)} if fitted.corrections else {})
        )
        if abstain_below is not None:
            covered = coverage_at(confidence[name], correct[index], abstain_below)
            rows[-1] |= {"coverage": covered.coverage, "accuracy_covered": covered.accuracy}
        if other is not None:
            others[name] = other[index]
    mean = _mean(rows, by_language, row_ids, set(fitted.langs), seed)
    if held:
        kept = {name: held[name] for name in mean["langs"]}
        mean |= _columns(f1_intervals_of_mean(kept, row_ids, seed=seed))
    if others:
        _add_differences(rows, mean, by_language, others, row_ids, seed)
    # Sorted at the end: the draws of the intervals keep to the order of the texts.
    order = in_order_of_codes(by_language)
    rows.sort(key=lambda row: order.index(row["lang"]))
    mean["langs"] = [name for name in order if name in mean["langs"]]
    warn_of_omissions(rows, fitted, {name: own.gold for name, own in evaluated.items()}, answered)
    return Evaluation(
        rows, mean, by_language, confidence, answered, abstain_below, target, evaluated
    )


def _by_language(
    fitted: FittedClassifier,
    documents: PreparedDocuments,
    labels: list[Any],
    ids: Sequence[str | None] | None,
) -> dict[str, EvaluatedTexts]:
    without = None
    if fitted.head.uses_entities and documents.bags is not None:
        with unsaid():  # the answers with entities have said it
            alone = np.exp(fitted.log_probabilities(documents, with_entities=False))
        without = _equal(fitted, fitted.labels_of(alone), labels)
    found = {}
    for code in dict.fromkeys(documents.langs):
        index = rows_of(documents.langs, code)
        found[code or UNKNOWN] = EvaluatedTexts(
            rows=index,
            gold=[labels[row] for row in index],
            ids=_ids(ids, index),
            correct_without_entities=None if without is None else without[index],
        )
    return found


def _check_models(
    fitted: FittedClassifier,
    versus: FittedClassifier | None,
    abstain_below: float | None,
    target: float | None,
) -> None:
    check_threshold(abstain_below)
    check_threshold(target, "target", what="an accuracy")
    if abstain_below is not None and fitted.options.multilabel:
        raise InputError("abstain_below is for models of one label a text; leave it out")
    if versus is not None and versus.options.multilabel != fitted.options.multilabel:
        raise InputError("of the two models one gives label sets; compare models of one kind")


def _scores(
    fitted: FittedClassifier,
    gold: list[Any],
    correct: Bools1d,
    f1: dict[str, float],
    ids: Sequence[str] | None,
    target: float | None,
) -> dict[str, Any]:
    accuracy = interval_of_accuracy(correct, ids)
    known = set(fitted.classes.tolist())
    seen = np.array([fitted.labelling.is_seen(label, known) for label in gold], dtype=bool)
    return {
        "n": len(gold),
        **columns_of("accuracy", accuracy),
        **({} if target is None else {"target": accuracy.verdict(target)}),
        "accuracy_seen": float(correct[seen].mean()) if seen.any() else None,
        **f1,
        "n_unseen_label": int((~seen).sum()),
    }


def _calibration(temperature: float, answers: Doubles2d, correct: Bools1d) -> dict[str, float]:
    raw = tempered(answers, 1 / temperature)  # as they were before it
    named = {"ece_uncalibrated": raw, "ece": answers}
    return {
        name: expected_calibration_error(np.exp(scores.max(axis=1)), correct)
        for name, scores in named.items()
    }


def _columns(f1: F1Intervals) -> dict[str, float]:
    return columns_of("macro_f1", f1.macro) | columns_of("micro_f1", f1.micro)


def _counts(
    fitted: FittedClassifier, documents: PreparedDocuments, index: np.ndarray[Any, Any]
) -> dict[str, Any]:
    dropped = {
        "truncated": int(documents.truncated[index].sum()),
        "n_dropped": int(documents.n_dropped[index].sum()),
    }
    if documents.bags is None:
        return {"n_unlinked": len(index), "n_unseen_entity": 0} | dropped
    bags = documents.bags.select(index)
    entities = np.unique(bags.entity).astype(np.int64)
    memory = fitted.head.memory
    n_seen = 0 if memory is None else int(memory.is_seen(entities).sum())
    return {
        "n_unlinked": int((np.diff(bags.indptr) == 0).sum()),
        "n_unseen_entity": len(entities) - n_seen,
    } | dropped


def _mean(
    rows: list[dict[str, Any]],
    correct: dict[str, Bools1d],
    ids: dict[str, list[str] | None],
    training_langs: set[str],
    seed: int,
) -> dict[str, Any]:
    left_out = training_langs | {UNKNOWN}  # texts of no known language are no language
    held = [row for row in rows if row["lang"] not in left_out] or rows
    langs = [row["lang"] for row in held]
    accuracy = interval_of_mean_accuracy(
        {lang: correct[lang] for lang in langs}, {lang: ids[lang] for lang in langs}, seed=seed
    )
    means: dict[str, float | None] = {
        key: float(np.mean([row[key] for row in held])) for key in MEANS if key in held[0]
    }
    covered = [row["accuracy_covered"] for row in held if row.get("accuracy_covered") is not None]
    if "coverage" in held[0]:
        means["accuracy_covered"] = float(np.mean(covered)) if covered else None
    seen = [row["accuracy_seen"] for row in held if row["accuracy_seen"] is not None]
    sums = {key: sum(row[key] for row in held) for key in COUNTS}
    return {
        "langs": langs,
        **columns_of("accuracy", accuracy),
        "accuracy_seen": float(np.mean(seen)) if seen else None,
        **means,
        **sums,
    }


def _add_differences(
    rows: list[dict[str, Any]],
    mean: dict[str, Any],
    correct: dict[str, Bools1d],
    others: dict[str, Bools1d],
    ids: dict[str, list[str] | None],
    seed: int,
) -> None:
    pairs = [
        paired_difference(correct[lang], others[lang], ids=ids[lang])
        for lang in (row["lang"] for row in rows)
    ]
    corrected = holm([pair.p_value for pair in pairs])
    for row, pair, p_holm in zip(rows, pairs, corrected, strict=True):
        row |= columns_of("difference", pair.difference)
        row |= {"p_value": pair.p_value, "p_holm": p_holm}
    overall = mean_difference(
        {lang: correct[lang] for lang in mean["langs"]}, others, ids, seed=seed
    )
    mean |= columns_of("difference", overall) | {"p_value": None, "p_holm": None}


def _equal(fitted: FittedClassifier, predicted: np.ndarray[Any, Any], labels: list[Any]) -> Bools1d:
    pairs = zip(predicted.tolist(), labels, strict=True)
    return np.array([fitted.labelling.equal(ours, theirs) for ours, theirs in pairs], dtype=bool)


def _ids(ids: Sequence[str | None] | None, index: np.ndarray[Any, Any]) -> list[str] | None:
    if ids is None:
        return None
    chosen = [ids[row] for row in index]
    return None if any(entry is None for entry in chosen) else [str(entry) for entry in chosen]
