"""The head of a masked language model as a function of hidden states, whatever its architecture.

The head costs a product with the whole vocabulary for each token, so only the tokens to be
predicted go through it: their states are gathered first, and in chunks that are computed again in
the backward pass where the logits of all would not fit. The head is run by the model's own
`forward`, in which the network below is exchanged for what gives the gathered states.
"""

from typing import Any

from torch import Tensor, nn
from torch.nn import functional
from torch.utils.checkpoint import checkpoint

N_LOGITS_AT_ONCE = {"cpu": 1 << 25, "cuda": 1 << 28}


def hidden_states(model: Any, ids: Tensor, mask: Tensor) -> Tensor:
    """Return the last hidden states of a masked language model: (n_texts, longest, width)."""
    output = getattr(model, model.base_model_prefix)(input_ids=ids, attention_mask=mask)
    states: Tensor = output.last_hidden_state
    return states


def head_logits(model: Any, states: Tensor) -> Tensor:
    """Return the logits of hidden states: (n_states, width) → (n_states, n_ids)."""
    name = model.base_model_prefix
    below = model._modules[name]
    model._modules[name] = _Given(states[None])
    try:
        logits: Tensor = model(input_ids=None).logits
    finally:
        model._modules[name] = below
    return logits[0]


def prediction_loss(model: Any, states: Tensor, targets: Tensor) -> Tensor:
    """Return the cross-entropy summed over tokens to be predicted.

    Parameters
    ----------
    states
        (n_predicted, width): their hidden states.
    targets
        (n_predicted,): their ids.
    """
    n_ids = model.get_input_embeddings().weight.shape[0]
    n_at_once = max(1, N_LOGITS_AT_ONCE.get(states.device.type, 1 << 25) // n_ids)

    def summed(some: Tensor, wanted: Tensor) -> Tensor:
        logits = head_logits(model, some)
        logits = logits if logits.dtype.itemsize >= 4 else logits.float()
        return functional.cross_entropy(logits, wanted, reduction="sum")

    if len(states) <= n_at_once:
        return summed(states, targets)
    total = states.new_zeros(())
    for some, wanted in zip(states.split(n_at_once), targets.split(n_at_once), strict=True):
        part: Tensor = checkpoint(summed, some, wanted, use_reentrant=False)
        total = total + part
    return total


class _Given(nn.Module):
    """Stands in for the network below a head: gives states that are there already."""

    def __init__(self, states: Tensor) -> None:
        super().__init__()
        self.states = states

    def forward(self, *_: Any, **__: Any) -> Any:
        from transformers.modeling_outputs import BaseModelOutput

        return BaseModelOutput(last_hidden_state=self.states)
