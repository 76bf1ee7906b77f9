"""Train a linear head and the entity parameters together, from where the linear head stands.

One objective for every parameter, so that the only strength to choose is the C of the encoder-only
classifier: cross-entropy plus the squared distance of each parameter from its start, over 2 C (W
starts from zero in that sense; v and W_a from their initial values). Full-batch L-BFGS: the
objective is small, and the result does not depend on a learning rate or an order of documents.
"""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from isogloss.learn.objective import objective_of
from isogloss.learn.search import SEARCH


class JointResult(NamedTuple):
    """The trained head; the pooling was trained in place."""

    weight: Tensor  # (n_classes, width)
    bias: Tensor  # (n_classes,)


def train_together(
    inputs: Callable[[], Tensor],
    pooling: nn.Module,
    y: Tensor,
    *,
    weight: Tensor,
    bias: Tensor,
    C: float,
    scales: dict[str, Tensor],
    n_steps: int = SEARCH.n_joint_steps,
) -> JointResult:
    """Minimise the objective over W, b and the parameters of `pooling`.

    Parameters
    ----------
    inputs
        Gives the standardised document vectors (n_documents, width) from the pooling as it is.
    y
        int64 (n_documents,): class of each; or bool (n_documents, n_classes): its labels.
    weight, bias
        Where W and b start from: the linear head fitted at the initial pooling.
    C
        Inverse strength of the penalty.
    scales
        Parameter name to the size (broadcastable) that counts as 1 in its penalty; 1 where absent.
        Vectors are measured in standard deviations of the document vectors, as W is.
    """
    answer = objective_of(y)
    weight, bias = nn.Parameter(weight.clone()), nn.Parameter(bias.clone())
    start = {name: value.detach().clone() for name, value in pooling.named_parameters()}

    def objective() -> Tensor:
        loss = answer.summed_loss(inputs() @ weight.T + bias, y)
        penalty = answer.squared_size(weight)
        for name, value in pooling.named_parameters():
            moved = (value - start[name]) / scales.get(name, torch.ones(()))
            penalty = penalty + moved.square().sum()
        return loss + penalty / (2 * C)

    optimizer = torch.optim.LBFGS(
        [weight, bias, *pooling.parameters()],
        max_iter=n_steps,
        history_size=10,
        line_search_fn="strong_wolfe",
    )

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = objective()
        loss.backward()
        return loss

    optimizer.step(closure)
    return JointResult(weight.detach(), bias.detach())
