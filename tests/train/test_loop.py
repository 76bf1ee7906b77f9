"""The loop: how a step is computed does not change it; every option does what it says."""

import itertools
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from small_task import Sentences, Small, fit, same, weights

from isogloss.errors import InputError
from isogloss.train import Checkpoints, TrainingOptions, train
from isogloss.train.order import batches_of, micro_batches, rate_at, share_of


def trained(module: Small, **options: Any) -> dict[str, Any]:
    fit(module, **options)
    return weights(module)


def test_it_learns() -> None:
    module = Small()
    result = fit(module, epochs=20, patience=None)
    assert result.epochs[-1].loss < 0.5 * result.epochs[0].loss
    assert not module.training


def test_the_same_seed_gives_the_same_bytes_and_another_another() -> None:
    one, again, other = (trained(Small(dropout=0.2), seed=seed) for seed in (1, 1, 2))
    assert same(one, again)
    assert not same(one, other)


def test_training_leaves_the_global_random_numbers_alone() -> None:
    torch.manual_seed(0)
    expected = torch.rand(1)
    torch.manual_seed(0)
    fit(Small(dropout=0.5), epochs=1)
    assert torch.equal(torch.rand(1), expected)


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize(
    "cut", [{"accumulate": 3}, {"accumulate": 8}, {"max_tokens": 9}, {"max_tokens": 1}]
)
def test_accumulation_changes_nothing_but_rounding(cut: dict[str, Any], sparse: bool) -> None:
    whole = trained(Small(sparse=sparse), accumulate=1)
    for name, value in trained(Small(sparse=sparse), **cut).items():
        np.testing.assert_allclose(value, whole[name], atol=2e-5)


def test_the_loss_is_divided_by_the_whole_batch() -> None:
    """One plain step by hand: gradient of the mean over the batch, clipped, AdamW."""
    module, data = Small(), Sentences()
    by_hand = Small()
    rows = batches_of(50, batch_size=50, seed=5, epoch=0)[0]
    ids, gold = data.collate([int(row) for row in rows])
    optimizer = torch.optim.AdamW(
        [
            {"params": [by_hand.embedding.weight, by_hand.hidden.weight, by_hand.classify.weight]},
            {"params": [by_hand.hidden.bias, by_hand.classify.bias], "weight_decay": 0.0},
        ],
        lr=0.01, weight_decay=0.1,
    )  # fmt: skip
    torch.nn.functional.cross_entropy(by_hand(ids), gold).backward()
    torch.nn.utils.clip_grad_norm_(by_hand.parameters(), 0.05)
    optimizer.step()
    fit(module, epochs=1, batch_size=50, warm_up=0.0, weight_decay=0.1, clip_norm=0.05,
        with_score=False)  # fmt: skip
    for name, value in weights(module).items():
        np.testing.assert_allclose(value, by_hand.state_dict()[name], atol=1e-6)


def test_each_option_changes_the_result() -> None:
    plain = trained(Small(), patience=None)
    for option in (
        {"epochs": 3}, {"batch_size": 9}, {"learning_rate": 0.02}, {"warm_up": 0.5},
        {"weight_decay": 0.5}, {"clip_norm": 0.01}, {"precision": "bfloat16"},
        {"average_checkpoints": 3}, {"seed": 6},
    ):  # fmt: skip
        assert not same(plain, trained(Small(), patience=None, **option)), option
    assert same(plain, trained(Small(), patience=None, precision="float32"))


def test_bfloat16_computes_in_bfloat16_and_keeps_float32_weights() -> None:
    module = Small()
    seen = []
    module.classify.register_forward_hook(lambda _, __, out: seen.append(out.dtype))
    fit(module, epochs=1, precision="bfloat16")
    assert set(seen) == {torch.bfloat16}
    assert module.classify.weight.dtype == torch.float32


