"""What an evaluation gives: a row a language, their mean, and what was answered, as tables.

The definitions of the scores are in the design's "Scores of classification" and in
``docs/vocabulary.md``; `evaluation` computes them.
"""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from isogloss.arrays import Bools1d, Doubles1d, Ints1d
from isogloss.report.table import Table

COLUMNS = (
    "lang", "n", "accuracy", "accuracy_low", "accuracy_high", "accuracy_seen", "macro_f1",
    "micro_f1", "ece_uncalibrated", "ece",
    "n_unlinked", "n_unseen_entity", "n_unseen_label", "truncated", "n_dropped",
)  # fmt: skip
SET_COLUMNS = (
    *COLUMNS[:6], "macro_f1", "macro_f1_low", "macro_f1_high", "micro_f1", "micro_f1_low",
    "micro_f1_high", *COLUMNS[10:],
)  # fmt: skip
MEANS = ("macro_f1", "micro_f1", "ece_uncalibrated", "ece", "coverage")
COUNTS = ("n", "n_unlinked", "n_unseen_entity", "n_unseen_label", "truncated", "n_dropped")
COVERAGE_COLUMNS = ("coverage", "accuracy_covered")
DIFFERENCE_COLUMNS = ("difference", "difference_low", "difference_high", "p_value", "p_holm")
CORRECTED_COLUMN = "corrected"
MINOR_COLUMNS = (
    "n_dropped", "n_unseen_entity", "ece_uncalibrated", "p_value", "micro_f1", "truncated",
    "n_unseen_label", "accuracy_seen", "n_unlinked", "ece", "macro_f1",
)  # fmt: skip
SAID_BY = {"accuracy_seen": "accuracy", "micro_f1": "accuracy", "ece_uncalibrated": "ece"}
TITLES = {
    "lang": "language", "n": "texts", "accuracy_seen": "accuracy of known labels",
    "macro_f1": "macro F1", "micro_f1": "micro F1", "ece": "calibration error",
    "ece_uncalibrated": "calibration error before", "n_unlinked": "texts without link",
    "n_unseen_entity": "entities new to it", "n_unseen_label": "unknown labels",
    "truncated": "texts cut", "n_dropped": "entities dropped",
    "accuracy_covered": "accuracy of covered", "p_value": "p", "p_holm": "p corrected",
    "corrected": "corrected by texts",
}  # fmt: skip


class EvaluatedTexts(NamedTuple):
    """The texts of one language, in the order given.

    Attributes
    ----------
    rows
        int64 (n,): where they are among all texts.
    gold
        The true label, or label set, of each.
    ids
        What marks the same document in other languages; None where a text has none.
    correct_without_entities
        bool (n,): which are right as if nothing had been linked; None where nothing is.
    """

    rows: Ints1d
    gold: list[Any]
    ids: list[str] | None
    correct_without_entities: Bools1d | None


@dataclass(frozen=True)
class Evaluation:
    """Scores by language.

    Attributes
    ----------
    rows
        One dictionary a language, with the keys `COLUMNS`, or `SET_COLUMNS` where texts have
        label sets (accuracy is then that of whole sets); a target adds ``target``, on which side
        of it the interval of the accuracy is, a threshold to abstain below
        `COVERAGE_COLUMNS`, compared models `DIFFERENCE_COLUMNS`, and an adapted one
        `CORRECTED_COLUMN`: the texts that the correction of the language was learned from, None
        where there is none.
    mean
        The mean over ``langs``, which leaves out the training languages and texts of no known one.
    correct
        Language to bool (n,): which rows are right, in the order given.
    confidence
        Language to float64 (n,): the probability of the label that `predict` gives, in the same
        order. Empty where texts have label sets.
    answers
        Language to what `predict` gives, in the same order.
    abstain_below
        The threshold of the columns `COVERAGE_COLUMNS`; None: there are none.
    target
        The accuracy of the column ``target``; None: there is none.
    texts
        Language to the texts that were evaluated.
    """

    rows: list[dict[str, Any]]
    mean: dict[str, Any]
    correct: dict[str, Bools1d]
    confidence: dict[str, Doubles1d]
    answers: dict[str, list[Any]]
    abstain_below: float | None = None
    target: float | None = None
    texts: dict[str, EvaluatedTexts] = field(default_factory=dict)

    def table(self) -> Table:
        """Return the rows and the mean as a `Table`."""
        columns: tuple[str, ...] = SET_COLUMNS if "micro_f1_low" in self.mean else COLUMNS
        if self.target is not None:
            columns = (*columns[:5], "target", *columns[5:])
        columns += COVERAGE_COLUMNS if "coverage" in self.mean else ()
        columns += DIFFERENCE_COLUMNS if "difference" in self.mean else ()
        columns += (CORRECTED_COLUMN,) if CORRECTED_COLUMN in self.rows[0] else ()
        last = {**self.mean, "lang": f"mean of {len(self.mean['langs'])}"}
        langs = last.pop("langs")
        others = [row["lang"] for row in self.rows if row["lang"] not in langs]
        without = f", without {', '.join(others)}" if others else ""
        caption = f"The mean is over {', '.join(langs)}{without}."
        minor = [name for name in MINOR_COLUMNS if f"{name}_low" not in self.mean]
        minor += ["accuracy"] if "micro_f1_low" in self.mean else []  # F1 is what counts there
        return Table([*self.rows, last], columns=columns, caption=caption, minor=minor)

    def shown(self) -> Table:
        """Return the table for a terminal: in plain words, without columns that say nothing."""
        table = self.table()
        left_out = {
            name
            for name, other in SAID_BY.items()
            if all(row[name] == row[other] for row in table.rows if name in row and other in row)
        }
        if all(row["n_unlinked"] == row["n"] for row in self.rows):
            left_out |= {"n_unlinked", "n_unseen_entity", "n_dropped"}
        kept = [name for name in table.columns if name not in left_out]
        return Table(
            table.rows, columns=kept, caption=table.caption, minor=table.minor, sparse=COUNTS,
            titles=TITLES,
        )  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """Return ``{"rows": […], "mean": {…}}``, and ``target`` if any, ready for `json`."""
        target = {} if self.target is None else {"target": self.target}
        return target | {"rows": self.rows, "mean": self.mean}
