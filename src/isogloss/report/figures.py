"""The geometry of charts of languages by score: dots with intervals on a shared axis.

Positions are percentages of the width of a plot, so that a page can make it as wide as it likes.
What a plot looks like is the template's business.
"""

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple, TypeGuard

_LEAST_STEP = 0.01  # of scores: smaller differences look as small as they are
_RELATIVE_STEP = 1e-3  # of the largest value: short labels tell such ticks apart
_LARGE = 1e7  # from here on a value is written as a power of ten
_N_INTERVALS = 5  # more tick labels would touch on a phone
_FAR = 0.35  # of the width: labels with a sign touch when nearer
SIGNIFICANT = 0.05


class Tick(NamedTuple):
    """A labelled place on an axis, in percent of its width; a narrow plot labels the major ones."""

    at: float
    label: str
    is_major: bool


@dataclass(frozen=True)
class Axis:
    """A linear scale from `low` to `high`, both of them ticks.

    Examples
    --------
    >>> axis = Axis.around([0.43, 0.91], at_most=1.0)
    >>> axis.low, axis.high, axis.at(0.7)
    (0.4, 1.0, 50.0)
    """

    low: float
    high: float
    step: float

    @classmethod
    def around(
        cls, values: Sequence[float], *, at_least: float = -math.inf, at_most: float = math.inf
    ) -> "Axis":
        """Return the tightest scale with round ends that holds `values`, within the bounds."""
        if not all(map(math.isfinite, values)):
            raise ValueError("an axis is of finite values")
        low, high = min(values, default=0.0), max(values, default=1.0)
        for step in _steps(low, high):
            first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if first == last:
                first, last = first - 1, last + 1
            if last - first <= _N_INTERVALS:
                break
        return cls(max(_clean(first * step), at_least), min(_clean(last * step), at_most), step)

    def at(self, value: float) -> float:
        """Return where `value` lies, in percent; what is outside lies at an end."""
        share = (value - self.low) / (self.high - self.low)
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def ticks(self, *, signed: bool = False) -> list[Tick]:
        """Return the ticks with labels; with a sign, zero and the ends far from it are major."""
        n_intervals = round((self.high - self.low) / self.step)
        far = _FAR * (self.high - self.low)
        ticks = []
        for index in range(n_intervals + 1):
            value = _clean(self.low + index * self.step)
            if abs(value) < self.step * _RELATIVE_STEP:
                value = 0.0
            label = f"{abs(value):.7g}"
            label = ("−" if value < 0 else "+" if value and signed else "") + label
            is_major = self.step >= 0.1 or index % 2 == 0
            if signed:
                is_major = not value or (index in (0, n_intervals) and abs(value) >= far)
            ticks.append(Tick(self.at(value), label, is_major))
        return ticks


class Dot(NamedTuple):
    """A value and its interval, in percent of the width; the ends are None without an interval."""

    at: float
    low: float | None
    high: float | None
    is_solid: bool


class Mark(NamedTuple):
    """A value to compare with: where it is, in percent of the width, and its form, 1 to 3."""

    at: float
    form: int


class Bar(NamedTuple):
    """A row of scores in a chart, with the dot and the marks to draw."""

    scores: Mapping[str, Any]
    dot: Dot | None
    marks: list[Mark]


@dataclass(frozen=True)
class Chart:
    """A column of scores, one row a language, the largest first."""

    column: str
    rows: list[Bar]
    axis: Axis
    line_at: float | None  # a dashed line: the mean, the target, or zero
    marked: Sequence[str] = ()  # the columns of the marks

    @property
    def is_signed(self) -> bool:
        """Whether values are differences."""
        return self.column == "difference"


def chart_of(
    rows: Sequence[Mapping[str, Any]],
    column: str = "accuracy",
    *,
    hollow: Container[str] = (),
    line: float | None = None,
    marked: Sequence[str] = (),
) -> Chart:
    """Lay out the chart of a column of scores with its intervals.

    Parameters
    ----------
    hollow
        Languages whose dots are not filled; of differences, all that are not clear.
    line
        A value to draw a line at; of differences it is zero.
    marked
        Columns of values to compare with, at most three.
    """
    signed = column == "difference"
    values = [value for name in (column, *marked) for value in _values(rows, name)]
    values += [0.0] if signed else [] if line is None else [line]
    axis = Axis.around(values) if signed else Axis.around(values, at_least=0.0, at_most=1.0)

    def lay_out(row: Mapping[str, Any]) -> Bar:
        is_solid = _is_clear(row) if signed else row["lang"] not in hollow
        marks = [Mark(axis.at(row[name]), form) for form, name in enumerate(marked, start=1)
                 if is_number(row.get(name))]  # fmt: skip
        return Bar(row, dot_of(row, column, axis, is_solid=is_solid), marks)

    ordered = sorted(rows, key=lambda row: -row[column] if is_number(row[column]) else math.inf)
    at = 0.0 if signed else line if is_number(line) else None
    line_at = None if at is None else axis.at(at)
    return Chart(column, [*map(lay_out, ordered)], axis, line_at, marked)


def is_number(value: Any) -> TypeGuard[float]:
    """Return whether a score is there: neither None nor NaN."""
    return value is not None and math.isfinite(value)


def decimal(value: Any, digits: int = 3, *, signed: bool = False) -> str:
    """Write a score with a true minus, or a dash where there is none.

    Examples
    --------
    >>> decimal(0.5), decimal(0.0123, 2, signed=True), decimal(-0.1, 1), decimal(None)
    ('0.500', '+0.01', '−0.1', '–')
    """
    if not is_number(value):
        return "–"
    text = f"{abs(value):.{digits}{'e' if abs(value) >= _LARGE else 'f'}}"
    if not float(text):
        return text
    return ("−" if value < 0 else "+" if signed else "") + text


def _steps(low: float, high: float) -> Iterator[float]:
    """Yield round steps, from the first that may do for a range."""
    largest = max(abs(low), abs(high))
    least = largest / 10 if 0 < largest < _LEAST_STEP / 10 else _LEAST_STEP
    wanted = max((high - low) / _N_INTERVALS, least, largest * _RELATIVE_STEP)
    for power in count(math.floor(math.log10(wanted) + 1e-9)):
        for factor in (1, 2, 5):
            yield factor * 10**power if power >= 0 else factor / 10**-power


def _clean(value: float) -> float:
    """Return a tick without the rounding of its sum."""
    return float(f"{value:.12g}")


def _is_clear(row: Mapping[str, Any]) -> bool:
    """Return whether a difference is more than chance; the mean has an interval and no p-value."""
    if is_number(row.get("p_holm")):
        return bool(row["p_holm"] < SIGNIFICANT)
    low, high = row.get("difference_low"), row.get("difference_high")
    return is_number(low) and is_number(high) and (low > 0 or high < 0)


def dot_of(row: Mapping[str, Any], name: str, axis: Axis, *, is_solid: bool) -> Dot | None:
    """Lay out a value with its interval; None where there is no value."""
    if not is_number(row.get(name)):
        return None
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    if not (is_number(low) and is_number(high)):
        return Dot(axis.at(row[name]), None, None, is_solid)
    return Dot(axis.at(row[name]), axis.at(float(low)), axis.at(float(high)), is_solid)


def _values(rows: Sequence[Mapping[str, Any]], name: str) -> list[float]:
    values = [row.get(key) for row in rows for key in (name, f"{name}_low", f"{name}_high")]
    return [float(value) for value in values if value is not None and is_number(value)]
