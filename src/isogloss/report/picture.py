"""Line charts as one SVG file that stands alone, light or dark as its reader's screen is."""

from collections.abc import Sequence
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from isogloss.report.lines import FORMS, HEIGHT, WIDTH, LinePanel
from isogloss.report.page import write_page

T = TypeVar("T")

_N_COLUMNS = 2
_GAP, _TITLE, _ENTRY = 24, 22, 20  # units of the picture: between charts, heights of lines of text


class Group(NamedTuple):
    """Charts of the same lines, and the names of these; none where there is one line."""

    legend: Sequence[str]
    panels: Sequence[LinePanel]


class _Placed(NamedTuple, Generic[T]):
    x: int
    y: int
    what: T


def write_picture(path: Path, groups: Sequence[Group]) -> None:
    """Write groups of charts below each other, each below its legend.

    Raises
    ------
    InputError
        When `path` exists, or it cannot be written.
    """
    panels: list[_Placed[LinePanel]] = []
    names: list[_Placed[tuple[int, str]]] = []
    y = _GAP
    for legend, charts in groups:
        names += _in_columns([*enumerate(legend, start=1)], y, _ENTRY, n_columns=1)
        y += _ENTRY * len(legend) + (6 if legend else 0)
        height = _TITLE + HEIGHT + _GAP
        panels += _in_columns(charts, y, height, _N_COLUMNS)
        y += height * -(-len(charts) // _N_COLUMNS)
    values = {
        "width": _GAP + _N_COLUMNS * (WIDTH + _GAP), "height": y, "panels": panels, "names": names,
        "forms": FORMS,
    }  # fmt: skip
    write_page(path, "picture.svg", values)


def _in_columns(items: Sequence[T], y: int, height: int, n_columns: int) -> list[_Placed[T]]:
    return [
        _Placed(_GAP + at % n_columns * (WIDTH + _GAP), y + at // n_columns * height, item)
        for at, item in enumerate(items)
    ]
