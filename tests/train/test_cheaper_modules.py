"""Cheaper modules give what torch's own give, but for rounding and the draws of dropout."""

from typing import Any

import pytest
import torch
from torch import Tensor
from transformers import (
    BertConfig,
    BertModel,
    GPT2Config,
    GPT2Model,
    ModernBertConfig,
    ModernBertModel,
    Qwen3Config,
    Qwen3Model,
    XLMRobertaConfig,
)
from transformers import XLMRobertaModel as RobertaModel

from isogloss.train.cheaper_modules import CheaperDropout, cheaper_modules, dropped

SIZES: dict[str, Any] = {"vocab_size": 50, "hidden_size": 32, "num_attention_heads": 4}
IDS = torch.arange(2, 26).reshape(3, 8)
MASK = torch.ones(3, 8, dtype=torch.int64)
MASK[1, 5:] = 0


def bert(**changed: Any) -> Any:
    torch.manual_seed(0)
    config = BertConfig(
        **SIZES, num_hidden_layers=2, intermediate_size=64, max_position_embeddings=16, **changed
    )
    return BertModel(config, add_pooling_layer=False)


def models() -> list[Any]:
    torch.manual_seed(0)
    roberta = XLMRobertaConfig(
        **SIZES, num_hidden_layers=2, intermediate_size=64, max_position_embeddings=16
    )
    gpt2 = GPT2Config(vocab_size=50, n_embd=32, n_head=4, n_layer=2, n_positions=16)
    return [bert(), bert(attn_implementation="eager"), RobertaModel(roberta), GPT2Model(gpt2)]


def gradients(model: Any) -> tuple[Tensor, dict[str, Tensor]]:
    model.zero_grad()
    first = model(input_ids=IDS, attention_mask=MASK).last_hidden_state[:, 0]
    first.square().sum().backward()
    found = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    return first.detach(), found


@pytest.mark.parametrize("is_first_enough", [False, True])
@pytest.mark.parametrize("number", range(4))
def test_vectors_and_gradients_are_the_same_but_for_rounding(
    number: int, is_first_enough: bool
) -> None:
    model = models()[number].eval()
    expected, wanted = gradients(model)
    with cheaper_modules(model, is_first_enough=is_first_enough):
        found, given = gradients(model)
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    assert given.keys() == wanted.keys()
    for name, gradient in wanted.items():
        torch.testing.assert_close(given[name], gradient, rtol=1e-4, atol=1e-5, msg=name)


def rotary_models() -> list[Any]:
    torch.manual_seed(0)
    sizes = {"vocab_size": 50, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 4}
    local = ModernBertConfig(
        **sizes, num_attention_heads=4, local_attention=4, global_attn_every_n_layers=3,
        pad_token_id=0, attn_implementation="sdpa",
    )  # fmt: skip
    grouped = Qwen3Config(**sizes, num_attention_heads=4, num_key_value_heads=2, head_dim=8)
    return [ModernBertModel(local), Qwen3Model(grouped)]


@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_rotary_and_local_attention_are_those_of_torch(number: int, dtype: torch.dtype) -> None:
    model = rotary_models()[number].eval()
    ids = torch.arange(2, 42).reshape(2, 20)
    mask = torch.ones(2, 20, dtype=torch.int64)
    mask[1, 3:] = 0  # the window of the last tokens holds nothing but padding

    def hidden() -> Tensor:
        with torch.autocast("cpu", torch.bfloat16, enabled=dtype is torch.bfloat16):
            states = model(input_ids=ids, attention_mask=mask).last_hidden_state
        return states[mask.bool()].float()

    expected = hidden()
    with cheaper_modules(model, is_first_enough=False):
        assert model.config._attn_implementation == "isogloss_training"
        found = hidden()
    assert torch.isfinite(found).all()
    bound = 1e-5 if dtype is torch.float32 else 0.1
    torch.testing.assert_close(found, expected, rtol=bound, atol=bound)


def test_the_model_is_as_before_afterwards() -> None:
    model = bert()
    kinds = [type(module) for module in model.modules()]
    within = cheaper_modules(model, is_first_enough=True)
    within.__enter__()
    assert [type(module) for module in model.modules()] != kinds
    assert model.config._attn_implementation == "isogloss_training"
    assert not within.__exit__(ValueError, ValueError("stopped"), None)
    assert [type(module) for module in model.modules()] == kinds
    assert model.config._attn_implementation == "sdpa"
    hidden = model(input_ids=IDS).last_hidden_state
    assert hidden.shape == (3, 8, 32)


def test_only_the_first_piece_leaves_the_last_layer_when_it_is_enough() -> None:
    model = bert().eval()
    for is_first_enough, n_tokens in ((False, 8), (True, 1)):
        with cheaper_modules(model, is_first_enough=is_first_enough):
            assert model(input_ids=IDS).last_hidden_state.shape == (3, n_tokens, 32)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_dropout_drops_its_share_and_keeps_the_mean(dtype: torch.dtype, share: float) -> None:
    torch.manual_seed(0)
    values = torch.ones(1001, 333, dtype=dtype, requires_grad=True)
    found = dropped(values, share)
    kept = found > 0
    n = values.numel()
    assert abs(float(kept.float().mean()) - (1 - share)) < 4 * (share * (1 - share) / n) ** 0.5
    assert found[kept].unique().tolist() == [float(torch.tensor(1 / (1 - share)).to(dtype))]
    found.sum().backward()
    assert values.grad is not None
    assert torch.equal(values.grad, found.detach())
    rows = kept.float().mean(dim=1)  # no row or column is dropped more than chance has it
    assert float((rows - (1 - share)).abs().max()) < 6 * (share * (1 - share) / 333) ** 0.5


def test_the_same_seed_drops_the_same() -> None:
    drawn = []
    for seed in (1, 1, 2):
        torch.manual_seed(seed)
        drawn.append(dropped(torch.ones(999), 0.3))
    assert torch.equal(drawn[0], drawn[1])
    assert not torch.equal(drawn[0], drawn[2])


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_dropout_of_nothing_or_all(share: float) -> None:
    module = CheaperDropout(share)
    assert torch.equal(module(torch.ones(7)), torch.full((7,), 1 - share))
    assert torch.equal(module.eval()(torch.ones(7)), torch.ones(7))


def test_attention_weights_are_dropped_in_training() -> None:
    model = bert(hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.5).train()
    with cheaper_modules(model, is_first_enough=False):
        first, second = (model(input_ids=IDS).last_hidden_state for _ in range(2))
    assert not torch.allclose(first, second)


def test_training_learns_with_cheaper_modules_in_mixed_precision() -> None:
    model = bert().train()
    gold = torch.tensor([0, 1, 2])
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    losses = []
    with cheaper_modules(model, is_first_enough=True):
        for _ in range(30):
            with torch.autocast("cpu", torch.bfloat16):
                logits = model(input_ids=IDS, attention_mask=MASK).last_hidden_state[:, 0, :3]
                loss = torch.nn.functional.cross_entropy(logits.float(), gold)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            losses.append(float(loss.detach()))
    assert losses[-1] < 0.3 * losses[0]
