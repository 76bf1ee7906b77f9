"""The trained weights of a module as named tensors: taken, put back, averaged.

Of an embedding with sparse gradients only the rows that training touched are kept; the others are
those that the module had at the start.
"""

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor, nn

Tensors = dict[str, Tensor]


class TrainedWeights:
    """The parameters of a module that require a gradient.

    Attributes
    ----------
    named
        Name to parameter, in the module's order.
    sparse
        Names of embeddings whose gradients are sparse in rows.
    """

    def __init__(self, module: nn.Module) -> None:
        sparse = {
            id(part.weight)
            for part in module.modules()
            if isinstance(part, nn.Embedding) and part.sparse
        }
        self.named = {
            name: parameter
            for name, parameter in module.named_parameters()
            if parameter.requires_grad
        }
        self.sparse = [name for name, value in self.named.items() if id(value) in sparse]
        self._start = {name: self.named[name].detach().clone() for name in self.sparse}

    @property
    def sparse_ids(self) -> set[int]:
        """``id`` of each parameter of `sparse`."""
        return {id(self.named[name]) for name in self.sparse}

    def take(self) -> Tensors:
        """Return a copy of the weights on the processor."""
        taken: Tensors = {}
        for name, parameter in self.named.items():
            value = parameter.detach()
            if name in self._start:
                rows = (value != self._start[name]).any(dim=1).nonzero()[:, 0]
                taken[f"rows of {name}"] = rows.cpu()
                value = value[rows]
            taken[name] = value.to("cpu", copy=True)
        return taken

    @torch.no_grad()
    def put(self, weights: Mapping[str, Tensor]) -> None:
        """Set the parameters to weights that `take` gave."""
        for name, parameter in self.named.items():
            parameter.copy_(self._whole(name, weights))

    @torch.no_grad()
    def put_mean(self, several: Sequence[Mapping[str, Tensor]]) -> None:
        """Set the parameters to the mean of several weights that `take` gave."""
        for name, parameter in self.named.items():
            total = self._whole(name, several[0])
            for weights in several[1:]:
                total = total + self._whole(name, weights)
            parameter.copy_(total / len(several))

    def _whole(self, name: str, weights: Mapping[str, Tensor]) -> Tensor:
        if name not in self._start:
            return weights[name].to(self.named[name].device)
        whole = self._start[name].clone()
        whole[weights[f"rows of {name}"]] = weights[name].to(whole.device)
        return whole
