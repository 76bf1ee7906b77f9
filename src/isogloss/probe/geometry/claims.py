"""The claims of Ethayarajh (2019), each with a verdict and an interval."""

from collections.abc import Callable, Sequence

from isogloss.probe.geometry.layers import LayerMeasures
from isogloss.probe.verdicts import Claim, judged, judged_of_all
from isogloss.statistics.draws import Sampled, mean_of

EXPLAINED = 0.05  # "less than 5 %", the paper's abstract

NOT_ISOTROPIC = "not isotropic in any layer above the input"
ABOVE_BASELINE = "self-similarity above the baseline in every layer"
UPPER_LAYERS = "words more context-specific in upper layers"
STATIC = "a static vector explains less than 5 % of variance in every layer above the input"
MEV = "largest adjusted MEV, "  # and by which definition, of the last claim
CLAIMS = (NOT_ISOTROPIC, ABOVE_BASELINE, UPPER_LAYERS, STATIC)


def claims_of(layers: Sequence[LayerMeasures]) -> list[Claim]:
    """Judge the claims; layer 0, the input, has no part in the first and the last.

    For claims about all layers see `verdicts.judged_of_all`. With one layer above the input, upper
    and lower layers cannot be told apart, and the claim about them is left out.
    """
    above = layers[1:]
    claims = []
    if above:
        claims.append(
            judged_of_all(NOT_ISOTROPIC, "smallest baseline cosine",
                          [one.baseline for one in above], 0.0, is_above=True)
        )  # fmt: skip
    claims.append(
        judged_of_all(ABOVE_BASELINE, "smallest adjusted self-similarity",
                      [one.self_similarity.adjusted for one in layers], 0.0, is_above=True)
    )  # fmt: skip
    if len(above) > 1:
        n = max(1, len(above) // 3)
        values = [one.self_similarity.adjusted for one in above]
        claims.append(
            judged(UPPER_LAYERS,
                   f"adjusted self-similarity, layers {_span(above[-n:])} minus {_span(above[:n])}",
                   mean_of(values[-n:]).minus(mean_of(values[:n])), 0.0, is_above=False)
        )  # fmt: skip
    for name, adjusted in _DEFINITIONS.items() if above else ():
        claims.append(
            judged_of_all(STATIC, f"{MEV}{name}",
                          [adjusted(one) for one in above], EXPLAINED, is_above=False)
        )  # fmt: skip
    return claims


_DEFINITIONS: dict[str, Callable[[LayerMeasures], Sampled]] = {
    "uncentred": lambda one: one.mev.adjusted,
    "centred": lambda one: one.mev_centred.adjusted,
    "as released": lambda one: one.mev_released.adjusted,
}


def _span(layers: Sequence[LayerMeasures]) -> str:
    first, last = layers[0].layer, layers[-1].layer
    return f"{first}" if first == last else f"{first} to {last}"
