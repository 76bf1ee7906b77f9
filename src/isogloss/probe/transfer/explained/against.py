"""Scores of zero-shot pairs against a measure of their two languages, such as shared tokens.

Each system has the measure of its own encoder. Whether score and measure go together is a rank
correlation with a permutation test of languages; a control in which they do shows that the test
can tell.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles2d
from isogloss.probe.saved import Number, Row, Text, Whole, spread
from isogloss.probe.transfer.matrix.charts import by_system
from isogloss.probe.transfer.matrix.matrix import Matrix
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.report.lines import LinePanel
from isogloss.report.picture import Group
from isogloss.report.points import Dotted, points_panel
from isogloss.statistics.draws import columns_of
from isogloss.statistics.language_matrices import matrix_correlation

PAIRS = {"system": Text, "train": Text, "test": Text} | spread("score")
CORRELATIONS = {
    "system": Text, "control_of": str | None, "correlation": Number, "p_value": Number,
    "slope": Number, "n_pairs": Whole, "n_permutations": Whole,
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Against:
    """A measure of pairs of languages beside what was measured of them.

    Attributes
    ----------
    values
        By the name of a system; (n_trains_alone, n_tests), NaN where a pair has no value or is
        left out.
    """

    matrix: Matrix
    measure: str  # the column: "overlap"
    title: str  # of the axis: "overlap of token types"
    values: Mapping[str, Doubles2d]

    def pair_rows(self) -> Iterator[Row]:
        """Yield a row a system and zero-shot pair that has a value."""
        matrix = self.matrix
        for system in matrix.systems:
            values = self.values[system.name]
            for row, train in enumerate(matrix.alone):
                for column, test in enumerate(matrix.tests):
                    pair = Pair(train, test)
                    if not pair.is_zero_shot or not np.isfinite(values[row, column]):
                        continue
                    yield {
                        "system": system.name, "train": train, "test": test,
                        self.measure: float(values[row, column]),
                        **columns_of("score", matrix.mean(system.name, [pair])),
                    }  # fmt: skip

    def correlation_rows(self) -> Iterator[Row]:
        """Yield a row a system: whether the score goes with the measure over pairs."""
        for system in self.matrix.systems:
            values = self.values[system.name]
            scores = self.matrix.zero_shot_scores(system.name)
            found = matrix_correlation(
                values, scores, are_same=self.matrix.is_square, seed=self.matrix.seed
            )
            yield {
                "system": system.name, "control_of": system.control_of,
                "correlation": found.value, "p_value": found.p_value,
                "slope": _slope(values, scores), "n_pairs": found.n_pairs,
                "n_permutations": found.n_permutations,
            }  # fmt: skip


def against_charts(rows: Sequence[Row], measure: str, title: str, metric: str) -> list[Group]:
    """Return a chart a system: a point a zero-shot pair, all of one scale."""
    panels = against_panels(rows, measure, title, metric)
    return [Group([], panels)]


def against_panels(rows: Sequence[Row], measure: str, title: str, metric: str) -> list[LinePanel]:
    """Return the charts of `against_charts`."""
    return [
        points_panel(
            f"{metric}, {system}",
            {system: [Dotted(row[measure], row["score"]) for row in some]},
            x_name=title,
            holds=[row["score"] for row in rows],
        )
        for system, some in by_system(rows).items()
    ]


def note_on_permutations(matrix: Matrix) -> str:
    """Say which languages are exchanged in the permutation test."""
    how = (
        "rows together with columns, as training and test languages are the same"
        if matrix.is_square
        else "training and test languages apart"
    )
    return f"p: by exchanging languages, {how}; two-sided"


def _slope(values: Doubles2d, scores: Doubles2d) -> float:
    """Return by how much the score rises with one unit of the measure, by least squares."""
    has_both = np.isfinite(values) & np.isfinite(scores)
    x, y = values[has_both], scores[has_both]
    if len(x) < 3 or np.ptp(x) < 1e-12:
        return float("nan")
    return float(np.polyfit(x, y, 1)[0])