def test_undecayed_matrices_do_not_decay() -> None:
    module, data = Small(), Sentences()
    before = module.embedding.weight[55].detach().clone()  # no sentence has this row
    for undecayed in ((), ("embedding.weight",)):
        module = Small()
        train(
            module, data, seed=0, undecayed=undecayed,
            loss=lambda batch, module=module: module(batch[0]).sum(),
            options=TrainingOptions(epochs=1, learning_rate=0.1, weight_decay=0.5),
        )  # fmt: skip
        assert torch.equal(module.embedding.weight[55], before) == bool(undecayed)


def test_frozen_parameters_stay() -> None:
    module = Small()
    module.embedding.weight.requires_grad_(False)
    before = weights(module)
    fit(module)
    after = weights(module)
    assert np.array_equal(before["embedding.weight"], after["embedding.weight"])
    assert not np.array_equal(before["classify.weight"], after["classify.weight"])


def scored_by(numbers: list[float], **options: Any) -> tuple[Any, list[dict[str, Any]], Small]:
    """Train with given dev scores; return the result and the weights after each epoch."""
    module, data, after = Small(), Sentences(), []

    def score() -> tuple[float]:
        after.append(weights(module))
        return (numbers[len(after) - 1],)

    result = train(
        module, data, seed=0, score=score,
        loss=lambda batch: torch.nn.functional.cross_entropy(
            module(batch[0]), batch[1], reduction="sum"
        ),
        options=TrainingOptions(**{"epochs": len(numbers), "learning_rate": 0.01} | options),
    )  # fmt: skip
    return result, after, module


def test_training_stops_when_patience_is_out_and_the_best_epoch_wins() -> None:
    result, after, module = scored_by([0.1, 0.5, 0.4, 0.5, 0.6, 0.7], patience=2)
    assert len(result.epochs) == 4
    assert result.is_stopped_early
    assert same(weights(module), after[1])
    result, after, module = scored_by([0.1, 0.5, 0.4, 0.5, 0.6, 0.2], patience=None)
    assert len(result.epochs) == 6
    assert not result.is_stopped_early
    assert same(weights(module), after[4])


def test_the_best_epochs_are_averaged() -> None:
    result, after, module = scored_by([0.1, 0.5, 0.4, 0.6], average_checkpoints=2, patience=None)
    assert result.best_steps == [result.epochs[3].step, result.epochs[1].step]
    for name, value in weights(module).items():
        np.testing.assert_allclose(value, (after[1][name] + after[3][name]) / 2, atol=1e-6)


def test_without_a_score_the_last_epochs_are_averaged() -> None:
    module = Small()
    result = fit(module, with_score=False, average_checkpoints=2)
    assert result.best_steps == [epoch.step for epoch in result.epochs[:1:-1]]


def test_of_a_sparse_embedding_the_best_epoch_comes_back_whole() -> None:
    whole = trained(Small(sparse=True), epochs=2, patience=None)
    stopped = Small(sparse=True)
    fit(stopped, epochs=2, average_checkpoints=2, patience=None)
    assert not same(whole, weights(stopped))
    untouched = Small().embedding.weight[50:].detach().numpy()
    assert np.array_equal(stopped.embedding.weight[50:].detach().numpy(), untouched)


def test_a_loss_that_is_not_finite_is_said() -> None:
    with pytest.raises(InputError, match="not finite at step 1"):
        train(
            Small(), Sentences(), seed=0,
            options=TrainingOptions(learning_rate=0.01),
            loss=lambda batch: torch.tensor(math.nan, requires_grad=True),
        )  # fmt: skip


def test_a_run_without_a_learning_rate_is_refused() -> None:
    module = Small()
    before = weights(module)
    with pytest.raises(ValueError, match="learning_rate is None"):
        fit(module, learning_rate=None)
    assert same(weights(module), before)


def test_float16_needs_a_graphics_card() -> None:
    with pytest.raises(InputError, match="not for a processor"):
        fit(Small(), precision="float16")


