"""Charts of one measure in several variants, such as before and after a transform.

With few encoders, each has its own chart, whose lines are the variants. With more, each variant has
its own chart, whose lines are the encoders.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from isogloss.probe.report.parts import ShownPanel, legend_of
from isogloss.probe.report.sentences import number
from isogloss.report.figures import decimal, is_number
from isogloss.report.heat import HeatTable, HeatValue, heat_of
from isogloss.report.lines import Curve, Point, panel_of

MOST_CHARTS = 3  # one an encoder

Variants = Mapping[str, Mapping[str, Sequence[Point]]]  # encoder → variant → a point a layer


class VariantCharts(NamedTuple):
    """Charts with their legend, and what a line is."""

    panels: list[ShownPanel]
    legend: list[str]
    key: str


def charts_of(
    title: str, variants: Variants, *, variant: str, level: float | None = None
) -> VariantCharts:
    """Lay out a measure.

    Parameters
    ----------
    variants
        At least one encoder, each with at least one variant.
    variant
        What a variant is called: ``"transform"``.
    level
        As `panel_of` takes it.
    """
    if len(variants) <= MOST_CHARTS:
        are_several = len(variants) > 1
        charts = {
            f"{title}, {encoder}" if are_several else title: some
            for encoder, some in variants.items()
        }
        key = f"A line is a {variant}."
    else:
        kinds = dict.fromkeys(kind for some in variants.values() for kind in some)
        charts = {
            f"{title}, {kind}": {
                encoder: some[kind] for encoder, some in variants.items() if kind in some
            }
            for kind in kinds
        }
        key = "A line is an encoder."
    panels = []
    for name, lines in charts.items():
        curves = [Curve(line, list(points)) for line, points in lines.items()]
        panels.append(ShownPanel(panel_of(name, curves, level=level), reading_of_lines(lines)))
    # The lines of all charts, in one order, so that one legend serves them.
    lines = max(charts.values(), key=len)
    return VariantCharts(panels, legend_of(list(lines)), key)


def table_of(title: str, variants: Variants) -> HeatTable:
    """Return the values of all encoders and variants: a column a layer."""
    groups = {
        encoder if len(variants) > 1 else "": {
            kind: _by_layer(points) for kind, points in some.items()
        }
        for encoder, some in variants.items()
    }
    return heat_of(title, groups)


def _by_layer(points: Sequence[Point]) -> dict[int, HeatValue]:
    return {point.x: HeatValue(point.value) for point in points}


def reading_of_lines(lines: Mapping[str, Sequence[Point]]) -> list[str]:
    """Say what the lines of a chart come to in the last layer.

    Examples
    --------
    >>> reading_of_lines({"raw": [Point(0, 0.5), Point(1, 0.75)], "centred": [Point(0, 0.25)]})
    ['In the last layer: 0.750, raw; 0.250, centred.']
    """
    last = {name: points[-1] for name, points in lines.items() if points}
    said = [
        f"{number(point.value)}{_interval(point)}{f', {name}' if name else ''}"
        for name, point in last.items() if is_number(point.value)
    ]  # fmt: skip
    return [f"In the last layer: {'; '.join(said)}."] if said else []


def _interval(point: Point) -> str:
    if not (is_number(point.low) and is_number(point.high)):
        return ""
    return f" [{decimal(point.low, 2)}, {decimal(point.high, 2)}]"
