"""Charts of one measure in several variants, such as before and after a transform.

With few encoders, each has its own chart, whose lines are the variants. With more, each variant has
its own chart, whose lines are the encoders.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from isogloss.probe.charts.panels import legend_of
from isogloss.report.heat import HeatTable, HeatValue, heat_of
from isogloss.report.lines import Curve, LinePanel, Point, panel_of

MOST_CHARTS = 3  # one an encoder

Variants = Mapping[str, Mapping[str, Sequence[Point]]]  # encoder → variant → a point a layer


class VariantCharts(NamedTuple):
    """Charts with their legend, and what a line is."""

    panels: list[LinePanel]
    legend: list[str]
    key: str


def charts_of(
    title: str, variants: Variants, *, variant: str, level: float | None = None
) -> VariantCharts:
    """Lay out a measure; `variant` is what a variant is called, `level` as `panel_of` takes it."""
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
    panels = [
        panel_of(name, [Curve(line, list(some)) for line, some in lines.items()], level=level)
        for name, lines in charts.items()
    ]
    return VariantCharts(panels, legend_of(panels), key)


def table_of(title: str, variants: Variants) -> HeatTable:
    """Return the values of all encoders and variants: a column a layer."""
    groups = {
        encoder if len(variants) > 1 else "": {
            kind: {point.x: HeatValue(point.value) for point in points}
            for kind, points in some.items()
        }
        for encoder, some in variants.items()
    }
    return heat_of(title, groups)
