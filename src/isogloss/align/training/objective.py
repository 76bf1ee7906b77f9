"""What alignment minimises: translation ranking, distillation, or both, weighted."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Objective:
    """The loss of a batch.

    Attributes
    ----------
    margin, scale
        Of translation ranking (`isogloss.align.training.ranking`).
    learns_scale
        Whether the scale is trained too, from `scale` on, as the exponential of a parameter.
    ranking_weight
        0: there is no ranking.
    distillation_weight
        Of distillation, where the pairs have the vectors of a teacher.
    """

    margin: float
    scale: float
    learns_scale: bool = False
    ranking_weight: float = 1.0
    distillation_weight: float = 1.0
