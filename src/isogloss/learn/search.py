"""Among which values the hyper-parameters of heads are chosen, and how long heads are trained.

`TextClassifier` passes its own (`TextClassifier.search`) down to all that is fitted; a coarser one
makes a quick trial.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Search:
    """Values to choose among, from the strongest penalty or smallest effect upwards."""

    C_values: tuple[float, ...] = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)
    n_repeats: int = 3  # of cross-validation, each with other folds
    n_joint_steps: int = 30  # of training h + z as a whole
    # Of the vote of entities, see `mboe_plus`: C, λ, κ (of one entity at most 1/11, before the
    # temperature), the sharpness of p_h, and steps of training the attention.
    C_values_of_vote: tuple[float, ...] = (0.001, 0.003, 0.01, 0.03)
    strengths: tuple[float, ...] = (0.0, 0.125, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0)
    half_counts: tuple[float, ...] = (10.0, 30.0, 100.0, 300.0)
    sharpnesses: tuple[float, ...] = (1.0, 1.5, 2.0, 3.0, 4.0)
    n_vote_steps: int = 15


SEARCH = Search()
