"""AdamW for an embedding of which a step touches few rows: only those are updated.

Dense AdamW reads and writes weights, gradients and two moments of every row at every step: 96
million numbers each in the bundled encoder, of which a batch of 2,000 tokens touches one in a
hundred. Here a row that is touched gets the update that dense AdamW gives it (Loshchilov and Hutter
2019), from moments that have decayed for every step since it was last touched. What is left out is
what dense AdamW does to a row between: it keeps moving by its momentum, and its weights decay.
"""

from collections.abc import Iterable
from typing import Any

import torch
from torch import Tensor


class RowAdamW(torch.optim.Optimizer):
    """AdamW over the rows of sparse gradients (those of ``nn.Embedding(sparse=True)``).

    Parameters
    ----------
    parameters
        Matrices; each gradient must be sparse in its rows.
    lr, betas, eps, weight_decay
        As in `torch.optim.AdamW`.
    """

    def __init__(
        self,
        parameters: Iterable[torch.nn.Parameter],
        *,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.01,
    ) -> None:
        defaults = {"lr": lr, "betas": betas, "eps": eps, "weight_decay": weight_decay}
        super().__init__(parameters, defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> None:  # type: ignore[override]
        """Update the rows that have a gradient; `closure` is not used."""
        for group in self.param_groups:
            for parameter in group["params"]:
                if parameter.grad is not None:
                    self._update(parameter, parameter.grad.coalesce(), group)

    def _update(self, parameter: Tensor, gradient: Tensor, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state |= empty_state(parameter)
        (first, second), rate = group["betas"], group["lr"]
        # A row without any gradient is padding: whether a batch has some must not matter.
        met = gradient.values().any(dim=1)
        rows, values = gradient.indices()[0][met], gradient.values()[met]
        state["step"] += 1
        now = int(state["step"])
        gap = (now - state["last"][rows])[:, None].to(values.dtype)
        mean = state["exp_avg"][rows] * first**gap + (1 - first) * values
        square = state["exp_avg_sq"][rows] * second**gap + (1 - second) * values.square()
        state["exp_avg"][rows], state["exp_avg_sq"][rows] = mean, square
        state["last"][rows] = now
        spread = (square / (1 - second**now)).sqrt_().add_(group["eps"])
        moved = mean / (1 - first**now) / spread
        decayed = parameter[rows] * (1 - rate * group["weight_decay"])
        parameter[rows] = decayed - rate * moved


def empty_state(parameter: Tensor) -> dict[str, Tensor]:
    """Return the state before the first step; ``last`` is the step that last touched each row."""
    return {
        "step": torch.zeros((), dtype=torch.int64),
        "exp_avg": torch.zeros_like(parameter),
        "exp_avg_sq": torch.zeros_like(parameter),
        "last": torch.zeros(len(parameter), dtype=torch.int64, device=parameter.device),
    }
