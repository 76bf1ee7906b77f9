"""The geometry of small charts with lines: a value by layer, one line a name, bands of intervals.

Lines are told apart by colour, by dashes and by the form of their marks, so that colour alone
carries nothing. Coordinates are those of a viewBox of `WIDTH` by `HEIGHT`; what a chart looks like
is the template's business.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from isogloss.report.figures import Axis, decimal, is_number

WIDTH, HEIGHT = 320, 190
N_STYLES = 6  # more lines cannot be told apart: all are drawn thin and alike
LEFT, RIGHT, TOP, BOTTOM = 40, 10, 8, 34  # of the plot, room for labels left out
_N_LABELS = 14  # of layers; more would touch
# Of marks, around 0, 0: circle, square, two triangles, diamond, cross.
FORMS = (
    "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1 -1 0Z", "M-1 -1H1V1H-1Z", "M0 -1.3L1.2 1H-1.2Z",
    "M-1.2 -1H1.2L0 1.3Z", "M0 -1.5L1.5 0L0 1.5L-1.5 0Z", "M-1.1 -1.1L1.1 1.1M1.1 -1.1L-1.1 1.1",
)  # fmt: skip


class Point(NamedTuple):
    """A value in a layer; without an interval, its ends are None. A missing value is None."""

    x: int
    value: float | None
    low: float | None = None
    high: float | None = None


class Curve(NamedTuple):
    """What one line shows."""

    name: str
    points: list[Point]


class Place(NamedTuple):
    """A point of the chart."""

    x: float
    y: float


class Label(NamedTuple):
    """A number or name at an axis, and where; one too wide for its place is set in `width`."""

    at: float
    text: str
    width: float | None = None


@dataclass(frozen=True)
class Line:
    """A curve laid out; paths are of SVG."""

    name: str
    style: int  # 1 to `N_STYLES`; 0: thin, without marks, as all others
    path: str
    bands: list[str]  # missing where there is no interval
    marks: list[Place]


@dataclass(frozen=True)
class LinePanel:
    """One small chart."""

    title: str
    caption: str
    lines: list[Line]
    x_labels: list[Label]
    y_labels: list[Label]
    zero: float  # height of the line of zero
    level: float | None  # height of a dotted line across
    description: str  # the ends of each line, for those who do not see it
    x_name: str = "layer"


def panel_of(
    title: str, curves: Sequence[Curve], *, caption: str = "", level: float | None = None
) -> LinePanel:
    """Lay out curves over layers on one axis of values that holds zero.

    `level` is a value to draw a dotted line at, such as the chance level.
    """
    places = [point.x for curve in curves for point in curve.points]
    last = max(places, default=0)
    values = [
        value for curve in curves for point in curve.points for value in point[1:]
        if is_number(value)
    ]  # fmt: skip
    axis = Axis.around([0.0, *([] if level is None else [level]), *values])
    shown = shown_layers(last, at_most=_N_LABELS)
    are_told_apart = len(curves) <= N_STYLES
    return LinePanel(
        title=title,
        caption=caption,
        lines=[
            _line(curve, number if are_told_apart else 0, last, axis, set(shown))
            for number, curve in enumerate(curves, start=1)
        ],
        x_labels=[Label(_x(layer, last), str(layer)) for layer in shown],
        y_labels=[Label(height_at(tick.at), tick.label) for tick in axis.ticks() if tick.is_major],
        zero=height_at(axis.at(0.0)),
        level=None if level is None else height_at(axis.at(level)),
        description=f"{title}. {' '.join(map(_in_words, curves))}",
    )


def shown_layers(last: int, *, at_most: int) -> list[int]:
    """Return layers at even steps from 0 to the last, as many as there is room for.

    Examples
    --------
    >>> shown_layers(5, at_most=10), shown_layers(25, at_most=10)
    ([0, 1, 2, 3, 4, 5], [0, 3, 6, 9, 12, 15, 18, 21, 25])
    """
    step = 1 + last // at_most
    shown = list(range(0, last + 1, step))
    return [*shown[:-1], last]


def _line(curve: Curve, style: int, last: int, axis: Axis, marked: set[int]) -> Line:
    runs = [
        list(run) for has_value, run in groupby(curve.points, lambda point: is_number(point.value))
        if has_value
    ]  # fmt: skip
    path = "".join(_path([(point.x, point.value) for point in run], last, axis) for run in runs)
    return Line(
        name=curve.name,
        style=style,
        path=path,
        bands=[band for run in runs for band in _bands(run, last, axis)],
        marks=[
            Place(_x(point.x, last), height_at(axis.at(point.value)))
            for run in runs for point in run
            if style and point.value is not None and (point.x in marked or len(run) == 1)
        ],
    )  # fmt: skip


def _bands(run: Sequence[Point], last: int, axis: Axis) -> list[str]:
    made = []
    for has_band, part in groupby(run, lambda one: is_number(one.low) and is_number(one.high)):
        points = list(part)
        if has_band and len(points) > 1:
            there = [(point.x, point.high) for point in points]
            back = [(point.x, point.low) for point in reversed(points)]
            made.append(_path([*there, *back], last, axis) + "Z")
    return made


def _path(points: Sequence[tuple[int, float | None]], last: int, axis: Axis) -> str:
    return "M" + "L".join(
        f"{_x(x, last)} {height_at(axis.at(y))}" for x, y in points if y is not None
    )


def _x(layer: int, last: int) -> float:
    share = layer / last if last else 0.5
    return round(LEFT + (WIDTH - LEFT - RIGHT) * share, 1)


def height_at(percent: float) -> float:
    """Return where a percentage of the axis of values lies."""
    return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * percent / 100, 1)


def _in_words(curve: Curve) -> str:
    known = [point for point in curve.points if is_number(point.value)]
    ends = [f"{decimal(point.value)} in layer {point.x}" for point in (*known[:1], *known[1:][-1:])]
    return f"{curve.name}: {', '.join(ends) or 'no values'}."
