"""Which weights of an encoder are trained, and how much of its hidden states is dropped."""

from typing import Any

from torch import nn

from isogloss.align.options import AlignmentOptions
from isogloss.errors import InputError, counted


def freeze(model: Any, options: AlignmentOptions, *, is_adapted: bool) -> None:
    """Leave out of training what the options say.

    Parameters
    ----------
    model
        The transformers model, all of whose weights are trained so far; of an adapted one (LoRA)
        those of the adapter.

    Raises
    ------
    InputError
        When the model has fewer layers than are to be trained.
    """
    upper = options.upper_layers
    if upper is not None:
        layers = layers_of(model)
        if upper > len(layers):
            raise InputError(
                f"upper_layers is {upper}; the encoder has {counted(len(layers), 'layer')}"
            )
        n_lower = len(layers) - upper
        if is_adapted:
            layers[:n_lower].requires_grad_(False)
        else:
            model.requires_grad_(False)
            layers[n_lower:].requires_grad_(True)
    if not is_adapted:
        how = options.embeddings or ("rows" if upper is None else "frozen")
        embedding = model.get_input_embeddings()
        embedding.weight.requires_grad_(how != "frozen")
        embedding.sparse = how == "rows"
    if getattr(model, "pooler", None) is not None:
        model.pooler.requires_grad_(False)  # no directory can name it: see export


def layers_of(model: Any) -> nn.ModuleList:
    """Return the transformer layers: the longest list of modules there is."""
    lists = [part for part in model.modules() if isinstance(part, nn.ModuleList)]
    return max(lists, key=len)


def set_dropout(module: nn.Module, share: float) -> None:
    """Set the dropout of all hidden states.

    Raises
    ------
    InputError
        For a share above 0 where the encoder drops nothing anywhere.
    """
    parts = [part for part in module.modules() if isinstance(part, nn.Dropout)]
    if share and not parts:
        raise InputError(f"dropout is {share}, and the encoder has none to set; leave it out")
    for part in parts:
        part.p = share
