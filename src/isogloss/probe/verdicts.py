"""Claims of papers, each judged by an interval: it holds, does not hold, or is undecided."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from isogloss.statistics.draws import Sampled, greatest, least

Verdict = Literal["holds", "does not hold", "undecided"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

LEVEL = 0.95  # of intervals
ROUNDING = 1e-6  # of sums of float32 cosines: an interval so near its limit says nothing


@dataclass(frozen=True)
class Claim:
    """A claim in words, what `value` is, and the limit that it is above or below by the claim."""

    claim: str
    verdict: Verdict
    measured: str
    value: float
    value_low: float
    value_high: float
    limit: float


def judged(claim: str, measured: str, value: Sampled, limit: float, *, is_above: bool) -> Claim:
    """Judge a claim that a value is above its limit, or below it."""
    found = value.interval
    verdict = verdict_of(found.low, found.high, limit, is_above=is_above)
    return Claim(claim, verdict, measured, found.value, found.low, found.high, limit)


def judged_of_all(
    claim: str, measured: str, values: Sequence[Sampled], limit: float, *, is_above: bool
) -> Claim:
    """Judge a claim about all layers; `values` are those of each.

    The smallest or largest of many layers has the interval of the smallest or largest of each
    resampling, so that the claim holds or not as a whole. That interval lies too far out, as the
    extreme of noisy layers does: so it is refuted by a layer alone, whose interval is corrected for
    the number of layers (Bonferroni).
    """
    extreme = (least if is_above else greatest)(values)
    whole = judged(claim, measured, extreme, limit, is_above=is_above)
    tail = (1 - LEVEL) / 2 / len(values)
    for one in values:
        low, high = np.quantile(one.draws, [tail, 1 - tail])
        if verdict_of(float(low), float(high), limit, is_above=is_above) == "does not hold":
            return whole
    return replace(whole, verdict="undecided") if whole.verdict == "does not hold" else whole


def verdict_of(low: float, high: float, limit: float, *, is_above: bool) -> Verdict:
    """Say whether an interval lies on the claimed side of a limit, on the other, or on both.

    Examples
    --------
    >>> verdict_of(0.1, 0.2, 0.0, is_above=True), verdict_of(-0.1, 0.2, 0.0, is_above=True)
    ('holds', 'undecided')
    """
    if not (np.isfinite(low) and np.isfinite(high)) or max(abs(low - limit), abs(high - limit)) < (
        ROUNDING
    ):
        return "undecided"
    if (low > limit) if is_above else (high < limit):
        return "holds"
    return "does not hold" if (high <= limit if is_above else low >= limit) else "undecided"


def explained(verdicts: Collection[Verdict]) -> str:
    """Say what these verdicts mean.

    Examples
    --------
    >>> explained(["holds"])
    'Holds: the whole interval lies on the claimed side of the limit.'
    """
    said: dict[Verdict, str] = {
        "holds": "Holds: the whole interval lies on the claimed side of the limit.",
        "does not hold": "Does not hold: the whole interval lies on the other side, and of a claim "
        "about all layers that of a layer alone, corrected for their number.",
        "undecided": "Undecided: neither, or there is no interval.",
    }
    return " ".join(text for verdict, text in said.items() if verdict in verdicts)
