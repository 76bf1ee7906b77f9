"""Tables whose cells are shaded by their value: one row a language, a column a layer or language.

The number is in each cell, so that the shade adds to it and carries nothing alone.
"""

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from isogloss.report.figures import decimal, is_number
from isogloss.report.lines import shown_layers

MOST_COLUMNS = 26  # more do not fit a page


class HeatValue(NamedTuple):
    """A value, and what is written of it where that is another."""

    value: float | None
    text: str | None = None


class HeatCell(NamedTuple):
    """What is written, and how strongly it is shaded: 0 to 1, or None without a value."""

    text: str
    shade: float | None


class HeatRow(NamedTuple):
    """The cells of a language."""

    name: str
    cells: list[HeatCell]


@dataclass(frozen=True)
class HeatTable:
    """Rows in groups, one an encoder, all of one scale."""

    title: str
    columns: list[str]
    groups: dict[str, list[HeatRow]]
    low: float | None  # the value with the weakest shade; None without any value
    high: float | None
    is_thinned: bool  # whether layers are left out for want of room
    corner: str = "layer"  # what the columns are

    def to_csv(self) -> str:
        """Return comma-separated values with a header, as they are written in the cells."""
        text = io.StringIO(newline="")
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(["group", self.corner, *self.columns])
        for group, rows in self.groups.items():
            writer.writerows(
                [group, row.name, *(cell.text.replace("·", "0") for cell in row.cells)]
                for row in rows
            )
        return text.getvalue()


def heat_of(
    title: str,
    groups: Mapping[str, Mapping[str, Mapping[int, HeatValue]]],
    *,
    most_columns: int = MOST_COLUMNS,
) -> HeatTable:
    """Shade values: group → name of the row → layer → value; rows may be of different layers."""
    rows = [row for group in groups.values() for row in group.values()]
    known = sorted({layer for row in rows for layer in row}) or [0]
    layers = [known[at] for at in shown_layers(len(known) - 1, at_most=most_columns)]
    values = [one.value for row in rows for one in row.values() if one.value is not None]
    low, high = (min(values), max(values)) if values else (None, None)

    def cell(one: HeatValue | None) -> HeatCell:
        if one is None or one.value is None or low is None or high is None:
            return HeatCell("–", None)
        shade = (one.value - low) / (high - low) if high > low else 0.0
        return HeatCell(short(one.value) if one.text is None else one.text, round(shade, 3))

    return HeatTable(
        title=title,
        columns=[*map(str, layers)],
        groups={
            name: [
                HeatRow(label, [cell(row.get(at)) for at in layers if at <= max(row, default=-1)])
                for label, row in group.items()
            ]
            for name, group in groups.items()
        },
        low=low,
        high=high,
        is_thinned=len(layers) < len(known),
    )


def named_heat(
    title: str, groups: Mapping[str, Mapping[str, Mapping[str, HeatValue]]], *, corner: str
) -> HeatTable:
    """Shade values: group → name of the row → name of the column → value."""
    columns = list(dict.fromkeys(
        name for group in groups.values() for row in group.values() for name in row
    ))  # fmt: skip
    numbered = {
        name: {
            label: {at: row.get(column, HeatValue(None)) for at, column in enumerate(columns)}
            for label, row in group.items()
        }
        for name, group in groups.items()
    }
    table = heat_of(title, numbered, most_columns=len(columns))
    return replace(table, columns=columns, corner=corner)


def short(value: float | None) -> str:
    """Write a value as short as a narrow cell needs it.

    Examples
    --------
    >>> short(0.654), short(-0.04), short(1.0), short(None)
    ('.65', '−.04', '1.00', '–')
    """
    text = decimal(value, 2)
    return text.replace("0.", ".", 1) if is_number(value) and abs(value) < 0.995 else text
