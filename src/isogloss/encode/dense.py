"""A Dense module of sentence-transformers, which follows the pooling: a map and its activation."""

from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from isogloss.encode.foreign import CONFIG, REPAIR, Size, library_faults, read_file
from isogloss.encode.weights.files import ONE_FILE, shapes_in
from isogloss.errors import InputError, did_you_mean

if TYPE_CHECKING:
    import torch

ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU", "Sigmoid", "SiLU")


class DenseConfig(Struct):
    """``config.json`` of a Dense module."""

    in_features: Size
    out_features: Size
    bias: bool = True
    activation_function: str = "torch.nn.Tanh"
    use_residual: bool = False
    module_input_name: str | None = None
    module_output_name: str | None = None


def load_dense(folder: Path) -> "torch.nn.Module":
    """Load a Dense module of sentence-transformers: a linear map and its activation.

    Raises
    ------
    InputError
        For pickled weights, an unknown activation, or an option that cannot be applied.
    """
    import torch
    from safetensors.torch import load_file

    path = folder / CONFIG
    config = read_file(path, DenseConfig)
    activation = config.activation_function.rpartition(".")[2]
    if activation not in ACTIVATIONS:
        raise InputError(
            f"the activation '{activation}' cannot be applied; "
            f"{did_you_mean(activation, ACTIVATIONS)}",
            path=path,
        )
    named = {config.module_input_name, config.module_output_name}
    if config.use_residual or named - {None, "sentence_embedding"}:
        raise InputError(
            "a Dense module with a residual, or one that reads or writes other than sentence "
            "embeddings, cannot be applied",
            path=path,
        )
    shape = (config.out_features, config.in_features)
    if shape not in shapes_in(folder).values():
        raise InputError(
            f"its weights hold no matrix of the shape {shape}, which config.json gives; {REPAIR}",
            path=folder,
        )
    with library_faults(folder, "not a Dense module that can be read"):
        linear = torch.nn.Linear(config.in_features, config.out_features, bias=config.bias)
        state = load_file(folder / ONE_FILE)
        linear.load_state_dict({key.removeprefix("linear."): value for key, value in state.items()})
    return torch.nn.Sequential(linear, getattr(torch.nn, activation)())
