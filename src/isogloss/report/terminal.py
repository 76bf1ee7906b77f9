"""A table on a terminal, whatever its width: no number is cut, and what is not shown is said.

Where a table is too wide, headers break at their underscores; then minor columns are left out; then
it comes in parts below each other, each with the first column. Long texts are folded.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich import box
from rich.cells import cell_len
from rich.table import Table as RichTable
from rich.text import Text

from isogloss.visible import visible

if TYPE_CHECKING:
    from rich.console import Console

LONGEST_UNFOLDED = 24  # of a text in a column


@dataclass(frozen=True)
class Column:
    """A header and its cells, as they are printed."""

    name: str
    cells: list[str]
    is_number: bool  # to be aligned right

    @property
    def width(self) -> int:
        """Least cells of the terminal for what is in the column, header not counted."""
        widest = max(map(cell_len, self.cells), default=0)
        return widest if self.is_number else min(widest, LONGEST_UNFOLDED)

    def visible(self) -> "Column":
        """Return the column without control characters, which a terminal would obey."""
        return Column(visible(self.name), [*map(visible, self.cells)], self.is_number)

    def header(self, *, is_broken: bool) -> str:
        """Return the name, or its parts on lines as wide as the cells."""
        parts = self.name.replace("_", "_\n").replace(" ", " \n").split("\n")
        if not is_broken or not self.name:
            return self.name
        room = max(self.width, *map(cell_len, parts))
        lines = [""]
        for part in parts:
            if cell_len(lines[-1] + part) > room:
                lines.append("")
            lines[-1] += part
        return "\n".join(line.strip() for line in lines)


def print_columns(
    console: "Console", columns: Sequence[Column], *, minor: Sequence[str], caption: str
) -> None:
    """Print a table; `minor` columns may be left out, the first of these first."""
    kept, room, left_out = [column.visible() for column in columns], console.width, []
    is_broken = _width(kept, is_broken=False) > room
    for name in minor:
        if _width(kept, is_broken=is_broken) <= room:
            break
        left_out += [column.name for column in kept if column.name == name]
        kept = [column for column in kept if column.name != name]
    if left_out:
        caption = f"{caption} Not shown for want of room: {', '.join(left_out)}.".strip()
    parts = _parts(kept, room, is_broken=is_broken)
    for number, part in enumerate(parts, 1):
        is_last = number == len(parts)
        printed = RichTable(
            box=box.SIMPLE_HEAD, caption=Text(visible(caption)) if caption and is_last else None
        )
        for column in part:
            printed.add_column(
                Text(column.header(is_broken=is_broken)),
                justify="right" if column.is_number else "left",
                no_wrap=column.is_number,
            )
        for row in zip(*(column.cells for column in part), strict=True):
            printed.add_row(*map(Text, row))
        console.print(printed)


def _width(columns: Sequence[Column], *, is_broken: bool) -> int:
    """Return the cells that a table takes, with a space at both sides of a cell and its edge."""
    widths = [
        max(column.width, *map(cell_len, column.header(is_broken=is_broken).split("\n")))
        for column in columns
    ]
    return sum(widths) + 3 * len(widths) + 1


def _parts(columns: list[Column], room: int, *, is_broken: bool) -> list[list[Column]]:
    parts = [columns[:1]]
    for column in columns[1:]:
        if len(parts[-1]) > 1 and _width([*parts[-1], column], is_broken=is_broken) > room:
            parts.append(columns[:1])
        parts[-1] = [*parts[-1], column]
    return parts
