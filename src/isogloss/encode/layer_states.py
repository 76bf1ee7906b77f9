"""Hidden states of chosen layers: no layer above the highest of them is computed, no other kept.

transformers gives the states of all layers, or of the last. The states of layer k are what block k,
counted from 0, takes in: a hook before each block can keep them, and end the run at the block above
the highest layer. Only the last layer's states, which may come after a final normalisation, are
those that the model gives.

Which modules are the blocks is found out by running the model on a few tokens. Where no list of
modules fits (ALBERT has one block for all layers, Longformer and XLNet change the shape of states
between them), the model is run as a whole, and the states are the same.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

N_TOKENS_TO_FIND = 16

Blocks = Sequence[nn.Module]
Look = Callable[[int, Tensor | None], None]


@dataclass(frozen=True, eq=False)
class ChosenStates:
    """What a model gives of what it was asked for.

    Attributes
    ----------
    hidden_states
        Of each layer asked for: (n_texts, longest, hidden_size), in the model's own precision.
    last_hidden_state
        None where the last layer was not asked for.
    """

    hidden_states: Mapping[int, Tensor]
    last_hidden_state: Tensor | None


class LayeredModel:
    """A model that is run as far as the layers asked for.

    Parameters
    ----------
    model
        Of transformers.
    n_layers
        Its layers; states are one more, 0 being the embeddings.
    like
        A batch; the first run is on as many tokens, but no more than `N_TOKENS_TO_FIND`.

    Attributes
    ----------
    blocks
        The modules that take in the states of layers 0 to ``n_layers - 1``; None: no list of
        modules fits.
    """

    def __init__(self, model: Any, *, n_layers: int, like: Mapping[str, Tensor]) -> None:
        self.model = model
        self.n_layers = n_layers
        some = {name: one[:1, :N_TOKENS_TO_FIND].repeat(2, 1) for name, one in like.items()}
        mask = some["attention_mask"]
        mask[1, (mask.shape[1] + 1) // 2 :] = 0  # so that what is done about padding shows
        self.blocks = _found_blocks(model, some, n_layers)

    def __call__(self, inputs: Mapping[str, Tensor], layers: Sequence[int]) -> ChosenStates:
        """Run the model on a batch; layers are 0 to `n_layers`."""
        blocks = self.blocks
        if blocks is None:
            output = self.model(**inputs, output_hidden_states=True)
            kept = {layer: output.hidden_states[layer] for layer in layers}
            return ChosenStates(kept, output.last_hidden_state)
        states, last = self._run(blocks, inputs, layers)
        shape = inputs["input_ids"].shape
        if any(one.shape[:2] != shape for one in states.values()):
            self.blocks = None  # it pads to a multiple that the few tokens happened to be
            return self(inputs, layers)
        return ChosenStates(states, last)

    def _run(
        self, blocks: Blocks, inputs: Mapping[str, Tensor], layers: Sequence[int]
    ) -> tuple[dict[int, Tensor], Tensor | None]:
        highest, states, own = max(layers), dict[int, Tensor](), threading.get_ident()

        def look(layer: int, given: Tensor | None) -> None:
            if threading.get_ident() != own:  # another thread runs the same model
                return
            if layer in layers and given is not None:
                states[layer] = given
            if layer == highest:
                raise _Enough

        with _looking(blocks, look):
            try:
                last = self.model(**inputs).last_hidden_state
            except _Enough:
                return states, None
        return states | {self.n_layers: last}, last


class _Enough(Exception):  # noqa: N818 (no error: it ends a run)
    """Every state that was asked for is there."""


def _found_blocks(model: Any, inputs: Mapping[str, Tensor], n_layers: int) -> Blocks | None:
    """Return the list of modules of a model that take in exactly the states of its layers."""
    stacks = [
        tuple(one)[:n_layers]
        for one in model.modules()
        if isinstance(one, nn.ModuleList) and len(one) >= n_layers > 0
    ]
    seen: list[list[tuple[int, Tensor | None]]] = [[] for _ in stacks]

    def keep(stack: int) -> Look:
        # A copy: a block that changes what it is given would change what is compared.
        return lambda layer, given: seen[stack].append(
            (layer, None if given is None else given.clone())
        )

    with ExitStack() as hooks:
        for number, blocks in enumerate(stacks):
            hooks.enter_context(_looking(blocks, keep(number)))
        output = model(**inputs, output_hidden_states=True)
    states = output.hidden_states
    if len(states) != n_layers + 1 or not torch.equal(states[-1], output.last_hidden_state):
        return None
    for blocks, found in zip(stacks, seen, strict=True):
        if [layer for layer, _ in found] == list(range(n_layers)) and all(
            given is not None and torch.equal(given, states[layer]) for layer, given in found
        ):
            return blocks
    return None


@contextmanager
def _looking(blocks: Blocks, look: Look) -> Iterator[None]:
    """Call ``look(number, states)`` before each block runs, inside the context."""

    def hook(number: int) -> Callable[..., None]:
        def before(_module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
            given = args[0] if args else kwargs.get("hidden_states")
            look(number, given if isinstance(given, Tensor) else None)

        return before

    with ExitStack() as hooks:
        for number, block in enumerate(blocks):
            hooks.callback(block.register_forward_pre_hook(hook(number), with_kwargs=True).remove)
        yield
