"""The network: a transformer from safetensors, its Dense modules, and pooling.

`loading` builds it; `forward` calls `Network.pool` with a padded batch of ids and gets vectors.
Everything that uses torch in this package is here.
"""

import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isogloss.arrays import Floats3d
from isogloss.cores import check_threads
from isogloss.encode.batches import PaddedBatch
from isogloss.encode.dense import load_dense
from isogloss.encode.foreign import (
    CONFIG,
    REPAIR,
    library_faults,
    read_file,
    refuse_code,
)
from isogloss.encode.plan import Plan
from isogloss.encode.settings import Chain, Pooling
from isogloss.encode.weights.files import (
    INT8_FILE,
    refuse_too_large,
    refuse_too_many_parts,
    shapes_in,
)
from isogloss.encode.weights.int8 import read_int8
from isogloss.errors import InputError, InputKindError, did_you_mean

if TYPE_CHECKING:
    import torch

    from isogloss.encode.layer_states import LayeredModel

DTYPES = ("float32", "bfloat16", "float16")


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
        self._layered: LayeredModel | None = None

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
        found = self.model.config.pad_token_id
        return int(found) if found is not None and 0 <= found < self.n_rows else 0

    def pool(self, batch: PaddedBatch, plan: Plan) -> Floats3d:
        """Return the vectors of a batch before normalisation; see `forward.Pools`."""
        import torch

        with torch.inference_mode():
            is_last = all(layer == self.n_layers for layer in plan.layers)
            output = self._run(batch, None if is_last else plan.layers)
            mask = torch.from_numpy(batch.mask).to(self.device)
            own = None if batch.own is None else torch.from_numpy(batch.own).to(self.device)
            vectors = [
                self.pool_layer(output, mask, layer=layer, pooling=plan.pooling)
                if own is None else mean_over(self._states(output, layer), own)
                for layer in plan.layers
            ]  # fmt: skip
            return torch.stack(vectors).cpu().numpy()

    def hidden_states(
        self, batch: PaddedBatch, layers: Sequence[int] | None = None
    ) -> "tuple[torch.Tensor, ...]":
        """Return the states of layers, each (n_texts, longest, hidden_size).

        They stay on the device, in the model's own precision.

        Parameters
        ----------
        layers
            From 0, the embeddings; None: all, n_layers + 1. What lies above them is not computed.
        """
        chosen = range(self.n_layers + 1) if layers is None else layers
        states = self._run(batch, chosen).hidden_states
        return tuple(states[layer] for layer in chosen)

    def _run(self, batch: PaddedBatch, layers: Sequence[int] | None) -> Any:
        """Return the output for a batch, with the states of `layers`; None: as the model gives."""
        import torch

        from isogloss.encode.layer_states import LayeredModel

        given = {"input_ids": batch.ids, "attention_mask": batch.mask}
        inputs = {name: torch.from_numpy(one).to(self.device) for name, one in given.items()}
        with torch.inference_mode(), self._faults():
            if layers is None:
                return self.model(**inputs)
            if self._layered is None or self._layered.model is not self.model:  # tuning changes it
                self._layered = LayeredModel(self.model, n_layers=self.n_layers, like=inputs)
            return self._layered(inputs, layers)

    def pool_layer(
        self, output: Any, mask: "torch.Tensor", *, layer: int, pooling: Pooling
    ) -> "torch.Tensor":
        """Return the vectors of a layer from the model's output: (n_texts, width), float32."""
        is_last = layer == self.n_layers
        if pooling == "pooler":
            pooled = output.pooler_output.float()
        else:
            hidden = self._states(output, layer)
            pooled = hidden[:, 0].float() if pooling == "cls" else mean_over(hidden, mask)
        for module in self.dense if is_last else ():
            pooled = module(pooled)
        return pooled

    def _states(self, output: Any, layer: int) -> "torch.Tensor":
        """Return the states of a layer: (n_texts, longest, width)."""
        is_last = layer == self.n_layers
        states: torch.Tensor = output.last_hidden_state if is_last else output.hidden_states[layer]
        return states

    def _faults(self) -> library_faults:
        """Say in one sentence where the model's files and its code do not go together."""
        return library_faults(
            Path(self.model.config._name_or_path), f"its model cannot be run; {REPAIR}"
        )


