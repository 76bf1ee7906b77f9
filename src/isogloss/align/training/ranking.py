"""Bidirectional translation ranking with additive margin (Yang et al. 2019; Feng et al. 2022).

For N pairs with unit vectors x and y, scale s and margin m:

    L = -1/N Σ_i log  e_i / (e_i + Σ_n exp(s cos(x_i, y_n))),   e_i = exp(s (cos(x_i, y_i) - m))

over n ≠ i, and the same from y to x, added. A pair whose sentence on either side is that of pair i
is no negative of it.
"""

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Sentences:
    """What tells equal sentences of a batch, whichever side they are on.

    Attributes
    ----------
    sources, targets
        int64 (n_pairs,): equal numbers for sentences that are equal after normalisation.
    """

    sources: Tensor
    targets: Tensor

    def is_no_negative(self) -> Tensor:
        """Return bool (n_pairs, n_pairs): whether pair n must not be a negative of pair i."""
        sources, targets = self.sources, self.targets
        same = sources[:, None] == sources[None]
        same |= targets[:, None] == targets[None]
        crossed = sources[:, None] == targets[None]
        same |= crossed | crossed.T
        return same.fill_diagonal_(False)


def ranking_losses(
    sources: Tensor,
    targets: Tensor,
    *,
    margin: float,
    scale: Tensor | float,
    is_no_negative: Tensor | None = None,
    negatives: Tensor | None = None,
    negatives_masked: Tensor | None = None,
) -> Tensor:
    """Return the loss of each pair, both directions added: float (n_pairs,).

    Parameters
    ----------
    sources, targets
        Unit vectors, (n_pairs, width).
    margin, scale
        m and s of the equation.
    is_no_negative
        bool (n_pairs, n_pairs), `Sentences.is_no_negative`; None: all others are negatives.
    negatives
        Unit vectors of further targets that translate no source, (n_negatives, width): hard
        negatives. They count from sources to targets.
    negatives_masked
        bool (n_pairs, n_negatives): which of those are the sentence of the pair after all.
    """
    cosines = sources @ targets.T
    gold = torch.arange(len(cosines), device=cosines.device)
    own = torch.eye(len(cosines), dtype=cosines.dtype, device=cosines.device)
    logits = scale * (cosines - margin * own)
    if is_no_negative is not None:
        logits = logits.masked_fill(is_no_negative, -torch.inf)
    forwards = logits
    if negatives is not None:
        further = scale * (sources @ negatives.T)
        if negatives_masked is not None:
            further = further.masked_fill(negatives_masked, -torch.inf)
        forwards = torch.cat([logits, further], dim=1)
    found: Tensor = functional.cross_entropy(forwards, gold, reduction="none")
    return found + functional.cross_entropy(logits.T, gold, reduction="none")
