"""Row-wise AdamW against torch's dense one."""

import numpy as np
import torch
from torch import nn

from isogloss.train.row_adamw import RowAdamW


def pair() -> tuple[nn.Embedding, nn.Embedding]:
    dense, rows = nn.Embedding(20, 6), nn.Embedding(20, 6, sparse=True)
    with torch.no_grad():
        rows.weight.copy_(dense.weight)
    return dense, rows


def step(embedding: nn.Embedding, optimizer: torch.optim.Optimizer, ids: torch.Tensor) -> None:
    optimizer.zero_grad()
    (embedding(ids) * torch.arange(6.0)).sin().sum().backward()
    optimizer.step()


def test_rows_touched_in_every_step_are_those_of_dense_adamw() -> None:
    torch.manual_seed(0)
    dense, rows = pair()
    start = dense.weight.detach().clone()
    one = torch.optim.AdamW(dense.parameters(), lr=0.01, weight_decay=0.1)
    other = RowAdamW(rows.parameters(), lr=0.01, weight_decay=0.1)
    ids = torch.tensor([3, 5, 5, 7])
    for _ in range(30):
        step(dense, one, ids)
        step(rows, other, ids)
    touched = [3, 5, 7]
    np.testing.assert_allclose(
        rows.weight[touched].detach(), dense.weight[touched].detach(), rtol=1e-5, atol=1e-6
    )
    untouched = [row for row in range(20) if row not in touched]
    assert torch.equal(rows.weight[untouched], start[untouched])
    assert not torch.equal(dense.weight[untouched], start[untouched])  # it decays


def test_a_row_met_again_is_updated_as_dense_adamw_would_from_there() -> None:
    """Moments decay for the steps between; only the movement between is left out."""
    torch.manual_seed(1)
    dense, rows = pair()
    one = torch.optim.AdamW(dense.parameters(), lr=0.01, weight_decay=0.1)
    other = RowAdamW(rows.parameters(), lr=0.01, weight_decay=0.1)
    for number in range(24):
        ids = torch.tensor([2, 4] if number % 4 == 0 else [4])
        with torch.no_grad():  # same point, same gradients: only the update is compared
            dense.weight.copy_(rows.weight)
        before = rows.weight.detach().clone()
        step(dense, one, ids)
        step(rows, other, ids)
        moved, expected = (side.weight.detach()[ids] - before[ids] for side in (rows, dense))
        np.testing.assert_allclose(moved, expected, rtol=1e-3, atol=1e-7)
