"""Whether an encoder's last layer is of another kind than the others: after a normalisation."""

from typing import Any

import numpy as np

from isogloss.encode import Encoder
from isogloss.encode.batches import pad
from isogloss.encode.words.word_vectors import network_of


def note_on_final_norm(encoder: Encoder) -> str:
    """Say of an encoder that `has_final_norm` how its last layer differs."""
    return (
        f"{encoder.name}: the last layer's vectors are those after the model's final "
        "normalisation, which other layers lack"
    )


def has_final_norm(encoder: Encoder) -> bool:
    """Return whether the last layer's states come after a step that other layers lack.

    One text is encoded: where no block of a stack gives the last states, a normalisation (or a
    projection) after the stack does. Names of modules would not do, as models differ in them.
    """
    import torch

    network, tokenizer = network_of(encoder), encoder.tokenizer
    given: list[torch.Tensor] = []

    def keep(_module: object, _given: object, output: Any) -> None:
        given.append(output if isinstance(output, torch.Tensor) else output[0])

    stacks = [one for one in network.model.modules() if isinstance(one, torch.nn.ModuleList)]
    hooks = [block.register_forward_hook(keep) for stack in stacks for block in stack]
    try:
        ids = np.array([*tokenizer.head, 0, *tokenizer.tail], np.int32)  # any token will do
        last = network.hidden_states(pad([ids], pad_id=network.pad_id))[-1].flatten()
    finally:
        for hook in hooks:
            hook.remove()
    return not any(torch.equal(one.flatten(), last) for one in given)
