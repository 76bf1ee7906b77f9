"""Charts of a transfer matrix: scores by test language, and a shaded table a system."""

from collections.abc import Sequence

from isogloss.probe.saved import Row
from isogloss.report.heat import HeatTable, HeatValue, named_heat, short
from isogloss.report.lines import N_STYLES
from isogloss.report.picture import Group
from isogloss.report.points import Dotted, beside, points_panel


def matrix_charts(rows: Sequence[Row], metric: str) -> list[Group]:
    """Return a chart a system: test languages, in each a point for each training set."""
    tests = list(dict.fromkeys(row["test"] for row in rows))
    trains = list(dict.fromkeys(row["train"] for row in rows))
    panels = [
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
            x_name="test language",
            names=tests,
            holds=[row["score"] for row in rows],
        )
        for system, some in by_system(rows).items()
    ]  # fmt: skip
    return [Group(trains if 1 < len(trains) <= N_STYLES else [], panels)]


def matrix_heat(rows: Sequence[Row], metric: str) -> HeatTable:
    """Return the matrix of each system: a row a training set; a star: not zero-shot."""
    return named_heat(
        f"{metric}; *: the test language was trained on",
        {
            system: {
                train: {
                    row["test"]: HeatValue(
                        row["score"], f"{short(row['score'])}{'' if row['is_zero_shot'] else '*'}"
                    )
                    for row in some
                    if row["train"] == train
                }
                for train in dict.fromkeys(row["train"] for row in some)
            }
            for system, some in by_system(rows).items()
        },
        corner="trained on",
    )


def by_system(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return rows by system, in their order."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row["system"], []).append(row)
    return found
