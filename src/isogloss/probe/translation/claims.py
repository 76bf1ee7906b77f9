"""What Pires et al. (2019, section 5.2) say of Figure 3, each with a verdict and an interval."""

from collections.abc import Sequence

from isogloss.probe.translation.layer import PAPER, LayerTranslation
from isogloss.probe.verdicts import Claim, judged, judged_of_all
from isogloss.statistics.draws import Resampling

OVER_HALF = "over half are found in all layers but the bottom ones"
FALLS = "fewer are found in the last layers"
CLAIMS = (OVER_HALF, FALLS)
HALF = 0.5


def claims_of(layers: Sequence[LayerTranslation], resampling: Resampling) -> list[Claim]:
    """Judge the claims by the paper's search, forwards; of fewer than three layers above the input.

    The bottom are the first third of the layers, with the input; the last layer is compared with
    the one at two thirds, whichever are best: layers 4 and 8 of 12.
    """
    n = len(layers) - 1
    if n < 3:
        return []
    bottom, upper = -(-n // 3), -(-2 * n // 3)
    found = [resampling.share(one.shares(PAPER)) for one in layers]
    first, last = layers[bottom].layer, layers[-1].layer
    return [
        judged_of_all(OVER_HALF, f"smallest accuracy, layers {first} to {last}", found[bottom:],
                      HALF, is_above=True),
        judged(FALLS, f"accuracy, layer {last} minus {layers[upper].layer}",
               found[-1].minus(found[upper]), 0.0, is_above=False),
    ]  # fmt: skip
