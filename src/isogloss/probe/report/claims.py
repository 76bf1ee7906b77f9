"""The claims of Ethayarajh (2019) in the report: verdicts in a table, sentences, and intervals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.probe.geometry.claims import (
    ABOVE_BASELINE,
    MEV,
    NOT_ISOTROPIC,
    STATIC,
    UPPER_LAYERS,
    VERDICTS,
)
from isogloss.probe.report.sentences import MOST_NAMED, Names, listed, with_interval
from isogloss.probe.saved import Row, Series
from isogloss.report.figures import Axis, Dot, decimal, is_number

MOST_SHOWN = 8  # lines of a claim's chart; more are folded away
MARKS = {"holds": "✓", "does not hold": "✗", "undecided": "?"}

_SHORT = {
    NOT_ISOTROPIC: "not isotropic",
    ABOVE_BASELINE: "self-similarity above baseline",
    UPPER_LAYERS: "more context-specific in upper layers",
    STATIC: "a static vector explains < 5 %",
}
_MEASURED = {
    NOT_ISOTROPIC: "the smallest mean cosine of random words in a layer above the input is {}",
    ABOVE_BASELINE: "the smallest of the layers' self-similarities, minus the baseline, is {}",
    UPPER_LAYERS: "{measured}, is {}",
    STATIC: "the largest share of a word's variance ({definition}) that one direction explains in "
    "a layer above the input, minus that of random words, is {}",
}
_OF_SEVERAL = (
    "holds everywhere", "holds in places", "undecided everywhere", "undecided in places",
    "holds nowhere",
)  # fmt: skip
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
    """A claim with what was found.

    Attributes
    ----------
    definition
        Which of several the claim is judged by; may be empty.
    limit_at
        Where the claim's limit lies, in percent of the axis.
    """

    title: str
    definition: str
    short: str
    sentence: str
    lines: list[ClaimLine]
    axis: Axis
    limit: str
    limit_at: float

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
    """Return which claims hold, in a sentence a verdict."""
    found: dict[str, list[str]] = {}
    for claim in claims:
        said, what = _in_short(claim)
        found.setdefault(said, []).append(what)
    order = (*VERDICTS, *_OF_SEVERAL)
    return [f"{said.capitalize()}: {'; '.join(found[said])}." for said in order if said in found]


def _in_short(claim: ShownClaim) -> tuple[str, str]:
    """Return a verdict on all lines together, and the claim, with its share of the lines."""
    verdicts, n = [line.verdict for line in claim.lines], len(claim.lines)
    if n == 1:
        return verdicts[0], claim.short
    n_holds, n_undecided = verdicts.count("holds"), verdicts.count("undecided")
    if n_holds == n:
        return "holds everywhere", claim.short
    if n_undecided == n:
        return "undecided everywhere", claim.short
    if n_holds:
        return "holds in places", f"{claim.short} ({n_holds} of {n})"
    if n_undecided:
        return "undecided in places", f"{claim.short} ({n_undecided} of {n}; it holds in no other)"
    return "holds nowhere", claim.short


def sentence_of(claim: str, row: Row) -> str:
    """Return the verdict on one encoder and language in words, with value and interval.

    Examples
    --------
    >>> row = {"verdict": "holds", "measured": "smallest baseline cosine", "value": 0.113,
    ...        "value_low": 0.11, "value_high": 0.12, "limit": 0.0}
    >>> print(sentence_of(NOT_ISOTROPIC, row))  # doctest: +NORMALIZE_WHITESPACE
    It holds: the smallest mean cosine of random words in a layer above the input is
    0.113 [0.11, 0.12], and the whole interval lies above 0.
    """
    measured = _MEASURED[claim].format(
        with_interval(row, "value"), measured=row["measured"],
        definition=row["measured"].removeprefix(MEV),
    )  # fmt: skip
    limit = _limit(row)
    side = "above" if claim in _IS_ABOVE else "below"
    if row["verdict"] == "holds":
        return f"It holds: {measured}, and the whole interval lies {side} {limit}."
    if row["verdict"] == "does not hold":
        return f"It does not hold: {measured}, and no part of the interval lies {side} {limit}."
    if not (is_number(row["value_low"]) and is_number(row["value_high"])):
        return f"Undecided: {measured}, without an interval."
    return f"Undecided: {measured}, and the interval lies on both sides of {limit}."


def count_of_verdicts(verdicts: Mapping[Series, str], names: Names) -> str:
    """Return in how many languages or encoders a claim holds, and which are the others."""
    what = (
        "languages" if len(names.encoders) == 1 else
        "encoders" if len(names.langs) == 1 else "pairs of encoder and language"
    )  # fmt: skip
    said = {
        "holds": "it holds",
        "does not hold": "it does not hold",
        "undecided": "it is undecided",
    }
    parts = []
    for verdict, words in said.items():
        found = [names.of(series) for series, one in verdicts.items() if one == verdict]
        if found and len(found) == len(verdicts) > MOST_NAMED:
            every = (
                f"any of the {len(found)}" if verdict == "does not hold" else f"all {len(found)}"
            )
            parts.append(f"{words} for {every} {what}")
        elif found and verdict == "holds" and len(verdicts) > MOST_NAMED:
            parts.append(f"{words} for {len(found)} of {len(verdicts)} {what}")
        elif found:
            parts.append(f"{words} for {listed(found, what)}")
    sentence = "; ".join(parts)
    return f"{sentence[:1].upper()}{sentence[1:]}."


def _shown(
    claim: str, definition: str, found: Mapping[Series, Row], names: Names
) -> ShownClaim:  # fmt: skip
    some = next(iter(found.values()))
    axis = Axis.around(
        [some["limit"], *(row[end] for row in found.values()
                          for end in ("value", "value_low", "value_high") if is_number(row[end]))]
    )  # fmt: skip
    largest_first = sorted(
        found, key=lambda one: -found[one]["value"] if is_number(found[one]["value"]) else 0.0
    )
    if len(found) == 1:
        sentence = sentence_of(claim, some)
    else:
        verdicts = {series: row["verdict"] for series, row in found.items()}
        sentence = count_of_verdicts(verdicts, names) + _range(largest_first, found, names)
    return ShownClaim(
        title=f"{claim[0].upper()}{claim[1:]}",
        definition=definition,
        short=f"{_SHORT[claim]}{f', {definition}' if definition else ''}",
        sentence=sentence,
        lines=[_line(series, found[series], axis, names) for series in largest_first],
        axis=axis,
        limit=_limit(some),
        limit_at=axis.at(some["limit"]),
    )


def _range(largest_first: Sequence[Series], found: Mapping[Series, Row], names: Names) -> str:
    ranked = [series for series in largest_first if is_number(found[series]["value"])]
    if not ranked:
        return ""
    highest, lowest = ranked[0], ranked[-1]
    measured = {row["measured"] for row in found.values()}
    what = measured.pop() if len(measured) == 1 else "what was measured"
    return (
        f" {what[0].upper()}{what[1:]}: from {with_interval(found[lowest], 'value')} "
        f"({names.of(lowest)}) to {with_interval(found[highest], 'value')} ({names.of(highest)})."
    )


def _line(series: Series, row: Row, axis: Axis, names: Names) -> ClaimLine:
    dot = None
    if is_number(row["value"]):
        ends = [
            axis.at(row[end]) if is_number(row[end]) else None
            for end in ("value_low", "value_high")
        ]
        dot = Dot(axis.at(row["value"]), ends[0], ends[1], row["verdict"] == "holds")
    return ClaimLine(
        series=series,
        name=names.of(series),
        verdict=row["verdict"],
        mark=MARKS[row["verdict"]],
        value=with_interval(row, "value"),
        dot=dot,
    )


def _limit(row: Row) -> str:
    return decimal(row["limit"], 2) if row["limit"] else "0"