def mean_over(states: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
    """Return the mean state of each text's tokens, zeros without one: float32 (n_texts, width).

    Parameters
    ----------
    states
        (n_texts, longest, width).
    mask
        1 for each token that counts, else 0; (n_texts, longest).
    """
    weights = mask.float()
    weights = weights / weights.sum(1, keepdim=True).clamp(min=1)
    return (weights[:, None, :] @ states.float()).squeeze(1)


def load_network(chain: Chain, *, device: str, dtype: str) -> Network:
    """Load transformer and Dense modules from safetensors.

    Raises
    ------
    InputError
        For a missing file, a model transformers cannot load, or weights that do not fit it.
    """
    import torch

    folder = chain.transformer
    config = load_config(folder, encoder_half=True)
    refuse_too_large(config, shapes_in(folder), path=folder / CONFIG)
    with (
        quiet_transformers(),
        torch.random.fork_rng(devices=[]),
        library_faults(folder, "transformers cannot load it"),
    ):
        model, info = _loaded(folder, config)
    has_pooler = _check_fit(model, info, folder)
    if not has_pooler and hasattr(model, "pooler"):
        model.pooler = None
    if model.config.is_encoder_decoder:
        model = model.get_encoder()
    model = model.to(device=device, dtype=getattr(torch, dtype)).eval()
    dense = [load_dense(one).to(device).eval() for one in chain.dense]
    network = Network(model, dense=dense, has_pooler=has_pooler, device=device)
    with library_faults(folder, "is no encoder of texts"):
        _ = network.n_rows, network.n_layers, network.hidden_size
    return network


def load_config(directory: Path, *, encoder_half: bool = False) -> Any:
    """Return the transformer's configuration.

    Parameters
    ----------
    encoder_half
        Take an encoder-decoder too, for its encoder.

    Raises
    ------
    InputError
        When it is missing, unknown, needs code of its own, asks for more than the weights hold, or
        is that of an encoder-decoder without `encoder_half`.
    """
    refuse_code(directory)
    file = directory / CONFIG
    refuse_too_many_parts(read_file(file, dict[str, Any]), shapes_in(directory), path=file)
    from transformers import AutoConfig

    said = "transformers cannot read its config.json"
    with quiet_transformers(), library_faults(directory, said):
        config = AutoConfig.from_pretrained(
            str(directory), local_files_only=True, trust_remote_code=False
        )
    if config.is_encoder_decoder and not encoder_half:
        raise InputError("is an encoder-decoder; choose an encoder", path=directory)
    return config


def _loaded(folder: Path, config: Any) -> tuple[Any, dict[str, Any]]:
    """Return the model of a folder, and which tensors it lacks or does not know."""
    from transformers import AutoModel

    if (folder / INT8_FILE).is_file():
        model = AutoModel.from_config(config, trust_remote_code=False).float()
        found = model.load_state_dict(read_int8(folder), strict=False)
        model.config._name_or_path = str(folder)  # as `from_pretrained` has it
        return model, {
            "missing_keys": found.missing_keys, "unexpected_keys": found.unexpected_keys
        }  # fmt: skip
    loaded: tuple[Any, dict[str, Any]] = AutoModel.from_pretrained(
        str(folder), config=config, local_files_only=True, trust_remote_code=False,
        use_safetensors=True, output_loading_info=True,
    )  # fmt: skip
    return loaded


def _check_fit(model: Any, info: dict[str, Any], folder: Path) -> bool:
    """Refuse weights that lack what the model has, or hold more; return whether a pooler is there.

    Tensors beside the model's own modules are those of a head, for another task.
    """
    missing = sorted(info["missing_keys"])
    without_pooler = [key for key in missing if not key.startswith("pooler.")]
    if without_pooler:
        raise InputError(
            f"the weights lack {len(without_pooler)} tensors of the model, "
            f"'{without_pooler[0]}' among them",
            path=folder,
        )
    modules = {name for name, _ in model.named_children()} - {"pooler"}
    prefix = f"{model.base_model_prefix}."
    more = sorted(
        key for key in info["unexpected_keys"]
        if key.removeprefix(prefix).partition(".")[0] in modules
    )  # fmt: skip
    if more:
        raise InputError(
            f"the weights hold {len(more)} tensors, '{more[0]}' among them, that the "
            f"{model.config.model_type} of transformers with its config.json has not, so its "
            "vectors would be others; choose another encoder",
            path=folder,
        )
    return getattr(model, "pooler", None) is not None and not missing


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
def quiet_transformers() -> Iterator[None]:
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
