"""What sections of the report of probes are made of: charts with readings, tables that are folded.

With few encoders and languages each is a line with its interval. With many, a line is the mean of
an encoder's languages, its band goes from the lowest language to the highest, and a shaded table
has every language.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.probe.report.sentences import Names, mean, percent, reading, values_by_layer
from isogloss.probe.saved import Row, Series
from isogloss.report.heat import HeatTable, HeatValue, heat_of
from isogloss.report.lines import N_STYLES, Curve, LinePanel, Point, panel_of
from isogloss.report.page import name_of_language
from isogloss.report.table import Table


class Measure(NamedTuple):
    """A column that is drawn over the layers.

    Attributes
    ----------
    title
        Of the chart.
    sentence
        What a value says, with a place for it.
    """

    column: str
    title: str
    sentence: str


class ShownPanel(NamedTuple):
    """A chart, and what it shows here."""

    panel: LinePanel
    readings: list[str]


class Folded(NamedTuple):
    """A table that opens on demand: either is given, the other None."""

    summary: str
    heat: HeatTable | None = None
    table: Table | None = None


@dataclass(frozen=True)
class Section:
    """A section of the page.

    Attributes
    ----------
    lead
        What is measured, in a paragraph.
    legend
        Names of the lines of all its charts, in the order of their styles; empty for thin ones.
    key
        What lines and bands are.
    readings
        What its tables show here.
    """

    anchor: str
    title: str
    lead: str
    key: str = ""
    legend: list[str] = field(default_factory=list)
    panels: list[ShownPanel] = field(default_factory=list)
    readings: list[str] = field(default_factory=list)
    heats: list[HeatTable] = field(default_factory=list)
    folded: list[Folded] = field(default_factory=list)


Rows = Mapping[Series, list[Row]]


def are_many(rows: Rows) -> bool:
    """Whether there are more encoders and languages than lines that can be told apart."""
    return len(rows) > N_STYLES


def curves_of(rows: Rows, column: str, names: Names) -> list[Curve]:
    """Return the lines of a measure: of all encoders and languages, or means over languages."""
    if not are_many(rows):
        return [Curve(names.of(one), points_of(some, column)) for one, some in rows.items()]
    grouped = {
        encoder: {series: some for series, some in rows.items() if series.encoder == encoder}
        for encoder in names.encoders
    }
    return [
        Curve(names.encoder(encoder), _points_of_mean(some, column))
        for encoder, some in grouped.items() if some
    ]  # fmt: skip


def key_of(rows: Rows, names: Names) -> str:
    """Return what a line and its band are."""
    if not are_many(rows):
        return "Band: the 95 % interval, where the measure has one."
    if len(rows) == len(names.encoders):
        return "A line is an encoder; the tables say which."
    return (
        "A line is the mean over an encoder's languages, its band goes from the lowest language to "
        "the highest."
    )


def legend_of(names: Sequence[str]) -> list[str]:
    """Return the names of lines for a legend; none for one line, or lines that are drawn alike."""
    return list(names) if 1 < len(names) <= N_STYLES else []


def names_of(curves: Sequence[Curve]) -> list[str]:
    """Return what the lines are called."""
    return [curve.name for curve in curves]


def shown_panel(rows: Rows, measure: Measure, names: Names) -> ShownPanel:
    """Return the chart of a measure with its reading."""
    panel = panel_of(measure.title, curves_of(rows, measure.column, names))
    return ShownPanel(panel, reading(rows, measure.column, measure.sentence, names))


def heat_of_languages(rows: Rows, measure: Measure, names: Names) -> HeatTable:
    """Return the table of a measure: a row an encoder and language, a column a layer."""
    return heat_of(
        measure.title,
        grouped(rows, names, lambda row: HeatValue(row[measure.column])),
    )


def leading_of(row: Row, dimensions: str, shares: str) -> tuple[int, float] | None:
    """Return the first of a row's dimensions and its share, where known.

    Parameters
    ----------
    dimensions, shares
        Columns with lists, the largest share first.
    """
    if not row[dimensions] or not row[shares] or row[shares][0] is None:
        return None
    return row[dimensions][0], row[shares][0]


def heat_of_leading(row: Row, dimensions: str, shares: str) -> HeatValue:
    """Return the cell of the first dimension: ``"15: 53 %"``."""
    found = leading_of(row, dimensions, shares)
    return HeatValue(None) if found is None else HeatValue(
        found[1], f"{found[0]}: {percent(found[1])}"
    )  # fmt: skip


def folded_heat(heat: HeatTable) -> Folded:
    """Return a shaded table that opens on demand."""
    return Folded(f"{heat.title}: all values", heat=heat)


def folded_tables(rows: Rows, columns: Sequence[str], names: Names) -> list[Folded]:
    """Return a table of numbers for each encoder and language, a row a layer."""
    return [
        Folded(f"All figures of {names.of(series)}", table=Table(some, columns=columns))
        for series, some in rows.items()
    ]


def grouped(
    rows: Rows, names: Names, value_of: Callable[[Row], HeatValue]
) -> dict[str, dict[str, dict[int, HeatValue]]]:
    """Return a value a layer, in the groups of `in_groups`."""
    return {
        group: {
            label: {row["layer"]: value_of(row) for row in rows[series]}
            for label, series in some.items()
        }
        for group, some in in_groups(rows, names).items()
    }


def in_groups(lines: Iterable[Series], names: Names) -> dict[str, dict[str, Series]]:
    """Return encoders and languages as rows of a table: by encoder, where that saves words.

    Returns
    -------
    Name of the encoder, or an empty one where there is no need of groups → label → line.
    """
    has_groups = len(names.encoders) > 1 and len(names.langs) > 1
    groups: dict[str, dict[str, Series]] = {}
    for series in lines:
        group = names.encoder(series.encoder) if has_groups else ""
        label = name_of_language(series.lang) if has_groups else names.of(series)
        groups.setdefault(group, {})[label] = series
    return groups


def points_of(rows: Sequence[Row], column: str) -> list[Point]:
    """Return the points of a column, a row a layer, with its interval where it has one."""
    return [
        Point(row["layer"], row[column], row.get(f"{column}_low"), row.get(f"{column}_high"))
        for row in rows
    ]


def _points_of_mean(rows: Rows, column: str) -> list[Point]:
    points = []
    for layer, values in values_by_layer(rows, column).items():
        is_range = len(values) > 1
        low, high = (min(values), max(values)) if is_range else (None, None)
        points.append(Point(layer, mean(values), low, high))
    return points
