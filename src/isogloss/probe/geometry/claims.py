"""The claims of Ethayarajh (2019), each with a verdict and an interval."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from isogloss.probe.geometry.layers import LayerMeasures
from isogloss.statistics.draws import Sampled, greatest, least, mean_of

Verdict = Literal["holds", "does not hold", "undecided"]

VERDICTS: tuple[Verdict, ...] = get_args(Verdict)

LEVEL = 0.95  # of intervals
ROUNDING = 1e-6  # of sums of float32 cosines: an interval so near its limit says nothing
EXPLAINED = 0.05  # "less than 5 %", the paper's abstract

NOT_ISOTROPIC = "not isotropic in any layer above the input"
ABOVE_BASELINE = "self-similarity above the baseline in every layer"
UPPER_LAYERS = "words more context-specific in upper layers"
STATIC = "a static vector explains less than 5 % of variance in every layer above the input"
MEV = "largest adjusted MEV, "  # and by which definition, of the last claim
CLAIMS = (NOT_ISOTROPIC, ABOVE_BASELINE, UPPER_LAYERS, STATIC)


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


def claims_of(layers: Sequence[LayerMeasures]) -> list[Claim]:
    """Judge the claims; layer 0, the input, has no part in the first and the last.

    The smallest or largest of many layers has the interval of the smallest or largest of each
    resampling, so that a claim about all layers holds or not as a whole. That interval lies too far
    out, as the extreme of noisy layers does: so a claim is refuted by a layer alone, whose interval
    is corrected for the number of layers (Bonferroni). With one layer above the input,
    upper and lower layers cannot be told apart, and the claim about them is left out.
    """
    above = layers[1:]
    claims = []
    if above:
        claims.append(
            _claim_of_all(NOT_ISOTROPIC, "smallest baseline cosine",
                          [one.baseline for one in above], 0.0, is_above=True)
        )  # fmt: skip
    claims.append(
        _claim_of_all(ABOVE_BASELINE, "smallest adjusted self-similarity",
                      [one.self_similarity.adjusted for one in layers], 0.0, is_above=True)
    )  # fmt: skip
    if len(above) > 1:
        n = max(1, len(above) // 3)
        values = [one.self_similarity.adjusted for one in above]
        claims.append(
            _claim(UPPER_LAYERS,
                   f"adjusted self-similarity, layers {_span(above[-n:])} minus {_span(above[:n])}",
                   mean_of(values[-n:]).minus(mean_of(values[:n])), 0.0, is_above=False)
        )  # fmt: skip
    for name, adjusted in _DEFINITIONS.items() if above else ():
        claims.append(
            _claim_of_all(STATIC, f"{MEV}{name}",
                          [adjusted(one) for one in above], EXPLAINED, is_above=False)
        )  # fmt: skip
    return claims


_DEFINITIONS: dict[str, Callable[[LayerMeasures], Sampled]] = {
    "uncentred": lambda one: one.mev.adjusted,
    "centred": lambda one: one.mev_centred.adjusted,
    "as released": lambda one: one.mev_released.adjusted,
}


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


def _claim(claim: str, measured: str, value: Sampled, limit: float, *, is_above: bool) -> Claim:
    found = value.interval
    verdict = verdict_of(found.low, found.high, limit, is_above=is_above)
    return Claim(claim, verdict, measured, found.value, found.low, found.high, limit)


def _claim_of_all(
    claim: str, measured: str, values: Sequence[Sampled], limit: float, *, is_above: bool
) -> Claim:
    """Judge a claim about all layers; `values` are those of each."""
    judged = _claim(claim, measured, (least if is_above else greatest)(values), limit,
                    is_above=is_above)  # fmt: skip
    tail = (1 - LEVEL) / 2 / len(values)
    for one in values:
        low, high = np.quantile(one.draws, [tail, 1 - tail])
        if verdict_of(float(low), float(high), limit, is_above=is_above) == "does not hold":
            return judged
    return replace(judged, verdict="undecided") if judged.verdict == "does not hold" else judged


def _span(layers: Sequence[LayerMeasures]) -> str:
    first, last = layers[0].layer, layers[-1].layer
    return f"{first}" if first == last else f"{first} to {last}"
