"""Encoders whose weights were tuned with a classifier: made, written and read.

`tune="full"` is written as an encoder directory of its own, which any tool for the base model
reads; `tune="lora"` as the adapter that peft made, beside which the base model is needed.
"""

import hashlib
import shutil
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import torch
from msgspec import Struct
from safetensors.torch import load_file, save_file
from torch import Tensor
from torch.nn import functional

from isogloss.compat import require
from isogloss.encode import Encoder
from isogloss.encode.foreign import REPAIR, Size, library_faults, read_file
from isogloss.encode.model import Network, load_network
from isogloss.encode.settings import GIVEN, Pooling, Setting
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.encode.weights.packed import pack
from isogloss.errors import InputError, NotFiniteError
from isogloss.learn.tuning_options import WINDOWS_ARE_FOR_FROZEN, TuningOptions
from isogloss.storage.files import write_json

SUFFIXES = (".json", ".txt", ".model")  # of the files of an encoder that are not weights
ADAPTER, ADAPTER_CONFIG = "adapter_model.safetensors", "adapter_config.json"
NOT_COPIED = (  # they speak of the old weights
    "isogloss.json", "manifest.json", "model.safetensors.index.json",
)  # fmt: skip


class AdapterConfig(Struct):
    """Fields of ``adapter_config.json`` that the adapter is made anew with; others never vary.

    peft's own reader would import the module that ``megatron_core`` names, among others.
    """

    peft_type: Literal["LORA"]
    r: Size
    lora_alpha: Size
    target_modules: list[str]


class TunedEncoder(Encoder):
    """An encoder with the settings of another and weights of its own.

    Parameters
    ----------
    base
        The encoder that was tuned, with the settings that it was tuned under.
    network
        The tuned network.
    weights
        What tuning made: all weights of the transformer and its Dense modules, or those of an
        adapter.
    adapter
        Configuration of the adapter; None: `weights` are all.
    """

    def __init__(
        self,
        base: Encoder,
        network: Network,
        weights: Mapping[str, Tensor],
        adapter: Mapping[str, Any] | None,
    ) -> None:
        super().__init__(
            base.name, chain=base._chain, network=network, tokenizer=base.tokenizer,
            settings=base.settings, dtype=base.dtype, threads=base.threads,
        )  # fmt: skip
        self.weights, self.adapter = weights, adapter
        self._of_base = base.fingerprint

    @cached_property
    def _untransformed_fingerprint(self) -> str:
        digest = hashlib.sha256(self._of_base.encode())
        for name in sorted(self.weights):
            digest.update(name.encode())
            digest.update(self.weights[name].contiguous().view(torch.uint8).numpy().tobytes())
        return digest.hexdigest()

    def write(self, folder: Path) -> None:
        """Write the tuned weights into an empty folder; see the module's docstring."""
        tensors = {name: value.contiguous() for name, value in self.weights.items()}
        if self.adapter is not None:
            save_file(tensors, folder / ADAPTER, metadata={"format": "pt"})
            write_json(folder / ADAPTER_CONFIG, dict(self.adapter))
            return
        root = self._chain.root
        for file in sorted(root.rglob("*")):
            place = file.relative_to(root)
            if file.suffix not in SUFFIXES or file.name in NOT_COPIED or len(place.parts) > 2:
                continue
            (folder / place).parent.mkdir(exist_ok=True)
            shutil.copyfile(file, folder / place)
        for number, of_module in enumerate([self._chain.transformer, *self._chain.dense]):
            prefix = f"{number} "
            part = {
                name.removeprefix(prefix): value
                for name, value in tensors.items()
                if name.startswith(prefix)
            }
            place = folder / of_module.relative_to(root)
            place.mkdir(exist_ok=True)
            save_file(part, place / "model.safetensors", metadata={"format": "pt"})


