"""The doctor's report as lines, of which there are never too many for a bug report."""

from collections.abc import Sequence
from itertools import groupby

from isogloss.cli.diagnosing.findings import Finding
from isogloss.errors import counted
from isogloss.visible import visible_in_line

MOST_LINES = 60
# Their lines are as many as what the user names; those of all other sections are few.
LONG_SECTIONS = ("named", "vectors")


def report(found: Sequence[Finding]) -> list[str]:
    """Return the lines of what was found, at most `MOST_LINES`.

    Where there are more, of the folders that are named those are left out first that are whole;
    the last line but one says how many, and the last counts all that cannot work.
    """
    n_broken = sum(one.is_broken for one in found)
    verdict = f"{n_broken} cannot work, marked !" if n_broken else "nothing is broken"
    whole = [*_lines(found), verdict]
    if len(whole) <= MOST_LINES:
        return whole
    kept = _kept(found, n_fewer=len(whole) + 1 - MOST_LINES)
    n_left_out = len(found) - len(kept)
    n_of_broken = n_broken - sum(one.is_broken for one in kept)
    marked = f", {n_of_broken} of them marked !" if n_of_broken else ""
    left_out = f"{counted(n_left_out, 'line')} left out here{marked}; --json has all"
    return [*_lines(kept), left_out, verdict]


def _lines(found: Sequence[Finding]) -> list[str]:
    lines = []
    for section, of_section in groupby(found, key=lambda one: one.section):
        lines.append(section)
        lines += [_line(one) for one in of_section]
    return lines


def _line(one: Finding) -> str:
    mark = "!" if one.is_broken else " "
    return visible_in_line(f"{mark} {one.name}: {one.said}")


def _kept(found: Sequence[Finding], n_fewer: int) -> list[Finding]:
    """Leave out the last of the long sections, what is whole before what is broken."""
    places = [place for place, one in enumerate(found) if one.section in LONG_SECTIONS]
    places.sort(key=lambda place: (found[place].is_broken, -place))
    left_out = set(places[:n_fewer])
    return [one for place, one in enumerate(found) if place not in left_out]
