"""The head on gathered states is the model's own, whatever the architecture; so are gradients."""

from typing import Any

import pytest
import torch
from torch.nn import functional
from transformers import AutoConfig, AutoModelForMaskedLM

from isogloss.align.pretraining import head
from isogloss.align.pretraining.epoch_blocks import MaskedBatch
from isogloss.align.pretraining.masked_model import MaskedLanguageModel
from isogloss.align.pretraining.stacking import stacked, stages
from isogloss.errors import InputError

SMALL = {
    "vocab_size": 50, "hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2,
    "intermediate_size": 24, "max_position_embeddings": 40, "pad_token_id": 1,
}  # fmt: skip
DISTIL = {"vocab_size": 50, "dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 24}
KINDS = {
    "bert": SMALL, "roberta": SMALL, "xlm-roberta": SMALL, "albert": SMALL | {"embedding_size": 8},
    "electra": SMALL | {"embedding_size": 16}, "mpnet": SMALL, "deberta-v2": SMALL,
    "modernbert": SMALL | {"bos_token_id": 2, "eos_token_id": 3, "cls_token_id": 2,
                           "sep_token_id": 3}, "distilbert": DISTIL,
}  # fmt: skip


def made(kind: str, **more: Any) -> Any:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        config = AutoConfig.for_model(kind, **KINDS[kind] | more)
        return AutoModelForMaskedLM.from_config(config).double().eval()


def batch() -> MaskedBatch:
    generator = torch.Generator().manual_seed(1)
    ids = torch.randint(4, 50, (3, 11), generator=generator)
    mask = torch.ones_like(ids)
    ids[0, 7:], mask[0, 7:] = 1, 0
    places = torch.tensor([0, 3, 12, 14, 22, 30])
    return MaskedBatch(ids, mask, places, torch.randint(4, 50, (6,), generator=generator))


@pytest.mark.parametrize("kind", KINDS)
def test_the_loss_is_that_of_all_logits(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, given = made(kind), batch()
    logits = model(input_ids=given.ids, attention_mask=given.mask).logits.flatten(0, 1)
    expected = functional.cross_entropy(logits[given.places], given.targets, reduction="sum")
    expected.backward()
    gradients = {name: one.grad.clone() for name, one in model.named_parameters()
                 if one.grad is not None}  # fmt: skip
    for n_at_once in (1 << 25, 50 * 4):  # all at once, and in chunks that are computed again
        monkeypatch.setattr(head, "N_LOGITS_AT_ONCE", {"cpu": n_at_once})
        model.zero_grad()
        found = MaskedLanguageModel(model, n_predicted=2.0).loss(given)
        found.backward()
        assert found.item() * 2 == pytest.approx(expected.item(), rel=1e-10)
        for name, one in model.named_parameters():
            if name in gradients:
                torch.testing.assert_close(one.grad * 2, gradients[name], rtol=1e-8, atol=1e-12)


def test_a_stacked_model_begins_with_the_one_below() -> None:
    model = made("bert").float()
    grown = stacked(model)
    assert grown.config.num_hidden_layers == 4
    assert model.config.num_hidden_layers == 2
    given = batch()
    inputs = {"input_ids": given.ids, "attention_mask": given.mask, "output_hidden_states": True}
    with torch.no_grad():
        small, large = (one.eval()(**inputs) for one in (model, grown))
    for number in range(3):  # embeddings and the layers below
        assert torch.equal(small.hidden_states[number], large.hidden_states[number])
    with torch.no_grad():  # the layers above are the same once more
        layers = [model.bert.encoder.layer, grown.bert.encoder.layer]
        for at in range(2):
            for one, other in zip(layers[0][at].parameters(), layers[1][at + 2].parameters(),
                                  strict=True):  # fmt: skip
                assert torch.equal(one, other)
        states = large.hidden_states[-1][0]
        assert torch.equal(head.head_logits(model, states), head.head_logits(grown, states))
    assert grown.cls.predictions.decoder.weight is grown.get_input_embeddings().weight


def test_the_stages_share_the_steps() -> None:
    found = stages(8, n_epochs=10, n_draws=100, shares=(0.2, 0.2, 0.6))
    assert [(one.n_layers, one.n_epochs, one.n_draws) for one in found] == [
        (2, 2, 100), (4, 2, 100), (8, 6, 100),
    ]  # fmt: skip
    (first, *_) = stages(4, n_epochs=1, n_draws=100, shares=(0.25, 0.25, 0.5))
    assert (first.n_layers, first.n_epochs, first.n_draws) == (1, 1, 25)
    with pytest.raises(InputError, match="multiple of 4"):
        stages(6, n_epochs=1, n_draws=1, shares=(0.2, 0.2, 0.6))
