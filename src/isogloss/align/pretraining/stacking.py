"""Progressive stacking (Gong et al. 2019): L/4 layers first, then L/2, then all.

A stage begins with the weights of the one before: embeddings and head as they are, and its layers
twice, the whole stack on top of itself. LaBSE is pre-trained so, in three stages.
"""

import copy
from dataclasses import dataclass
from typing import Any

import torch

from isogloss.errors import InputError

N_STAGES = 3


@dataclass(frozen=True)
class Stage:
    """A run of its own, with its own warm-up.

    Attributes
    ----------
    n_layers
        Of its model.
    n_epochs, n_draws
        Epochs, and blocks of each.
    """

    n_layers: int
    n_epochs: int
    n_draws: int


def stages(n_layers: int, *, n_epochs: int, n_draws: int, shares: tuple[float, ...]) -> list[Stage]:
    """Return the stages of a run whose whole is `n_epochs` of `n_draws` blocks.

    Parameters
    ----------
    shares
        Of the steps, for each stage; they sum to 1.

    Raises
    ------
    InputError
        When the layers cannot be halved twice.
    """
    if n_layers % 2 ** (N_STAGES - 1):
        raise InputError(
            f"stacking takes layers / 4 first, and layers is {n_layers}; give a multiple of 4"
        )
    found = []
    for number, share in enumerate(shares):
        epochs = max(1, round(share * n_epochs))
        draws = max(1, round(share * n_epochs * n_draws / epochs))
        found.append(Stage(n_layers >> (N_STAGES - 1 - number), epochs, draws))
    return found


def stacked(model: Any) -> Any:
    """Return a masked language model with twice the layers, which are copies of these.

    The model is one of `transformers` with ``encoder.layer`` (BERT and its like).
    """
    layers = f"{model.base_model_prefix}.encoder.layer."
    n_layers = model.config.num_hidden_layers
    config = copy.deepcopy(model.config)
    config.num_hidden_layers = 2 * n_layers
    state = model.state_dict()
    for name, value in list(state.items()):
        if name.startswith(layers):
            number, _, rest = name.removeprefix(layers).partition(".")
            state[f"{layers}{int(number) + n_layers}.{rest}"] = value
    with torch.random.fork_rng(devices=[]):
        grown = type(model)(config)
    grown.load_state_dict(state)
    return grown.to(next(model.parameters()).device)
