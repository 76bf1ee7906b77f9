"""The claims of Ethayarajh (2019) in the report: verdicts, values with their intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.probe.charts.names import Names, with_interval
from isogloss.probe.geometry.claims import (
    ABOVE_BASELINE,
    MEV,
    NOT_ISOTROPIC,
    STATIC,
    UPPER_LAYERS,
    VERDICTS,
)
from isogloss.probe.saved import Row, Series
from isogloss.report.figures import Axis, Dot, decimal, dot_of, is_number

MOST_SHOWN = 8  # lines of a claim's chart; more are folded away
MARKS = {"holds": "✓", "does not hold": "✗", "undecided": "?"}

_SHORT = {
    NOT_ISOTROPIC: "not isotropic",
    ABOVE_BASELINE: "self-similarity above baseline",
    UPPER_LAYERS: "more context-specific in upper layers",
    STATIC: "a static vector explains < 5 %",
}
_IS_ABOVE = {NOT_ISOTROPIC, ABOVE_BASELINE}  # the claim says that the value is above its limit


class ClaimLine(NamedTuple):
    """An encoder and language in a claim's chart."""

    series: Series
    name: str
    verdict: str
    mark: str
    value: str
    dot: Dot | None


@dataclass(frozen=True)
class ShownClaim:
    """A claim with what was found."""

    title: str
    definition: str  # which of several the claim is judged by; may be empty
    short: str
    caption: str  # what was measured, and when the claim holds
    lines: list[ClaimLine]
    axis: Axis
    limit: str
    limit_at: float  # in percent of the axis

    @property
    def is_folded(self) -> bool:
        """Whether its chart is long."""
        return len(self.lines) > MOST_SHOWN


def shown_claims(rows: Mapping[Series, Sequence[Row]], names: Names) -> list[ShownClaim]:
    """Return each claim, under each definition, over all encoders and languages."""
    judged: dict[tuple[str, str], dict[Series, Row]] = {}
    for series, some in rows.items():
        for row in some:
            definition = row["measured"] if row["claim"] == STATIC else ""
            judged.setdefault((row["claim"], definition), {})[series] = row
    return [
        _shown(claim, definition.removeprefix(MEV), found, names)
        for (claim, definition), found in judged.items()
    ]


def headline_of(claims: Sequence[ShownClaim]) -> list[str]:
    """Return which claims hold, a sentence a verdict; of several lines, of how many."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        verdicts = [line.verdict for line in claim.lines]
        for verdict in VERDICTS:
            if n := verdicts.count(verdict):
                share = "" if n == len(verdicts) else f" ({n} of {len(verdicts)})"
                found.setdefault(verdict, []).append(f"{claim.short}{share}")
    return [f"{said.capitalize()}: {'; '.join(found[said])}." for said in VERDICTS if said in found]


def _shown(claim: str, definition: str, found: Mapping[Series, Row], names: Names) -> ShownClaim:
    some = next(iter(found.values()))
    axis = Axis.around(
        [some["limit"], *(row[end] for row in found.values()
                          for end in ("value", "value_low", "value_high") if is_number(row[end]))]
    )  # fmt: skip
    largest_first = sorted(
        found, key=lambda one: -found[one]["value"] if is_number(found[one]["value"]) else 0.0
    )
    limit = decimal(some["limit"], 2) if some["limit"] else "0"
    # What was measured depends on the number of layers, which encoders need not have in common.
    measured = "; ".join(dict.fromkeys(row["measured"] for row in found.values()))
    side = "above" if claim in _IS_ABOVE else "below"
    return ShownClaim(
        title=f"{claim[0].upper()}{claim[1:]}",
        definition=definition,
        short=f"{_SHORT[claim]}{f', {definition}' if definition else ''}",
        caption=f"{measured[0].upper()}{measured[1:]}; the claim says {side} {limit}.",
        lines=[
            ClaimLine(
                series=series,
                name=names.of(series),
                verdict=row["verdict"],
                mark=MARKS[row["verdict"]],
                value=with_interval(row, "value"),
                dot=dot_of(row, "value", axis, is_solid=row["verdict"] == "holds"),
            )
            for series in largest_first for row in [found[series]]
        ],
        axis=axis,
        limit=limit,
        limit_at=axis.at(some["limit"]),
    )  # fmt: skip
