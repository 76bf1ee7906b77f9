"""A trained masked language model as an encoder, whose weights hold the head too."""

from typing import Any

from torch import Tensor

from isogloss.encode import Encoder
from isogloss.encode.model import Network
from isogloss.encode.weights.packed import pack
from isogloss.learn.tuned_encoder import TunedEncoder


def finished(base: Encoder, model: Any) -> TunedEncoder:
    """Return the encoder of a trained model; written, it is read with or without its head."""
    model.eval().requires_grad_(False)
    old: Any = base.network
    weights = {f"0 {name}": value for name, value in _untied(model).items()}
    for number, module in enumerate(old.dense, start=1):
        for name, value in module[0].state_dict().items():
            weights[f"{number} linear.{name}"] = value.detach().to("cpu")
    network = Network(
        getattr(model, model.base_model_prefix), dense=old.dense, has_pooler=False,
        device=old.device,
    )  # fmt: skip
    pack(network.model, device=network.device, dtype="float32")
    return TunedEncoder(base, network, weights, None)


def _untied(model: Any) -> dict[str, Tensor]:
    """Return a model's tensors by name; one under two names has that below the head."""
    found: dict[str, Tensor] = {}
    places: set[int] = set()
    below = f"{model.base_model_prefix}."
    state = model.state_dict()
    for name, value in sorted(state.items(), key=lambda item: not item[0].startswith(below)):
        if value.data_ptr() not in places:
            places.add(value.data_ptr())
            found[name] = value.detach().to("cpu", copy=True)
    return found