@pytest.mark.parametrize(
    "option",
    [
        {"epochs": 0}, {"batch_size": 0}, {"learning_rate": 0.0}, {"learning_rate": math.nan},
        {"warm_up": 1.5}, {"weight_decay": -1.0}, {"clip_norm": 0.0}, {"accumulate": 0},
        {"max_tokens": 0}, {"precision": "bf16"}, {"patience": 0}, {"average_checkpoints": True},
        {"learning_rate": 10**400}, {"average_checkpoints": 3, "epochs": 2},
    ],
)  # fmt: skip
def test_options_out_of_range_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=next(iter(option))):
        TrainingOptions(**option)


def test_every_example_is_in_one_batch_of_an_epoch() -> None:
    for n, size in ((50, 8), (7, 7), (3, 8)):
        batches = batches_of(n, batch_size=size, seed=1, epoch=2)
        assert sorted(np.concatenate(batches).tolist()) == list(range(n))
        assert [len(batch) for batch in batches[:-1]] == [size] * (len(batches) - 1)


def test_shares_and_micro_batches_hold_every_example_once_with_like_lengths() -> None:
    lengths = np.random.default_rng(0).integers(1, 60, 200)
    batch = batches_of(200, batch_size=64, seed=0, epoch=0)[0]
    found = []
    for rank in range(3):
        share = share_of(batch, lengths, rank=rank, size=3)
        for part in micro_batches(share, lengths, accumulate=None, max_tokens=128, part_cost=9):
            assert len(part) == 1 or lengths[part].max() * len(part) <= 128
            found += part.tolist()
    assert sorted(found) == sorted(batch.tolist())


def test_more_micro_batches_than_examples_are_one_an_example() -> None:
    found = micro_batches(np.arange(5), None, accumulate=10**12, max_tokens=1, part_cost=0)
    assert [part.tolist() for part in found] == [[0], [1], [2], [3], [4]]


@pytest.mark.parametrize("part_cost", [0, 3, 20, 1000])
def test_no_cut_of_a_batch_is_cheaper(part_cost: int) -> None:
    lengths = np.array([40, 21, 20, 20, 9, 8, 8, 2, 1])

    def cost(sizes: list[int]) -> float:
        parts = np.split(lengths, np.cumsum(sizes)[:-1])
        padded = [len(part) * int(part[0]) for part in parts]
        if any(tokens > 64 and len(part) > 1 for tokens, part in zip(padded, parts, strict=True)):
            return math.inf
        return sum(padded) + part_cost * len(parts)

    found = micro_batches(
        np.arange(9), lengths, accumulate=None, max_tokens=64, part_cost=part_cost
    )
    every_cut = [
        np.diff([0, *inner, 9]).tolist()
        for n_inner in range(9)
        for inner in itertools.combinations(range(1, 9), n_inner)
    ]
    assert cost([len(part) for part in found]) == min(map(cost, every_cut))
    assert np.concatenate(found).tolist() == list(range(9))


def test_texts_of_one_length_are_one_part() -> None:
    lengths = np.full(32, 64)
    found = micro_batches(np.arange(32), lengths, accumulate=None, max_tokens=32 * 64, part_cost=0)
    assert len(found) == 1


def test_the_rate_rises_and_falls() -> None:
    rates = [rate_at(step, n_steps=10, warm_up=0.2) for step in range(10)]
    assert rates == [0.5, 1.0, 1.0, 0.875, 0.75, 0.625, 0.5, 0.375, 0.25, 0.125]
    assert rate_at(0, n_steps=1, warm_up=0.0) == 1.0


def test_a_checkpoint_of_another_run_is_refused(tmp_path: Path) -> None:
    fit(Small(), checkpoints=Checkpoints(tmp_path / "run"), epochs=1)
    with pytest.raises(InputError, match=r"another run \(epochs differ\)"):
        fit(Small(), checkpoints=Checkpoints(tmp_path / "run"), epochs=2)
    with pytest.raises(InputError, match=r"another run \(data differ\)"):
        fit(Small(), checkpoints=Checkpoints(tmp_path / "run"), epochs=1, run={"data": "x"})
