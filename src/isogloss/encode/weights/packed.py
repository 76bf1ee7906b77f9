"""Linear maps with weights laid out once for oneDNN's matrix product, on x86 processors.

torch multiplies float32 with MKL, which is slower than oneDNN on some processors, and lays bfloat16
weights out again at every call (docs/performance.md has what packing gains). Results are equal up
to rounding. The operator is torch's own, but not documented, so it is tested first, and where it
fails the model is left unpacked. A packed model cannot be trained:
`Encoder.load` packs, `load_network` does not.
"""

import platform
from typing import Any

import torch

MACHINES = ("x86_64", "AMD64")


class PackedLinear(torch.nn.Module):
    """A `torch.nn.Linear` for inference; its weight is in oneDNN's own layout."""

    def __init__(self, linear: torch.nn.Linear) -> None:
        super().__init__()
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.bias = linear.bias
        self.register_buffer(
            "weight", torch.ops.mkldnn._reorder_linear_weight(linear.weight.detach())
        )

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Map (…, in_features) to (…, out_features)."""
        product: torch.Tensor = torch.ops.mkldnn._linear_pointwise(
            states, self.weight, self.bias, "none", [], ""
        )
        return product

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle by the plain weight: oneDNN's layout has no storage to read."""
        weight: Any = self.weight
        return _of_plain, (weight.to_dense(), self.bias)


def _of_plain(weight: torch.Tensor, bias: torch.nn.Parameter | None) -> torch.nn.Module:
    """Return the linear map of a plain weight, packed where this processor can."""
    n_out, n_in = weight.shape
    linear = torch.nn.Linear(n_in, n_out, bias=False, device="meta")
    linear.weight = torch.nn.Parameter(weight, requires_grad=False)
    if bias is not None:
        linear.bias = bias
    return PackedLinear(linear) if is_onednn_trusted(weight.dtype) else linear


def pack(model: Any, *, device: str, dtype: str) -> int:
    """Replace every plain linear map of a model, in place, and return how many were.

    None is replaced off the processor, in another dtype than float32 and bfloat16, and where the
    operator is missing or gives another result.
    """
    if device != "cpu" or dtype == "float16":
        return 0
    if not is_onednn_trusted(getattr(torch, dtype)):
        return 0
    n_packed = 0
    for module in list(model.modules()):
        for name, child in list(module.named_children()):
            if type(child) is torch.nn.Linear:  # a subclass may do something else
                setattr(module, name, PackedLinear(child))
                n_packed += 1
    return n_packed


def is_onednn_trusted(dtype: torch.dtype) -> bool:
    """Return whether oneDNN's product is there and gives what torch's own gives."""
    if platform.machine() not in MACHINES:
        return False
    values = torch.linspace(-1, 1, 7 * 48).reshape(7, 48).to(dtype)
    linear = torch.nn.Linear(48, 32, device="meta").to_empty(device="cpu").to(dtype)
    with torch.inference_mode():
        linear.weight.copy_(torch.linspace(-1, 1, 32 * 48).sin().reshape(32, 48))
        linear.bias.copy_(torch.linspace(-1, 1, 32))
        try:
            found = PackedLinear(linear)(values)
        except (AttributeError, RuntimeError, NotImplementedError):
            return False
        return torch.allclose(found, linear(values), rtol=2e-2, atol=torch.finfo(dtype).eps * 32)
