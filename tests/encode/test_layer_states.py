"""States of chosen layers: those of a whole run, and nothing above them is computed or kept."""

import threading
from typing import Any

import numpy as np
import pytest
import torch
import transformers

from isogloss.encode import layer_states
from isogloss.encode.batches import PaddedBatch, pad
from isogloss.encode.model import Network
from isogloss.encode.plan import Plan

SIZES = {
    "vocab_size": 99, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4,
    "intermediate_size": 64, "max_position_embeddings": 64, "pad_token_id": 1,
    "initializer_range": 0.3,
}  # fmt: skip
DISENTANGLED = {
    "relative_attention": True, "pos_att_type": ["p2c", "c2p"], "norm_rel_ebd": "layer_norm",
    "conv_kernel_size": 3,
}  # fmt: skip
LOCAL = {"bos_token_id": 2, "cls_token_id": 2, "eos_token_id": 3, "sep_token_id": 3,
         "local_attention": 4, "global_attn_every_n_layers": 2}  # fmt: skip
HALTED = {
    "Bert": {}, "XLMRoberta": {}, "DebertaV2": DISENTANGLED, "ModernBert": LOCAL, "GPT2": {},
    "MT5": {"d_kv": 8}, "Llama": {}, "XLMRobertaXL": {}, "XLM": {},
}  # fmt: skip
WHOLE = {"Albert": {"embedding_size": 16}, "Longformer": {"attention_window": 4}}


def network(kind: str, more: dict[str, Any]) -> Network:
    config = getattr(transformers, f"{kind}Config")(**SIZES, **more)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        made = getattr(transformers, f"{kind}EncoderModel", None)  # of an encoder-decoder
        made = made or getattr(transformers, f"{kind}Model")
        return Network(made(config).eval(), dense=[], has_pooler=False, device="cpu")


def batch(*lengths: int) -> PaddedBatch:
    ids = np.random.default_rng(1).integers(4, 99, (len(lengths), max(lengths)))
    return pad([row[:n].astype(np.int32) for row, n in zip(ids, lengths, strict=True)], pad_id=1)


def whole_run(one: Network, given: PaddedBatch) -> Any:
    with torch.inference_mode():
        return one.model(
            input_ids=torch.from_numpy(given.ids), attention_mask=torch.from_numpy(given.mask),
            output_hidden_states=True,
        )  # fmt: skip


@pytest.mark.parametrize("kind", [*HALTED, *WHOLE])
def test_chosen_layers_are_those_of_a_whole_run(kind: str) -> None:
    one, given = network(kind, (HALTED | WHOLE)[kind]), batch(9, 4, 1)
    states = whole_run(one, given).hidden_states
    for layers in ([0], [1], [2], [3], [0, 2], [3, 1, 1], range(4)):
        for layer, found in zip(layers, one.hidden_states(given, layers), strict=True):
            assert torch.equal(found, states[layer]), (layers, layer)
    assert all(map(torch.equal, one.hidden_states(given), states))


@pytest.mark.parametrize("kind", HALTED)
def test_no_layer_above_the_highest_is_run(kind: str) -> None:
    one, given = network(kind, HALTED[kind]), batch(9, 4)
    one.hidden_states(given, [0])
    ran: list[int] = []
    for number, block in enumerate(one._layered.blocks):
        block.register_forward_hook(lambda *_, number=number: ran.append(number))
    for layer in range(4):
        ran.clear()
        one.hidden_states(given, [layer, 0])
        assert ran == list(range(layer))
        ran.clear()
        one.pool(given, Plan([layer, 0], True, "mean", True, "cut"))
        assert ran == list(range(layer))


@pytest.mark.parametrize("kind", WHOLE)
def test_a_model_without_a_block_for_each_layer_is_run_as_a_whole(kind: str) -> None:
    one = network(kind, WHOLE[kind])
    one.hidden_states(batch(9, 4), [1])
    assert one._layered.blocks is None


def test_states_that_are_padded_now_and_then_are_right() -> None:
    one = network("Longformer", WHOLE["Longformer"])
    for given in (batch(8, 8), batch(7, 2), batch(4)):  # to multiples of 4
        assert torch.equal(one.hidden_states(given, [1])[0], whole_run(one, given).hidden_states[1])


def test_vectors_of_chosen_layers_are_those_of_all_layers() -> None:
    one, given = network("ModernBert", LOCAL), batch(9, 4, 1)
    every = one.pool(given, Plan([0, 1, 2, 3], True, "mean", True, "cut"))
    for layers in ([1], [2, 0], [3], [3, 2]):
        found = one.pool(given, Plan(layers, True, "mean", True, "cut"))
        np.testing.assert_array_equal(found, every[layers])


def test_a_block_that_changes_what_it_is_given_is_not_trusted() -> None:
    one, given = network("Bert", {}), batch(5, 3)
    block = one.model.encoder.layer[1]
    run = block.forward
    block.forward = lambda states, *args, **more: run(states.mul_(2), *args, **more)
    states = whole_run(one, given).hidden_states
    assert torch.equal(one.hidden_states(given, [1])[0], states[1])
    assert one._layered.blocks is None


def test_a_model_that_tuning_put_in_place_is_looked_at_anew() -> None:
    one, given = network("Bert", {}), batch(5, 3)
    one.hidden_states(given, [1])
    one.model = network("GPT2", {}).model
    assert torch.equal(one.hidden_states(given, [2])[0], whole_run(one, given).hidden_states[2])


def test_no_hook_stays_behind() -> None:
    one, given = network("DebertaV2", DISENTANGLED), batch(5, 3)
    one.hidden_states(given, [1])
    one.hidden_states(given, [1, 3])
    assert not any(module._forward_pre_hooks for module in one.model.modules())


def test_threads_that_share_a_model_get_their_own_layers() -> None:
    one, given = network("Bert", {}), batch(9, 4)
    states = whole_run(one, given).hidden_states
    one.hidden_states(given, [0])
    wrong: list[int] = []

    def ask(layer: int) -> None:
        wrong.extend(
            layer for _ in range(30)
            if not torch.equal(one.hidden_states(given, [layer])[0], states[layer])
        )  # fmt: skip

    threads = [threading.Thread(target=ask, args=[layer]) for layer in (0, 1, 3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_states_that_nobody_asked_for_are_not_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    one = network("Bert", {})
    kept: list[int] = []
    made = layer_states.ChosenStates
    monkeypatch.setattr(
        layer_states, "ChosenStates", lambda states, last: kept.extend(states) or made(states, last)
    )
    one.hidden_states(batch(5, 3), [2, 0])
    assert sorted(kept) == [0, 2]