def check_untuned(encoder: Encoder) -> None:
    """Refuse to fit on what tuning made of an encoder while no directory holds it.

    Training reads weights anew, and a saved model names its encoder: both would get the base's.

    Raises
    ------
    InputError
        For a `TunedEncoder`.
    """
    if not isinstance(encoder, TunedEncoder):
        return
    how = "save that classifier and give the folder 'encoder' inside the saved model"
    if encoder.adapter is not None:
        how = f"fit on {encoder.name}, or tune it with tune='full', which saves a whole encoder"
    raise InputError(
        f"the encoder is {encoder.name} as a classifier tuned it and has no directory of its own; "
        f"{how}"
    )


def with_settings(
    base: Encoder, *, pooling: Pooling, normalize: bool, max_length: int | None
) -> Encoder:
    """Return the encoder under other settings; the network is shared.

    Raises
    ------
    InputError
        When the encoder cannot be tuned, was told to read long texts in windows, or `max_length` is
        more than it takes or leaves no room for a token.
    """
    check_untuned(base)
    if not isinstance(base.network, Network):
        raise InputError(f"{base.name} is a table of word vectors, which tune='head' alone fits")
    if base.transform is not None:
        raise InputError(
            f"{base.name} has a transform fitted to it as it is; tune it with_transform(None), or "
            "use tune='head'"
        )
    long_texts = base.settings.long_texts
    if long_texts.value == "windows" and long_texts.source == GIVEN:
        raise InputError(WINDOWS_ARE_FOR_FROZEN)
    longest = base.settings.max_length.value
    if max_length is not None and max_length > longest:
        raise InputError(f"max_length is {max_length}; {base.name} takes {longest} at most")
    changed: dict[str, Any] = {
        "pooling": pooling, "normalize": normalize, "max_length": max_length or longest,
        "long_texts": "cut",
    }  # fmt: skip
    settings = replace(
        base.settings,
        **{
            name: Setting[Any](value, "max_length of tuning" if name == "max_length" else "tuning")
            for name, value in changed.items()
            if value != getattr(base.settings, name).value
        },
    )
    tokenizer = TextTokenizer(
        base.tokenizer.backend,
        prefix=base.tokenizer.prefix,
        max_length=max_length or longest,
        is_parallel=base.tokenizer.is_parallel,
    )
    return base._with(settings=settings, tokenizer=tokenizer)


def trainable_network(base: Encoder, device: str) -> Network:
    """Load the encoder's network anew, in float32, to be trained; see `check_untuned`."""
    check_untuned(base)
    network = load_network(base._chain, device=device, dtype="float32")
    network.model.requires_grad_(True)
    for module in network.dense:
        module.requires_grad_(True)
    return network


def vectors_in_training(
    network: Network, model: Any, ids: Tensor, mask: Tensor, *, pooling: Pooling, normalize: bool
) -> Tensor:
    """Return the vectors of a padded batch, with gradients: float32 (n_texts, width).

    Parameters
    ----------
    model
        The network's transformer, or what peft made of it.
    """
    output = model(input_ids=ids, attention_mask=mask)
    with torch.autocast(ids.device.type, enabled=False):
        pooled = network.pool_layer(output, mask, layer=network.n_layers, pooling=pooling)
        return functional.normalize(pooled, dim=-1) if normalize else pooled


def add_adapter(network: Network, *, rank: int, seed: int) -> Any:
    """Freeze a network and give each linear map a low-rank one beside it (LoRA, Hu et al. 2022).

    Returns
    -------
    peft's model; its base is the network's, changed in place.

    Raises
    ------
    InputError
        When peft is not installed.
    """
    peft = require("peft", extra="tune", why="tune='lora'")
    for module in network.dense:
        module.requires_grad_(False)
    config = peft.LoraConfig(
        r=rank, lora_alpha=2 * rank, target_modules="all-linear", lora_dropout=0.0, bias="none"
    )
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # between peft and transformers
        torch.manual_seed(seed)
        return peft.get_peft_model(network.model, config)


@contextmanager
def divergence_in_one_sentence(options: TuningOptions) -> Iterator[None]:
    """Say of vectors of a tuned encoder that are not finite that the rate is at fault.

    Raises
    ------
    InputError
        Where the block raises `NotFiniteError`.
    """
    try:
        yield
    except NotFiniteError as error:
        raise InputError(
            f"tuning with learning_rate {options.learning_rate:g} left an encoder whose vectors "
            "are not finite; give a smaller learning rate, or precision float32"
        ) from error


