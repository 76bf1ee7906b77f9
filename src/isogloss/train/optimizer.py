"""AdamW for a whole module: dense for most parameters, by rows for sparse embeddings.

Its state is a flat dictionary of named tensors, so that it can be kept in safetensors.
"""

from collections.abc import Collection, Mapping

import torch
from torch import Tensor

from isogloss.train.options import TrainingOptions
from isogloss.train.row_adamw import RowAdamW, empty_state
from isogloss.train.weights import Tensors, TrainedWeights


class ModuleOptimizer:
    """Updates the parameters of a module.

    Parameters
    ----------
    weights
        What is trained.
    undecayed
        Names of matrices without weight decay; biases and norms have none anyway.

    Raises
    ------
    ValueError
        For options without a learning rate: what is trained, and how, decides on it.
    """

    def __init__(
        self, weights: TrainedWeights, options: TrainingOptions, *, undecayed: Collection[str] = ()
    ) -> None:
        if options.learning_rate is None:
            raise ValueError("learning_rate is None; give TrainingOptions a number above 0")
        self.weights = weights
        self._rate = options.learning_rate
        self._clip_norm = options.clip_norm
        decay = options.weight_decay
        dense = {name: value for name, value in weights.named.items() if name not in weights.sparse}
        decayed = [
            value for name, value in dense.items() if value.ndim > 1 and name not in undecayed
        ]
        plain = [value for name, value in dense.items() if value.ndim < 2 or name in undecayed]
        groups = [
            {"params": decayed, "weight_decay": decay}, {"params": plain, "weight_decay": 0.0},
        ]  # fmt: skip
        kinds = {value.device.type for value in dense.values()}
        self.optimizers: list[torch.optim.Optimizer] = [
            torch.optim.AdamW(groups, lr=self._rate, fused=kinds <= {"cpu", "cuda"})
        ]
        if weights.sparse:
            rows = [weights.named[name] for name in weights.sparse]
            self.optimizers.append(RowAdamW(rows, lr=self._rate, weight_decay=decay))

    def step(self, share_of_rate: float, scaler: torch.amp.GradScaler) -> None:
        """Clip the gradients, update the parameters, forget the gradients.

        Parameters
        ----------
        share_of_rate
            Of the learning rate, by the schedule.
        scaler
            Its factor is taken out first; it leaves the step out where a gradient overflowed.
        """
        for name in self.weights.sparse:
            parameter = self.weights.named[name]
            if parameter.grad is not None:
                parameter.grad = parameter.grad.coalesce()
        used = [one for one in self.optimizers if _has_gradients(one)]
        for optimizer in used:
            scaler.unscale_(optimizer)
        if self._clip_norm is not None:
            clip_gradients(list(self.weights.named.values()), self._clip_norm)
        for optimizer in used:
            for group in optimizer.param_groups:
                group["lr"] = self._rate * share_of_rate
            scaler.step(optimizer)
        if used:
            scaler.update()
        for parameter in self.weights.named.values():
            parameter.grad = None

    def state(self) -> Tensors:
        """Return a copy of the state on the processor; of sparse embeddings the touched rows."""
        found: Tensors = {}
        for name, parameter in self.weights.named.items():
            state = self._of(name).state.get(parameter, {})
            rows = state["last"].nonzero()[:, 0] if "last" in state else None
            for key, value in state.items():
                kept = value if rows is None or key == "step" else value[rows]
                found[f"{key} of {name}"] = kept.detach().to("cpu", copy=True)
            if rows is not None:
                found[f"touched of {name}"] = rows.cpu()
        return found

    def load_state(self, tensors: Mapping[str, Tensor]) -> None:
        """Take over a state that `state` gave."""
        for name, parameter in self.weights.named.items():
            if f"exp_avg of {name}" not in tensors:
                continue
            saved = {
                key: tensors[f"{key} of {name}"].to(parameter.device)
                for key in ("step", "exp_avg", "exp_avg_sq")
            }
            if name in self.weights.sparse:
                rows = tensors[f"touched of {name}"]
                whole = empty_state(parameter)
                whole["step"] = tensors[f"step of {name}"]
                whole["exp_avg"][rows], whole["exp_avg_sq"][rows] = (
                    saved["exp_avg"],
                    saved["exp_avg_sq"],
                )
                whole["last"][rows] = tensors[f"last of {name}"].to(parameter.device)
                saved = whole
            self._of(name).state[parameter] = saved

    def _of(self, name: str) -> torch.optim.Optimizer:
        return self.optimizers[name in self.weights.sparse]


@torch.no_grad()
def clip_gradients(parameters: list[torch.nn.Parameter], largest: float) -> Tensor:
    """Scale all gradients in place so that their joint norm is at most `largest`; return it.

    Sparse gradients must be coalesced.
    """
    values = [
        parameter.grad._values() if parameter.grad.is_sparse else parameter.grad
        for parameter in parameters
        if parameter.grad is not None
    ]
    if not values:
        return torch.zeros(())
    norm = torch.linalg.vector_norm(torch.stack([torch.linalg.vector_norm(one) for one in values]))
    factor = (largest / (norm + 1e-6)).clamp(max=1.0)
    torch._foreach_mul_(values, factor)
    return norm


def _has_gradients(optimizer: torch.optim.Optimizer) -> bool:
    return any(
        parameter.grad is not None
        for group in optimizer.param_groups
        for parameter in group["params"]
    )
