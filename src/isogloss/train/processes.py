"""Several processes that train one module, as `torchrun` starts them.

Each takes a part of every batch; gradients are summed over the processes before a step. The loss of
an example is divided by the size of the whole batch beforehand, so the sum is the gradient of the
whole batch, as one process would have it.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import torch
from torch import Tensor
from torch import distributed as dist


@dataclass(frozen=True)
class Processes:
    """A process's number, from 0, and how many there are."""

    rank: int = 0
    size: int = 1

    def sum_gradients(self, parameters: Sequence[torch.nn.Parameter], sparse: set[int]) -> None:
        """Add up the gradients of all processes, in place; `sparse` holds ids of parameters."""
        if self.size == 1:
            return
        dense = [parameter for parameter in parameters if id(parameter) not in sparse]
        for parameter in dense:
            if parameter.grad is None:  # this process had no example of the batch
                parameter.grad = torch.zeros_like(parameter)
        flat = torch.cat(
            [parameter.grad.flatten() for parameter in dense if parameter.grad is not None]
        )
        dist.all_reduce(flat)
        parts = flat.split([parameter.numel() for parameter in dense])
        for parameter, part in zip(dense, parts, strict=True):
            parameter.grad = part.view_as(parameter)
        for parameter in parameters:
            if id(parameter) in sparse:
                parameter.grad = self._sum_of_rows(parameter)

    def of_first(self, values: Sequence[float], device: torch.device) -> tuple[float, ...]:
        """Return the values that the first process has, so that all decide alike."""
        if self.size == 1:
            return tuple(values)
        tensor = torch.tensor(values, dtype=torch.float64, device=device)
        dist.broadcast(tensor, 0)
        return tuple(tensor.tolist())

    def sum(self, value: Tensor) -> Tensor:
        """Return the sum of a tensor over the processes."""
        if self.size > 1:
            dist.all_reduce(value)
        return value

    def wait(self) -> None:
        """Wait until every process is here."""
        if self.size > 1:
            dist.barrier()

    def _sum_of_rows(self, parameter: torch.nn.Parameter) -> Tensor:
        device, width = parameter.device, parameter.shape[1]
        rows = torch.empty(0, dtype=torch.int64, device=device)
        values = torch.empty(0, width, dtype=parameter.dtype, device=device)
        if parameter.grad is not None:
            gradient = parameter.grad.coalesce()
            rows, values = gradient.indices()[0], gradient.values()
        sizes = [torch.zeros((), dtype=torch.int64, device=device) for _ in range(self.size)]
        dist.all_gather(sizes, torch.tensor(len(rows), device=device))
        longest = int(max(sizes))
        all_rows = [rows.new_zeros(longest) for _ in sizes]
        all_values = [values.new_zeros(longest, width) for _ in sizes]
        room = longest - len(rows)
        dist.all_gather(all_rows, torch.cat([rows, rows.new_zeros(room)]))
        dist.all_gather(all_values, torch.cat([values, values.new_zeros(room, width)]))
        kept = [int(size) for size in sizes]
        return torch.sparse_coo_tensor(
            torch.cat([one[:n] for one, n in zip(all_rows, kept, strict=True)])[None],
            torch.cat([one[:n] for one, n in zip(all_values, kept, strict=True)]),
            parameter.shape,
            check_invariants=False,  # coalesced gradients hold them; torch warns unless told
        ).coalesce()


@dataclass(frozen=True)
class Gathered:
    """Rows of all processes, those of the first process first.

    Attributes
    ----------
    values
        (n_rows of all, …); gradients reach the rows of this process alone.
    own
        Which rows are of this process.
    size
        How many processes there are.
    """

    values: Tensor
    own: slice
    size: int


def gathered(values: Tensor) -> Gathered:
    """Return the rows that all processes have, of however many each."""
    if not (dist.is_available() and dist.is_initialized()) or dist.get_world_size() == 1:
        return Gathered(values, slice(0, len(values)), 1)
    size, rank = dist.get_world_size(), dist.get_rank()
    counts = [torch.zeros((), dtype=torch.int64, device=values.device) for _ in range(size)]
    dist.all_gather(counts, torch.tensor(len(values), device=values.device))
    longest = int(max(counts))
    padding = values.new_zeros(longest - len(values), *values.shape[1:])
    parts = [values.new_zeros(longest, *values.shape[1:]) for _ in range(size)]
    dist.all_gather(parts, torch.cat([values.detach(), padding]))
    rows = [part[: int(count)] for part, count in zip(parts, counts, strict=True)]
    start = sum(len(part) for part in rows[:rank])
    rows[rank] = values
    return Gathered(torch.cat(rows), slice(start, start + len(values)), size)


def process_count() -> int:
    """Return how many processes train together, whether they are joined yet or not."""
    if dist.is_available() and dist.is_initialized():
        return dist.get_world_size()
    return int(os.environ.get("WORLD_SIZE", "1"))


def own_device(device: str) -> str:
    """Return the device of this process: under `torchrun` each has a graphics card of its own."""
    if device.startswith("cuda") and int(os.environ.get("WORLD_SIZE", "1")) > 1:
        return f"cuda:{os.environ.get('LOCAL_RANK', '0')}"
    return device


@contextmanager
def joined_processes(device: torch.device) -> Iterator[Processes]:
    """Join the processes of `torchrun`, by NCCL on CUDA and gloo elsewhere; or be alone."""
    if dist.is_available() and dist.is_initialized():
        yield Processes(dist.get_rank(), dist.get_world_size())
        return
    if int(os.environ.get("WORLD_SIZE", "1")) == 1:
        yield Processes()
        return
    if device.type == "cuda":
        torch.cuda.set_device(device)
    dist.init_process_group("nccl" if device.type == "cuda" else "gloo")
    try:
        yield Processes(dist.get_rank(), dist.get_world_size())
    finally:
        dist.destroy_process_group()
