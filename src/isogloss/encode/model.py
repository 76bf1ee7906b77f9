"""The network: a transformer from safetensors, the Dense modules behind it, and pooling.

Everything torch is here and in nothing else of this package. `Network.pool` turns one padded
batch into vectors; what goes into a batch, and where the vectors go, is decided elsewhere.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.arrays import Floats3d
from isogloss.cores import check_threads
from isogloss.encode.batches import PaddedBatch
from isogloss.encode.plan import Plan
from isogloss.encode.settings import Chain, Pooling
from isogloss.encode.source import check_weights
from isogloss.errors import InputError, InputKindError, did_you_mean
from isogloss.files import read_json

if TYPE_CHECKING:
    import torch

DTYPES = ("float32", "bfloat16", "float16")
ACTIVATIONS = ("Identity", "Tanh", "ReLU", "GELU", "Sigmoid", "SiLU")


class Network:
    """A transformer on a device, and what follows it.

    Attributes
    ----------
    model
        The transformers model, in evaluation mode.
    dense
        Dense modules in float32, applied to the pooled vectors of the last layer.
    has_pooler
        Whether the weights hold a pooler.
    """

    def __init__(
        self, model: Any, *, dense: "Sequence[torch.nn.Module]", has_pooler: bool, device: str
    ) -> None:
        self.model = model
        self.dense = dense
        self.has_pooler = has_pooler
        self.device = device

    @property
    def n_layers(self) -> int:
        """Transformer layers; hidden states are one more."""
        return int(self.model.config.num_hidden_layers)

    @property
    def hidden_size(self) -> int:
        """Dimension of hidden states."""
        return int(self.model.config.hidden_size)

    @property
    def width(self) -> int:
        """Dimension of the vectors of the last layer, after any Dense module."""
        if self.dense:
            return int(self.dense[-1][0].out_features)  # type: ignore[index]
        return self.hidden_size

    @property
    def n_rows(self) -> int:
        """Height of the word embedding: how many ids there may be."""
        return int(self.model.get_input_embeddings().weight.shape[0])

    @property
    def pad_id(self) -> int:
        """Id that fills batches; masked, so any would do where the model names none."""
        return int(self.model.config.pad_token_id or 0)

    def pool(self, batch: PaddedBatch, plan: Plan) -> Floats3d:
        """Return the vectors of a batch: (n_layers_asked, n_texts, width), float32."""
        import torch

        with torch.inference_mode():
            mask = torch.from_numpy(batch.mask).to(self.device)
            output = self.model(
                input_ids=torch.from_numpy(batch.ids).to(self.device),
                attention_mask=mask,
                output_hidden_states=any(layer != self.n_layers for layer in plan.layers),
            )
            vectors = torch.stack(
                [
                    self.pool_layer(output, mask, layer=layer, pooling=plan.pooling)
                    for layer in plan.layers
                ]
            )
            if plan.normalize:
                vectors = torch.nn.functional.normalize(vectors, dim=-1)
            return vectors.cpu().numpy()

    def hidden_states(self, batch: PaddedBatch) -> "tuple[torch.Tensor, ...]":
        """Return the states of all layers, n_layers + 1 times (n_texts, longest, hidden_size).

        They stay on the device, in the model's own precision; the embeddings come first.
        """
        import torch

        with torch.inference_mode():
            output = self.model(
                input_ids=torch.from_numpy(batch.ids).to(self.device),
                attention_mask=torch.from_numpy(batch.mask).to(self.device),
                output_hidden_states=True,
            )
            return tuple(output.hidden_states)

    def pool_layer(
        self, output: Any, mask: "torch.Tensor", *, layer: int, pooling: Pooling
    ) -> "torch.Tensor":
        """Return the vectors of a layer from the model's output: (n_texts, width), float32."""
        is_last = layer == self.n_layers
        if pooling == "pooler":
            pooled = output.pooler_output.float()
        else:
            # (n_texts, longest, width)
            hidden = output.last_hidden_state if is_last else output.hidden_states[layer]
            if pooling == "cls":
                pooled = hidden[:, 0].float()
            else:
                weights = mask.float()
                weights = weights / weights.sum(1, keepdim=True)
                pooled = (weights[:, None, :] @ hidden.float()).squeeze(1)
        for module in self.dense if is_last else ():
            pooled = module(pooled)
        return pooled


