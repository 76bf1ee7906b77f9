"""Evaluate a classifier language by language, and compare it with a second one on the same rows.

A row of the result is a language; the mean excludes the training languages. The definitions of the
scores are in the design's "Scores of classification" and in ``docs/vocabulary.md``.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d
from isogloss.classify.documents import Languages, PreparedDocuments, rows_of
from isogloss.classify.inputs import checked_pairs
from isogloss.classify.scores import (
    f1_scores,
    holm,
    interval_of_language_mean,
    interval_of_mean,
    paired_difference,
)
from isogloss.classify.text_classifier import TextClassifier
from isogloss.errors import InputError, warn_loss
from isogloss.report.table import Table

COLUMNS = (
    "lang", "n", "accuracy", "accuracy_low", "accuracy_high", "accuracy_seen", "macro_f1",
    "micro_f1", "n_unlinked", "n_unseen_entity", "n_unseen_label", "truncated",
)  # fmt: skip
DIFFERENCE_COLUMNS = ("difference", "difference_low", "difference_high", "p_value", "p_holm")
UNKNOWN = "und"  # BCP-47's code for an undetermined language


@dataclass(frozen=True)
class Evaluation:
    """Scores by language.

    Attributes
    ----------
    rows
        One dictionary a language, with the keys `COLUMNS`; compared models add
        `DIFFERENCE_COLUMNS`.
    mean
        The mean over ``langs``, which leaves the training languages out.
    correct
        Language to bool (n,): which rows are right, in the order given.
    """

    rows: list[dict[str, Any]]
    mean: dict[str, Any]
    correct: dict[str, Bools1d]

    def table(self) -> Table:
        """Return the rows and the mean as a `Table`."""
        columns = COLUMNS + (DIFFERENCE_COLUMNS if "difference" in self.mean else ())
        last = {**self.mean, "lang": f"mean of {len(self.mean['langs'])}"}
        last.pop("langs")
        return Table([*self.rows, last], columns=columns)

    def as_json(self) -> dict[str, Any]:
        """Return ``{"rows": […], "mean": {…}}``, ready for `json`."""
        return {"rows": self.rows, "mean": self.mean}


def evaluate(
    model: TextClassifier,
    X: Sequence[str],
    y: Sequence[Any],
    lang: Languages = None,
    *,
    ids: Sequence[str | None] | None = None,
    fallback_lang: str | None = None,
    versus: TextClassifier | None = None,
    seed: int = 0,
) -> Evaluation:
    """Score `model` on labelled texts of any number of languages.

    Parameters
    ----------
    X, y, lang
        Texts, labels and languages, as in `TextClassifier.fit`.
    ids
        Equal ids are the same document in several languages; they are resampled together.
    versus
        A second model; the rows gain the paired difference, its interval, the p-value of the
        exact sign test and the same corrected for the number of languages (Holm).

    Raises
    ------
    InputError
        When the numbers differ or there are no texts.
    """
    texts, labels = checked_pairs(X, y)
    if ids is not None and len(ids) != len(texts):
        raise InputError(f"{len(ids)} ids are given for {len(texts)} texts")
    documents = model.prepare(texts, lang, fallback_lang=fallback_lang)
    predicted = model.labels_of(model.log_probabilities(documents))
    correct = _equal(predicted, labels)
    other = None
    if versus is not None:
        other = _equal(versus.predict(texts, lang, fallback_lang=fallback_lang), labels)
    rows, by_language, others, row_ids = [], {}, {}, {}
    for code in dict.fromkeys(documents.langs):
        index = rows_of(documents.langs, code)
        name = code or UNKNOWN
        by_language[name] = correct[index]
        row_ids[name] = _ids(ids, index)
        gold = [labels[row] for row in index]
        rows.append(
            {"lang": name}
            | _scores(model, gold, predicted[index].tolist(), correct[index], seed)
            | _counts(model, documents, index)
        )
        if other is not None:
            others[name] = other[index]
    mean = _mean(rows, by_language, row_ids, set(model.langs_), seed)
    if others:
        _add_differences(rows, mean, by_language, others, row_ids, seed)
    _warn(rows, model)
    return Evaluation(rows, mean, by_language)


def _scores(
    model: TextClassifier, gold: list[Any], predicted: list[Any], correct: Bools1d, seed: int
) -> dict[str, Any]:
    known = set(model.classes_.tolist())
    seen = np.array([label in known for label in gold], dtype=bool)
    accuracy = interval_of_mean(correct, seed=seed)
    return {
        "n": len(gold),
        "accuracy": accuracy.value,
        "accuracy_low": accuracy.low,
        "accuracy_high": accuracy.high,
        "accuracy_seen": float(correct[seen].mean()) if seen.any() else None,
        **f1_scores(gold, predicted),
        "n_unseen_label": int((~seen).sum()),
    }


def _counts(
    model: TextClassifier, documents: PreparedDocuments, index: np.ndarray[Any, Any]
) -> dict[str, Any]:
    truncated = int(documents.truncated[index].sum())
    if documents.bags is None:
        return {"n_unlinked": len(index), "n_unseen_entity": 0, "truncated": truncated}
    bags = documents.bags.select(index)
    entities = np.unique(bags.entity).astype(np.int64)
    return {
        "n_unlinked": int((np.diff(bags.indptr) == 0).sum()),
        "n_unseen_entity": int((~model.seen_entities(entities)).sum()),
        "truncated": truncated,
    }


def _mean(
    rows: list[dict[str, Any]],
    correct: dict[str, Bools1d],
    ids: dict[str, list[str] | None],
    training_langs: set[str],
    seed: int,
) -> dict[str, Any]:
    held = [row for row in rows if row["lang"] not in training_langs] or rows
    langs = [row["lang"] for row in held]
    accuracy = interval_of_language_mean(
        {lang: correct[lang] for lang in langs}, {lang: ids[lang] for lang in langs}, seed=seed
    )
    means = {key: float(np.mean([row[key] for row in held])) for key in ("macro_f1", "micro_f1")}
    seen = [row["accuracy_seen"] for row in held if row["accuracy_seen"] is not None]
    sums = {
        key: sum(row[key] for row in held)
        for key in ("n", "n_unlinked", "n_unseen_entity", "n_unseen_label", "truncated")
    }
    return {
        "langs": langs,
        "accuracy": accuracy.value,
        "accuracy_low": accuracy.low,
        "accuracy_high": accuracy.high,
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
        paired_difference(correct[row["lang"]], others[row["lang"]], seed=seed) for row in rows
    ]
    corrected = holm([pair.p_value for pair in pairs])
    for row, pair, p_holm in zip(rows, pairs, corrected, strict=True):
        row |= {
            "difference": pair.difference.value,
            "difference_low": pair.difference.low,
            "difference_high": pair.difference.high,
            "p_value": pair.p_value,
            "p_holm": p_holm,
        }
    values = {
        lang: correct[lang].astype(np.float64) - others[lang].astype(np.float64)
        for lang in mean["langs"]
    }
    overall = interval_of_language_mean(values, {lang: ids[lang] for lang in values}, seed=seed)
    mean |= {
        "difference": overall.value,
        "difference_low": overall.low,
        "difference_high": overall.high,
        "p_value": None,
        "p_holm": None,
    }


def _warn(rows: Iterable[dict[str, Any]], model: TextClassifier) -> None:
    for row in rows:
        if row["n_unseen_label"]:
            warn_loss(
                f"{row['lang']}: {row['n_unseen_label']} of {row['n']} texts have a label that "
                "training lacks; they count as wrong (accuracy_seen leaves them out)"
            )
        if model.kb_ is not None and row["n_unlinked"] == row["n"]:
            warn_loss(
                f"{row['lang']}: no entity was linked in any of {row['n']} texts; they are "
                "classified by the encoder alone"
            )


def _equal(predicted: np.ndarray[Any, Any], labels: list[Any]) -> Bools1d:
    return np.array(
        [bool(ours == theirs) for ours, theirs in zip(predicted.tolist(), labels, strict=True)],
        dtype=bool,
    )


def _ids(ids: Sequence[str | None] | None, index: np.ndarray[Any, Any]) -> list[str] | None:
    if ids is None:
        return None
    chosen = [ids[row] for row in index]
    return None if any(entry is None for entry in chosen) else [str(entry) for entry in chosen]
