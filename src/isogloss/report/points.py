"""Charts of points: a value over another, or over names, such as scores over languages.

They are laid out as charts of lines are, and drawn by the same templates, without the lines.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from isogloss.report.figures import Axis, decimal, is_number
from isogloss.report.lines import (
    LEFT,
    N_STYLES,
    RIGHT,
    WIDTH,
    Label,
    Line,
    LinePanel,
    Place,
    height_at,
)

_FEW = 8  # ticks of the lower axis
_PER_LETTER, _BETWEEN = 6.3, 5.0  # of names below: mean width of a letter, room between two
_BESIDE, _MOST_BESIDE = 0.12, 0.7  # of the distance of two places: between two groups, of all


class Dotted(NamedTuple):
    """A point: where, how high, and with what interval; a missing value is None."""

    x: float
    value: float | None
    low: float | None = None
    high: float | None = None


def points_panel(
    title: str,
    groups: Mapping[str, Sequence[Dotted]],
    *,
    x_name: str,
    names: Sequence[str] | None = None,
    caption: str = "",
    level: float | None = None,
    holds: Sequence[float] = (),
) -> LinePanel:
    """Lay out points, each group in a style of its own while there are `N_STYLES` or fewer.

    Parameters
    ----------
    x_name
        What the lower axis is.
    names
        Of the places 0, 1, … of the lower axis; None: it is of numbers.
    level
        A value to draw a dotted line at.
    holds
        Further values that the axis of values holds, so that charts have one scale.
    """
    points = [one for group in groups.values() for one in group]
    values = [value for one in points for value in one[1:] if is_number(value)]
    axis = Axis.around([0.0, *holds, *([] if level is None else [level]), *values])
    places = [one.x for one in points]
    lower = Axis.around(places or [0.0]) if names is None else Axis(-0.5, len(names) - 0.5, 1.0)
    lines = [
        _line(name, number if len(groups) <= N_STYLES else 1, group, lower, axis)
        for number, (name, group) in enumerate(groups.items(), start=1)
    ]
    return LinePanel(
        title=title,
        caption=caption,
        lines=lines,
        x_labels=_labels(lower, names),
        y_labels=[Label(height_at(tick.at), tick.label) for tick in axis.ticks() if tick.is_major],
        zero=height_at(axis.at(0.0)),
        level=None if level is None else height_at(axis.at(level)),
        description=f"{title}. {' '.join(_in_words(name, one) for name, one in groups.items())}",
        x_name=x_name,
    )


def beside(place: int, number: int, n: int) -> float:
    """Return where the point of one of n groups stands at a named place, beside the others.

    Examples
    --------
    >>> beside(2, 0, 1), [round(beside(2, number, 3), 2) for number in range(3)]
    (2.0, [1.88, 2.0, 2.12])
    """
    return place + (number - (n - 1) / 2) * min(_BESIDE, _MOST_BESIDE / n)


def _line(name: str, style: int, points: Sequence[Dotted], lower: Axis, axis: Axis) -> Line:
    known = [one for one in points if is_number(one.value)]
    bars = [
        f"M{_x(lower, one.x)} {height_at(axis.at(one.low))}V{height_at(axis.at(one.high))}"
        for one in known
        if is_number(one.low) and is_number(one.high)
    ]
    return Line(
        name=name,
        style=style,
        path="".join(bars),
        bands=[],
        marks=[Place(_x(lower, one.x), height_at(axis.at(float(one.value or 0)))) for one in known],
    )


def _labels(lower: Axis, names: Sequence[str] | None) -> list[Label]:
    if names is not None:
        room = round((WIDTH - LEFT - RIGHT) / max(len(names), 1) - _BETWEEN, 1)
        return [
            Label(_x(lower, at), name, room if _PER_LETTER * len(name) > room else None)
            for at, name in enumerate(names)
        ]
    ticks = lower.ticks()
    return [Label(_at(tick.at), tick.label) for tick in ticks if tick.is_major or len(ticks) < _FEW]


def _x(lower: Axis, place: float) -> float:
    return _at(lower.at(place))


def _at(percent: float) -> float:
    return round(LEFT + (WIDTH - LEFT - RIGHT) * percent / 100, 1)


def _in_words(name: str, points: Sequence[Dotted]) -> str:
    values = [one.value for one in points]
    known = [value for value in values if is_number(value)]
    if not known:
        return f"{name}: no values."
    return f"{name}: {len(known)} points, {decimal(min(known))} to {decimal(max(known))}."
