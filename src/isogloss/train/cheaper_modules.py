"""The same training step for less work on a processor: dropout, attention, float32 products.

`cheaper_modules` changes a transformer for the time of a training run:

- Dropout draws 16 random bits an element instead of a double: three times cheaper. A share is so
  rounded to 1/65,536.
- Attention with dropout leaves out torch's own search for rows that are masked as a whole. Such a
  row (padding that sees only padding) becomes the mean of all values, which nothing reads.
- With [CLS] pooling, what follows attention in the last layer is computed for [CLS] alone.
- float32 products of linear maps, forward and back, are oneDNN's where
  `isogloss.encode.weights.packed` trusts it; MKL's are slower on some processors.

Results differ from torch's own in rounding and in the draws of dropout, and in nothing else.
docs/performance.md has what it gains.
"""

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.encode.weights.packed import is_onednn_trusted

ATTENTION = "isogloss_training"
REPLACED = ("sdpa", "eager")  # a model that asks for another attention keeps it
LANES = 4  # draws of 16 bits in a random 64-bit number
N_DRAWS = 2**16


@contextmanager
def cheaper_modules(model: Any, *, is_first_enough: bool) -> Iterator[None]:
    """Train a transformers model on a processor with cheaper modules; it is as before afterwards.

    A model on another device is left alone.

    Parameters
    ----------
    is_first_enough
        Of the last hidden state only the first token is used; the others may be left out.
    """
    if next(model.parameters()).device.type != "cpu":
        yield
        return
    changed = [
        (module, type(module))
        for module in model.modules()
        if type(module) in _CHEAPER and _is_worth_it(module)
    ]
    attention = model.config._attn_implementation
    is_replaced = attention in REPLACED and model._supports_attention_backend
    for module, kind in changed:
        module.__class__ = _CHEAPER[kind]
    if is_replaced:
        _register()
        model.set_attn_implementation(ATTENTION)
    last = _after_last_attention(model) if is_first_enough else None
    hook = None if last is None else last.register_forward_pre_hook(_first_token)
    try:
        yield
    finally:
        if hook is not None:
            hook.remove()
        for module, kind in changed:
            module.__class__ = kind
        if is_replaced:
            model.set_attn_implementation(attention)


def dropped(values: Tensor, share: float) -> Tensor:
    """Set a share of the values to 0 and scale the others up, so that the mean stays."""
    if not 0 < share < 1:
        return functional.dropout(values, share)
    result: Tensor = _Dropout.apply(values, share)  # type: ignore[no-untyped-call]
    return result


def attend(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    dropout: float = 0.0,
    scaling: float | None = None,
    **_: Any,
) -> tuple[Tensor, None]:
    """Return softmax(q kᵀ · scaling + mask) v: (n_texts, longest, n_heads, width of a head).

    The arguments are those of transformers' attention functions; heads come second in them.
    """
    n_groups = query.shape[1] // key.shape[1]
    if n_groups > 1:
        key, value = (one.repeat_interleave(n_groups, dim=1) for one in (key, value))
    scaling = query.shape[-1] ** -0.5 if scaling is None else scaling
    query, key = query.to(value.dtype), key.to(value.dtype)  # rotary positions make them float32
    with torch.autocast(query.device.type, enabled=False):
        scores = (query * scaling) @ key.transpose(-1, -2)
        if attention_mask is not None:
            # Not -inf, which the least float32 would become in bfloat16: a row of it gives NaN.
            lowest = torch.finfo(scores.dtype).min
            scores = scores + attention_mask.clamp(min=lowest).to(scores.dtype)
        weights = dropped(functional.softmax(scores, dim=-1), dropout)
        return (weights @ value).transpose(1, 2).contiguous(), None


class CheaperDropout(nn.Dropout):
    """`torch.nn.Dropout`, of cheaper draws."""

    def forward(self, values: Tensor) -> Tensor:
        """Drop a share of the values in training."""
        return dropped(values, self.p) if self.training else values


class OneDnnLinear(nn.Linear):
    """`torch.nn.Linear`; float32 products are oneDNN's."""

    def forward(self, states: Tensor) -> Tensor:
        """Map (…, in_features) to (…, out_features)."""
        if torch.is_autocast_enabled("cpu") or states.dtype is not torch.float32:
            return super().forward(states)  # bfloat16 products are oneDNN's already
        mapped: Tensor = _Linear.apply(states, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return mapped


class _Dropout(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, values: Tensor, share: float) -> Tensor:
        n = values.numel()
        draws = torch.empty(-(-n // LANES), dtype=torch.int64).random_(-(2**63), None)
        lowest = round(share * N_DRAWS) - N_DRAWS // 2
        kept = draws.view(torch.int16)[:n].view(values.shape) >= lowest
        context.save_for_backward(kept)
        context.scale = 1 / (1 - share)
        return (values * kept).mul_(context.scale)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor, None]:
        (kept,) = context.saved_tensors
        return (gradient * kept).mul_(context.scale), None


class _Linear(torch.autograd.Function):
    @staticmethod
    def forward(context: Any, states: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        context.save_for_backward(states, weight)
        context.has_bias = bias is not None
        return _product(states, weight, bias)

    @staticmethod
    def backward(context: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        states, weight = context.saved_tensors
        of_states = of_weight = of_bias = None
        if context.needs_input_grad[0]:
            of_states = _product(gradient, weight.T, None)
        rows = gradient.reshape(-1, gradient.shape[-1])
        if context.needs_input_grad[1]:
            of_weight = _product(rows.T, states.reshape(-1, states.shape[-1]).T, None)
        if context.has_bias and context.needs_input_grad[2]:
            of_bias = rows.sum(0)
        return of_states, of_weight, of_bias


def _product(states: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
    product: Tensor = torch.ops.mkldnn._linear_pointwise(states, weight, bias, "none", [], "")
    return product


def _after_last_attention(model: Any) -> nn.Module | None:
    """Return what follows attention in the last layer of BERT, RoBERTa, XLM-R and their like."""
    layers = getattr(getattr(model, "encoder", None), "layer", None)
    output = getattr(getattr(layers[-1], "attention", None), "output", None) if layers else None
    return output if isinstance(output, nn.Module) else None


def _first_token(_: nn.Module, states: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return tuple(state[:, :1] for state in states)


def _register() -> None:
    from transformers import AttentionInterface, AttentionMaskInterface
    from transformers.masking_utils import eager_mask

    AttentionInterface.register(ATTENTION, attend)
    AttentionMaskInterface.register(ATTENTION, eager_mask)


@functools.cache
def _is_product_trusted() -> bool:
    return is_onednn_trusted(torch.float32)


def _is_worth_it(module: nn.Module) -> bool:
    return not isinstance(module, nn.Linear) or _is_product_trusted()


_CHEAPER: dict[type[nn.Module], type[nn.Module]] = {
    nn.Dropout: CheaperDropout,
    nn.Linear: OneDnnLinear,
}
