"""What `probe script` gives: the same taggers on a text as it is written, and altered."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Number, Row, Text, Whole, spread
from isogloss.probe.transfer.altered.alterations import AS_WRITTEN, MIXED, ROMANISED, SWITCHED
from isogloss.probe.transfer.matrix.charts import by_system
from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix
from isogloss.probe.transfer.matrix.scores import mean_difference
from isogloss.probe.transfer.matrix.sets import TaggedText
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.report.lines import N_STYLES, LinePanel
from isogloss.report.picture import Group
from isogloss.report.points import Dotted, beside, points_panel
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of

FORMAT = Format(
    name="isogloss script",
    version=1,
    command="isogloss probe script",
    tables={
        "scores": {"system": Text, "train": Text, "test": Text, "changed": Number,
                   "n_words": Whole}
        | spread("score", "difference"),
    },
    file="script.json",
)  # fmt: skip


class ScriptResult(ProbeResult):
    """Tables of `probe script`.

    Attributes
    ----------
    scores
        A row a system, training set and way to write the test text: the score, and how far it is
        from that of the text as it is written.
    """

    format = FORMAT
    picture = "script.svg"

    def __init__(
        self,
        matrix: Matrix,
        texts: Mapping[str, TaggedText],
        *,
        options: Any,
        notes: Sequence[str] = (),
    ) -> None:
        super().__init__([], options=options, notes=notes)
        self._metric = METRICS[matrix.task]
        self.scores = self.tables["scores"] = Table(
            list(_rows(matrix, texts)),
            caption=f"{self._metric}; changed: share of words; difference: from the text as it is "
            "written, paired.",
        )

    def _curves(self) -> list[Group]:
        return script_charts(self.scores.rows, self._metric)


def script_charts(rows: Sequence[Row], metric: str) -> list[Group]:
    """Return a chart a system: ways to write the test text, a point for each training set."""
    trains = list(dict.fromkeys(row["train"] for row in rows))
    return [Group(trains if 1 < len(trains) <= N_STYLES else [], script_panels(rows, metric))]


def script_panels(rows: Sequence[Row], metric: str) -> list[LinePanel]:
    """Return the charts of `script_charts`."""
    trains = list(dict.fromkeys(row["train"] for row in rows))
    tests = list(dict.fromkeys(row["test"] for row in rows))
    return [
        points_panel(
            f"{metric}, {system}",
            {
                train: [
                    Dotted(beside(tests.index(row["test"]), number, len(trains)), row["score"],
                           row["score_low"], row["score_high"])
                    for row in some if row["train"] == train
                ]
                for number, train in enumerate(trains)
            },
            x_name="test text",
            names=[*map(_short, tests)],
            holds=[row["score"] for row in rows],
        )
        for system, some in by_system(rows).items()
    ]  # fmt: skip


def _short(test: str) -> str:
    """Return a name that has room below a chart: ``"50 %"``, ``"Latin"``."""
    if test == ROMANISED:
        return "Latin"
    return test.removeprefix(MIXED).removesuffix(SWITCHED).removeprefix("as ")


def _rows(matrix: Matrix, texts: Mapping[str, TaggedText]) -> Iterator[Row]:
    for system in matrix.systems:
        for train in matrix.trains:
            for test in matrix.tests:
                text = texts[test]
                row: Row = {
                    "system": system.name, "train": train, "test": test,
                    "changed": text.n_changed / text.n_words, "n_words": text.n_words,
                    **columns_of("score", matrix.mean(system.name, [Pair(train, test)])),
                }  # fmt: skip
                yield row | _difference(matrix, system.name, train, test)


def _difference(matrix: Matrix, system: str, train: str, test: str) -> Row:
    """Return what a text scores beyond itself as it is written, on the same sentences."""
    is_same = matrix.documents[test] == matrix.documents.get(AS_WRITTEN)
    if test == AS_WRITTEN or not is_same:
        return dict.fromkeys(("difference", "difference_low", "difference_high"))
    pair = Pair(train, test)
    ours = {pair: matrix.counts[system, pair]}
    theirs = {pair: matrix.counts[system, Pair(train, AS_WRITTEN)]}
    found = mean_difference(ours, theirs, matrix.documents, seed=matrix.seed)
    return columns_of("difference", found)