def finished_full(base: Encoder, network: Network) -> TunedEncoder:
    """Return the encoder of a network that was trained as a whole."""
    dtype = getattr(torch, base.dtype)
    network.model.to(dtype).eval()
    weights = {}
    for number, module in enumerate([network.model, *network.dense]):
        part = module if number == 0 else module[0]  # of a Dense module the linear map
        for name, value in part.state_dict().items():
            name = name if number == 0 else f"linear.{name}"
            weights[f"{number} {name}"] = value.detach().to("cpu")
    pack(network.model, device=network.device, dtype=base.dtype)
    return TunedEncoder(base, network, weights, None)


def finished_adapter(base: Encoder, network: Network, model: Any) -> TunedEncoder:
    """Return the encoder of a network with an adapter, merged into it."""
    peft = require("peft", extra="tune", why="tune='lora'")
    state = peft.get_peft_model_state_dict(model)
    weights = {name: value.detach().to("cpu", copy=True) for name, value in state.items()}
    config = model.peft_config["default"].to_dict()
    record = {
        name: sorted(value) if isinstance(value, set) else value
        for name, value in config.items()
        if _is_plain(value)
    }
    record |= {"base_model_name_or_path": None, "inference_mode": True}
    return _merged(base, network, model, weights, record)


def read_adapter(base: Encoder, folder: Path) -> TunedEncoder:
    """Read an adapter that `TunedEncoder.write` wrote, and merge it into its base.

    Raises
    ------
    InputError
        When it is missing or damaged, or peft is not installed.
    """
    peft = require("peft", extra="tune", why="a model that was tuned with 'lora'")
    facts = read_file(folder / ADAPTER_CONFIG, AdapterConfig)
    tensors = _adapter_tensors(folder / ADAPTER, rank=facts.r)
    network = load_network(base._chain, device=base.device, dtype="float32")
    with warnings.catch_warnings(), library_faults(folder, "peft cannot read the adapter"):
        warnings.simplefilter("ignore", FutureWarning)  # between peft and transformers
        config = peft.LoraConfig(
            r=facts.r, lora_alpha=facts.lora_alpha, target_modules=facts.target_modules,
            lora_dropout=0.0, bias="none", inference_mode=True,
        )  # fmt: skip
        model = peft.get_peft_model(network.model, config)
        loaded = peft.set_peft_model_state_dict(model, tensors)
        lacking = [name for name in loaded.missing_keys if ".lora_" in name]
        for name in (*lacking, *loaded.unexpected_keys):
            raise ValueError(f"its tensors are not those of its model, as {name} shows")
    return finished_adapter(base, network, model)


def _adapter_tensors(path: Path, *, rank: int) -> dict[str, Tensor]:
    """Return the tensors of an adapter; one of another rank is refused before any is made."""
    with library_faults(path, "not a safetensors file that can be read"):
        tensors = load_file(path)
    for name, tensor in tensors.items():
        if ".lora_A." in name and tensor.shape[:1] != (rank,):
            raise InputError(
                f"its tensor {name} has the shape {tuple(tensor.shape)}, and its rank is {rank}; "
                f"{REPAIR}",
                path=path,
            )
    return tensors


def _merged(
    base: Encoder,
    network: Network,
    model: Any,
    weights: Mapping[str, Tensor],
    record: Mapping[str, Any],
) -> TunedEncoder:
    merged = model.merge_and_unload().requires_grad_(False)
    network.model = merged.to(getattr(torch, base.dtype)).eval()
    pack(network.model, device=network.device, dtype=base.dtype)
    return TunedEncoder(base, network, weights, record)


def _is_plain(value: Any) -> bool:
    if isinstance(value, list | tuple | set):
        return all(_is_plain(one) for one in value)
    if isinstance(value, dict):
        return all(_is_plain(one) for one in value.values())
    return value is None or isinstance(value, str | int | float | bool)
