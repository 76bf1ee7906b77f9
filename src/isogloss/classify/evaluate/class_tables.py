"""What an evaluation says of single classes, as tables: scores, confusions, a matrix a language."""

from collections import Counter
from itertools import chain
from typing import Any

from isogloss.classify.evaluate.classes import class_scores, confusions
from isogloss.classify.evaluate.evaluated import Evaluation
from isogloss.report.figures import decimal
from isogloss.report.heat import HeatTable, HeatValue, named_heat
from isogloss.report.page import name_of_language
from isogloss.report.table import Table

MOST_CLASSES = 20  # of the matrix of a language; the most confused ones
_N_LANGUAGES = 3  # named beside a confusion


def class_table(evaluation: Evaluation, *, multilabel: bool) -> Table:
    """Return the scores of each class over the languages of the mean, and where it is weakest."""
    langs: list[str] = evaluation.mean["langs"]
    gold = {lang: evaluation.texts[lang].gold for lang in langs}
    answers = {lang: evaluation.answers[lang] for lang in langs}
    weakest: dict[str, tuple[float, str]] = {}
    for lang in langs:
        for one in class_scores(gold[lang], answers[lang], multilabel=multilabel):
            if one.n:
                here = one.f1, lang
                weakest[one.label] = min(weakest.get(one.label, here), here)
    sides = ([*chain.from_iterable(side.values())] for side in (gold, answers))
    scores = class_scores(*sides, multilabel=multilabel)
    rows = [
        {
            "class": one.label, "texts": one.n, "answers": one.n_given,
            "precision": one.precision, "recall": one.recall, "F1": one.f1,
            "weakest in": _weakest(weakest.get(one.label)),
        }
        for one in scores
    ]  # fmt: skip
    return Table(rows, caption=f"Over {', '.join(langs)}.")


def confusion_table(evaluation: Evaluation) -> Table | None:
    """Return the pairs of a true class and a wrong answer, the most frequent first, over the mean.

    None where all answers are right.
    """
    pairs = {lang: confusions(evaluation.texts[lang].gold, evaluation.answers[lang])
             for lang in evaluation.mean["langs"]}  # fmt: skip
    sizes = Counter(str(label) for lang in pairs for label in evaluation.texts[lang].gold)
    rows = []
    total = sum(pairs.values(), Counter[tuple[str, str]]())
    for (true, given), n in sorted(total.items(), key=lambda item: (-item[1], item[0])):
        by_lang = Counter({lang: own[true, given] for lang, own in pairs.items()})
        most = [f"{lang} {n}" for lang, n in by_lang.most_common(_N_LANGUAGES) if n]
        rows.append({"true class": true, "answer": given, "texts": n, "of": sizes[true],
                     "most in": ", ".join(most)})  # fmt: skip
    return Table(rows) if rows else None


def confusion_matrices(evaluation: Evaluation) -> dict[str, HeatTable]:
    """Return by title the confusion matrix of each language, of the classes that are confused."""
    found = {}
    for row in evaluation.rows:
        sides: tuple[list[Any], list[Any]] = (
            evaluation.texts[row["lang"]].gold, evaluation.answers[row["lang"]]
        )  # fmt: skip
        wrong, involved = confusions(*sides), Counter[str]()
        for pair, n in wrong.items():
            involved.update(dict.fromkeys(pair, n))
        labels = sorted(label for label, _ in involved.most_common(MOST_CLASSES))
        counts = Counter(zip(map(str, sides[0]), map(str, sides[1]), strict=True))
        cells = {
            true: {given: HeatValue(counts[true, given], f"{counts[true, given] or '·'}")
                   for given in labels}
            for true in labels
        }  # fmt: skip
        title = f"{name_of_language(row['lang'])}: {wrong.total()} wrong of {row['n']}"
        if len(involved) > MOST_CLASSES:
            title += f", the {MOST_CLASSES} classes most confused"
        if labels:
            found[title] = named_heat(title, {"": cells}, corner="true \\ answer")
    return found


def _weakest(found: tuple[float, str] | None) -> str:
    return "" if found is None else f"{found[1]} {decimal(found[0], 2)}"
