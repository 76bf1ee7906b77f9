"""The claims of Ethayarajh (2019) in the report: verdicts, values with their intervals."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from isogloss.probe.charts.names import with_interval
from isogloss.probe.geometry.claims import (
    ABOVE_BASELINE,
    MEV,
    NOT_ISOTROPIC,
    STATIC,
    UPPER_LAYERS,
)
from isogloss.probe.saved import Row, Rows, Series
from isogloss.probe.verdicts import VERDICTS
from isogloss.report.figures import decimal

MARKS = {"holds": "✓", "does not hold": "✗", "undecided": "?"}

_SHORT = {
    NOT_ISOTROPIC: "not isotropic",
    ABOVE_BASELINE: "self-similarity above baseline",
    UPPER_LAYERS: "more context-specific in upper layers",
    STATIC: "a static vector explains < 5 %",
}
_IS_ABOVE = {NOT_ISOTROPIC, ABOVE_BASELINE}  # the claim says that the value is above its limit


@dataclass(frozen=True)
class ShownClaim:
    """A claim, by one definition of what it is about, as a column of a table."""

    short: str
    caption: str  # what was measured, and when the claim holds
    cells: dict[Series, str]  # verdict and value
    verdicts: Counter[str]


def shown_claims(rows: Rows) -> list[ShownClaim]:
    """Return each claim, under each definition, over all encoders and languages."""
    judged: dict[tuple[str, str], dict[Series, Row]] = {}
    for series, some in rows.items():
        for row in some:
            definition = row["measured"] if row["claim"] == STATIC else ""
            judged.setdefault((row["claim"], definition), {})[series] = row
    return [
        _shown(claim, definition.removeprefix(MEV), found)
        for (claim, definition), found in judged.items()
    ]


def headline_of(claims: Sequence[ShownClaim]) -> list[str]:
    """Return which claims hold, a sentence a verdict; of several lines, of how many."""
    said = []
    for verdict in VERDICTS:
        found = [
            claim.short + ("" if n == len(claim.cells) else f" ({n} of {len(claim.cells)})")
            for claim in claims
            if (n := claim.verdicts[verdict])
        ]
        said += [f"{verdict.capitalize()}: {'; '.join(found)}."] if found else []
    return said


def _shown(claim: str, definition: str, found: Mapping[Series, Row]) -> ShownClaim:
    limit = next(row["limit"] for row in found.values())
    # What was measured depends on the number of layers, which encoders need not have in common.
    measured = "; ".join(dict.fromkeys(row["measured"] for row in found.values()))
    side = "above" if claim in _IS_ABOVE else "below"
    return ShownClaim(
        short=f"{_SHORT[claim]}{f', {definition}' if definition else ''}",
        caption=f"{measured}; claimed {side} {decimal(limit, 2) if limit else '0'}",
        cells={
            series: f"{MARKS[row['verdict']]} {with_interval(row, 'value')}"
            for series, row in found.items()
        },
        verdicts=Counter(row["verdict"] for row in found.values()),
    )
