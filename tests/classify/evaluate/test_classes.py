"""Single classes: their scores beside scikit-learn's, and which are taken for which."""

import pytest
from sklearn.metrics import precision_recall_fscore_support

from isogloss.classify.evaluate.class_tables import (
    class_table,
    confusion_matrices,
    confusion_table,
)
from isogloss.classify.evaluate.classes import class_scores, weakest_class
from isogloss.classify.evaluate.evaluated import EvaluatedTexts, Evaluation

GOLD = ["a", "b", "b", "c", "c", "c", "d"]
ANSWERS = ["a", "a", "b", "c", "a", "a", "e"]


def evaluated(**sides: tuple[list[str], list[str]]) -> Evaluation:
    rows = [{"lang": lang, "n": len(gold)} for lang, (gold, _) in sides.items()]
    return Evaluation(
        rows=rows, mean={"langs": [lang for lang in sides if lang != "en"]}, correct={},
        confidence={}, answers={lang: given for lang, (_, given) in sides.items()},
        texts={lang: EvaluatedTexts(None, gold, None, None)  # type: ignore[arg-type]
               for lang, (gold, _) in sides.items()},
    )  # fmt: skip


def test_scores_are_those_of_scikit_learn() -> None:
    found = class_scores(GOLD, ANSWERS)
    labels = [one.label for one in found]
    expected = precision_recall_fscore_support(GOLD, ANSWERS, labels=labels, zero_division=0)
    assert labels == ["a", "b", "c", "d", "e"]
    for one, precision, recall, f1, n in zip(found, *expected, strict=True):
        assert (one.precision or 0, one.recall or 0, one.f1) == pytest.approx(
            (precision, recall, f1)
        )
        assert one.n == n
    assert found[3].precision is None  # none got it
    assert found[4].recall is None  # none is of it


def test_a_class_of_label_sets_is_right_where_both_sides_hold_it() -> None:
    found = class_scores([("a", "b"), ("b",), ()], [("b",), ("a",), ("b",)], multilabel=True)
    assert [(one.label, one.n, one.n_given, one.n_right) for one in found] == [
        ("a", 1, 1, 0), ("b", 2, 2, 1)
    ]  # fmt: skip


def test_the_weakest_class_is_one_that_texts_are_of() -> None:
    weakest = weakest_class(class_scores(GOLD, ANSWERS))
    assert weakest is not None
    assert (weakest.label, weakest.f1) == ("d", 0.0)
    assert weakest_class([]) is None


def test_confusions_come_by_frequency_with_the_languages_that_have_most() -> None:
    table = confusion_table(evaluated(ja=(GOLD, ANSWERS), th=(["c"], ["a"]), en=(["x"], ["y"])))
    assert table is not None
    assert table.rows[0] == {
        "true class": "c", "answer": "a", "texts": 3, "of": 4, "most in": "ja 2, th 1"
    }  # fmt: skip
    assert [row["true class"] for row in table.rows] == ["c", "b", "d"]  # not the training language
    assert confusion_table(evaluated(ja=(["a"], ["a"]))) is None


def test_a_matrix_has_what_is_confused_and_counts_what_is_right() -> None:
    matrices = confusion_matrices(evaluated(ja=(GOLD, ANSWERS), th=(["a"], ["a"])))
    assert list(matrices) == ["Japanese: 4 wrong of 7"]
    (heat,) = matrices.values()
    assert heat.columns == ["a", "b", "c", "d", "e"]
    rows = {row.name: [cell.text for cell in row.cells] for row in heat.groups[""]}
    assert rows["c"] == ["2", "·", "1", "·", "·"]
    assert heat.to_csv().splitlines()[3] == ",c,2,0,1,0,0"


def test_of_many_classes_the_most_confused_are_in_the_matrix() -> None:
    gold = [f"class {number}" for number in range(40)]
    matrices = confusion_matrices(evaluated(ja=(gold, gold[1:] + gold[:1])))
    (title,) = matrices
    assert title == "Japanese: 40 wrong of 40, the 20 classes most confused"
    assert len(matrices[title].columns) == 20


def test_the_table_of_classes_says_where_each_is_weakest() -> None:
    evaluation = evaluated(ja=(GOLD, ANSWERS), th=(["c", "b"], ["c", "b"]), en=(["a"], ["b"]))
    rows = {row["class"]: row for row in class_table(evaluation, multilabel=False).rows}
    assert rows["c"]["weakest in"] == "ja 0.50"
    assert (rows["c"]["texts"], rows["c"]["answers"]) == (4, 2)
    assert rows["e"]["weakest in"] == ""
