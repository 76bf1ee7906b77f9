"""Line charts over the layers and tables of every value, and the sections that they make up.

With few encoders and languages each is a line with its interval. With many, a line is the mean of
an encoder's languages, its band goes from the lowest language to the highest, and a shaded table
has every language.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from isogloss.probe.charts.names import Names, name_of_languages, percent
from isogloss.probe.saved import Row, Rows, Series
from isogloss.report.heat import HeatTable, HeatValue, heat_of
from isogloss.report.lines import N_STYLES, Curve, LinePanel, Point, panel_of
from isogloss.report.table import Table

_MOST_LEADING = 13  # columns of `leading_heat`, whose cells are wider than elsewhere


class Measure(NamedTuple):
    """A column that is drawn over the layers, with the title and the caption of its chart."""

    column: str
    title: str
    caption: str = ""


class Folded(NamedTuple):
    """A table that opens on demand: either is given, the other None."""

    summary: str
    heat: HeatTable | None = None
    table: Table | None = None


@dataclass(frozen=True)
class Section:
    """A section of the page."""

    anchor: str
    title: str
    lead: str  # what is measured, in a paragraph
    key: str = ""  # what lines and bands are
    legend: list[str] = field(default_factory=list)  # lines by style; empty for thin ones
    panels: list[LinePanel] = field(default_factory=list)
    heats: list[HeatTable] = field(default_factory=list)
    folded: list[Folded] = field(default_factory=list)


def are_many(rows: Rows) -> bool:
    """Whether there are more encoders and languages than lines that can be told apart."""
    return len(rows) > N_STYLES


def panels_of(rows: Rows, measures: Iterable[Measure], names: Names) -> list[LinePanel]:
    """Return the chart of each measure."""
    return [
        panel_of(measure.title, _curves(rows, measure.column, names), caption=measure.caption)
        for measure in measures
    ]


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


def legend_of(panels: Sequence[LinePanel]) -> list[str]:
    """Return the names of the lines; none for one line, or lines that are drawn alike."""
    names = max(([line.name for line in panel.lines] for panel in panels), key=len)
    return names if 1 < len(names) <= N_STYLES else []


def points_of(rows: Sequence[Row], column: str) -> list[Point]:
    """Return the points of a column, a row a layer, with its interval where it has one."""
    return [
        Point(row["layer"], row[column], row.get(f"{column}_low"), row.get(f"{column}_high"))
        for row in rows
    ]


def language_heat(rows: Rows, column: str, title: str, names: Names) -> HeatTable:
    """Return the table of a measure: a row an encoder and language, a column a layer."""
    return heat_of(title, _grouped(rows, names, lambda row: HeatValue(row[column])))


def leading_heat(rows: Rows, dimensions: str, shares: str, title: str, names: Names) -> HeatTable:
    """Return a table of the first dimension of a column and its share: ``"15: 53 %"``."""

    def cell(row: Row) -> HeatValue:
        if not row[dimensions] or not row[shares] or row[shares][0] is None:
            return HeatValue(None)
        share = row[shares][0]
        return HeatValue(share, f"{row[dimensions][0]}: {percent(share)}")

    return heat_of(title, _grouped(rows, names, cell), most_columns=_MOST_LEADING)


def folded_heat(heat: HeatTable) -> Folded:
    """Return a shaded table that opens on demand."""
    return Folded(f"{heat.title}: all values", heat=heat)


def folded_tables(rows: Rows, columns: Sequence[str], names: Names) -> list[Folded]:
    """Return a table of numbers for each encoder and language, a row a layer."""
    return [
        Folded(f"All figures of {names.of(series)}", table=Table(some, columns=columns))
        for series, some in rows.items()
    ]


def in_groups(lines: Iterable[Series], names: Names) -> dict[str, dict[str, Series]]:
    """Return encoder, or an empty name where there is no need of groups → label → line."""
    has_groups = len(names.encoders) > 1 and len(names.langs) > 1
    groups: dict[str, dict[str, Series]] = {}
    for series in lines:
        group = names.encoder(series.encoder) if has_groups else ""
        label = name_of_languages(series) if has_groups else names.of(series)
        groups.setdefault(group, {})[label] = series
    return groups


def means_by_layer(rows: Iterable[Row], column: str) -> list[Point]:
    """Return means over the lines that have a value in a layer, and their range as a band."""
    found: dict[int, list[float]] = {}
    for row in rows:
        known = found.setdefault(row["layer"], [])
        if row[column] is not None:
            known.append(row[column])
    return [
        Point(layer, sum(values) / len(values), min(values), max(values)) if len(values) > 1
        else Point(layer, values[0] if values else None)
        for layer, values in sorted(found.items())
    ]  # fmt: skip


def _curves(rows: Rows, column: str, names: Names) -> list[Curve]:
    """Return the lines of a measure: of all encoders and languages, or means over languages."""
    if not are_many(rows):
        return [Curve(names.of(one), points_of(some, column)) for one, some in rows.items()]
    of_encoder: dict[str, list[Row]] = {}
    for series, some in rows.items():
        of_encoder.setdefault(series.encoder, []).extend(some)
    return [
        Curve(names.encoder(encoder), means_by_layer(some, column))
        for encoder, some in of_encoder.items()
    ]


def _grouped(
    rows: Rows, names: Names, value_of: Callable[[Row], HeatValue]
) -> dict[str, dict[str, dict[int, HeatValue]]]:
    return {
        group: {
            label: {row["layer"]: value_of(row) for row in rows[series]}
            for label, series in some.items()
        }
        for group, some in in_groups(rows, names).items()
    }