def load_network(chain: Chain, *, device: str, dtype: str) -> Network:
    """Load transformer and Dense modules from safetensors.

    Raises
    ------
    InputError
        For a missing file, a model transformers cannot load, or weights that do not fit it.
    """
    import torch
    from safetensors import SafetensorError
    from transformers import AutoModel

    check_weights(chain.transformer)
    with _quiet_transformers(), torch.random.fork_rng(devices=[]):
        try:
            model, info = AutoModel.from_pretrained(
                str(chain.transformer),
                local_files_only=True,
                use_safetensors=True,
                output_loading_info=True,
            )
        except (OSError, ValueError, ImportError, RuntimeError, SafetensorError) as error:
            reason = " ".join(str(error).split())[:200]
            raise InputError(
                f"transformers cannot load it ({reason})", path=chain.transformer
            ) from error
    missing = sorted(info["missing_keys"])
    without_pooler = [key for key in missing if not key.startswith("pooler.")]
    if without_pooler:
        raise InputError(
            f"the weights lack {len(without_pooler)} tensors of the model, "
            f"'{without_pooler[0]}' among them",
            path=chain.transformer,
        )
    has_pooler = getattr(model, "pooler", None) is not None and not missing
    if not has_pooler and hasattr(model, "pooler"):
        model.pooler = None
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    model = model.to(device=device, dtype=getattr(torch, dtype)).eval()
    dense = [load_dense(folder).to(device).eval() for folder in chain.dense]
    return Network(model, dense=dense, has_pooler=has_pooler, device=device)


def load_config(directory: Path, *, encoder_half: bool = False) -> Any:
    """Return the transformer's configuration.

    Parameters
    ----------
    encoder_half
        Take an encoder-decoder too, for its encoder.

    Raises
    ------
    InputError
        When it is missing, unknown, or that of an encoder-decoder without `encoder_half`.
    """
    from transformers import AutoConfig

    if not (directory / "config.json").is_file():
        raise InputError("not an encoder: it has no config.json", path=directory)
    try:
        config = AutoConfig.from_pretrained(str(directory), local_files_only=True)
    except (OSError, ValueError, KeyError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(
            f"transformers cannot read its config.json ({reason})", path=directory
        ) from error
    if config.is_encoder_decoder and not encoder_half:
        raise InputError("is an encoder-decoder; choose an encoder", path=directory)
    return config


def load_dense(folder: Path) -> "torch.nn.Module":
    """Load a Dense module of sentence-transformers: a linear map and its activation.

    Raises
    ------
    InputError
        For pickled weights, an unknown activation, or an option that cannot be applied.
    """
    import torch
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    config = read_json(folder / "config.json", what="a Dense module")
    check_weights(folder)
    activation = str(config.get("activation_function", "torch.nn.Tanh")).rpartition(".")[2]
    if activation not in ACTIVATIONS:
        raise InputError(
            f"the activation '{activation}' cannot be applied; "
            f"{did_you_mean(activation, ACTIVATIONS)}",
            path=folder / "config.json",
        )
    reads, writes = config.get("module_input_name"), config.get("module_output_name")
    if config.get("use_residual") or {reads, writes} - {None, "sentence_embedding"}:
        raise InputError(
            "a Dense module with a residual, or one that reads or writes other than sentence "
            "embeddings, cannot be applied",
            path=folder / "config.json",
        )
    try:
        linear = torch.nn.Linear(
            config["in_features"], config["out_features"], bias=bool(config.get("bias", True))
        )
        state = load_file(folder / "model.safetensors")
        linear.load_state_dict({key.removeprefix("linear."): value for key, value in state.items()})
    except (OSError, KeyError, RuntimeError, SafetensorError) as error:
        reason = " ".join(str(error).split())[:200]
        raise InputError(f"not a Dense module that can be read ({reason})", path=folder) from error
    return torch.nn.Sequential(linear, getattr(torch.nn, activation)())


def choose_device(device: str) -> str:
    """Return the device to use; ``auto`` takes CUDA, then MPS, then the processor.

    Raises
    ------
    InputError
        When the device is unknown or not there.
    """
    import torch

    if not isinstance(device, str):
        raise InputKindError(f"device is {device!r:.40}; give 'auto', 'cpu' or 'cuda'")
    there = {
        "cuda": torch.cuda.is_available(),
        "mps": torch.backends.mps.is_available(),
        "cpu": True,
    }
    if device == "auto":
        return next(name for name, is_there in there.items() if is_there)
    kind = device.partition(":")[0]
    if kind not in there:
        raise InputError(f"no device '{device}'; {did_you_mean(device, ['auto', *there])}")
    if not there[kind]:
        raise InputError(f"the device '{device}' is not there; use --device cpu or auto")
    return device


def check_dtype(dtype: str, *, device: str) -> str:
    """Return `dtype` when it can be used on `device`.

    Raises
    ------
    InputError
        For an unknown one, and for float16 on a processor.
    """
    if dtype not in DTYPES:
        raise InputError(f"no dtype '{dtype}'; {did_you_mean(dtype, DTYPES)}")
    if dtype == "float16" and device == "cpu":
        raise InputError("float16 is not for a processor; use bfloat16 or float32")
    return dtype


@contextlib.contextmanager
def capped_threads(threads: int | None) -> Iterator[None]:
    """Let torch use at most `threads` cores inside the block; None leaves torch's own number."""
    if threads is None:
        yield
        return
    import torch

    check_threads(threads)
    before = torch.get_num_threads()
    torch.set_num_threads(threads)
    try:
        yield
    finally:
        torch.set_num_threads(before)


@contextlib.contextmanager
def _quiet_transformers() -> Iterator[None]:
    """Keep transformers' loading report and bar off the terminal; we check what it reports."""
    from transformers.utils import logging

    before, had_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if had_bar:
            logging.enable_progress_bar()
