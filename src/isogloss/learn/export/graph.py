"""An ONNX graph and the tokenizer beside it: written by torch, run by onnxruntime.

``tokenizer.json`` cuts at the maximum length and pads, so that `tokenizers` and `onnxruntime` are
all that the user of a graph needs.
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.arrays import Floats2d
from isogloss.compat import require
from isogloss.encode import Encoder
from isogloss.encode.model import Network
from isogloss.errors import InputError

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
EXTRA, WHY = "onnx", "the export to ONNX"
OPSET = 18
N_AT_ONCE = 10
LARGEST_FILE = 1_900_000_000  # bytes; protobuf ends at 2 GiB, beyond it weights lie beside
INPUTS = ("input_ids", "attention_mask")

Arrays = Mapping[str, np.ndarray[Any, Any]]


class Sentences(nn.Module):
    """Tokens to vectors, by the encoder's own pooling and normalisation.

    Parameters
    ----------
    network
        In float32 on a processor, as `load_network` gives it.
    """

    def __init__(self, network: Network, encoder: Encoder) -> None:
        super().__init__()
        self.model = network.model
        self.dense = nn.ModuleList(network.dense)
        self._network, self._settings = network, encoder.settings

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> Tensor:
        """Return vectors, (n_texts, width)."""
        output = self.model(input_ids=input_ids, attention_mask=attention_mask)
        network, settings = self._network, self._settings
        pooled = network.pool_layer(
            output, attention_mask, layer=network.n_layers, pooling=settings.pooling.value
        )
        return functional.normalize(pooled, dim=-1) if settings.normalize.value else pooled


def refuse_without_onnx() -> None:
    """Raise `InputError` when a package of the extra is not installed."""
    for module in ("onnx", "onnxscript", "onnxruntime"):
        require(module, extra=EXTRA, why=WHY)


def write_graph(
    module: nn.Module,
    folder: Path,
    *,
    max_length: int,
    output: str,
    more: Mapping[str, tuple[Tensor, dict[int, str]]] | None = None,
) -> None:
    """Write a module that takes padded tokens as a graph of free batch and length.

    Parameters
    ----------
    module
        Takes `INPUTS`, int64 (n_texts, length), and what `more` names, in this order.
    max_length
        Most tokens of a text.
    output
        Name of what the graph gives.
    more
        Further inputs: an example for two texts, and the names of its free axes but the first,
        which is that of the texts.

    Raises
    ------
    InputError
        When a package of the extra is not installed, or torch cannot trace the module.
    """
    refuse_without_onnx()
    n_bytes = sum(one.numel() * one.element_size() for one in module.parameters())
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=max_length)
    example = torch.ones((2, min(8, max_length)), dtype=torch.int64)
    mask = example.clone()
    mask[1, 5:] = 0  # where nothing is masked, a model may leave out the mask
    shapes: dict[str, dict[int, Any]] = {key: {0: batch, 1: length} for key in INPUTS}
    named: dict[str, Any] = {}
    examples = [example, mask]
    for name, (one, axes) in (more or {}).items():
        free = {at: named.setdefault(axis, torch.export.Dim(axis)) for at, axis in axes.items()}
        shapes[name] = {0: batch} | free
        examples.append(one)
    with _silence(), torch.no_grad():
        try:
            torch.onnx.export(
                module.eval(), tuple(examples), folder / GRAPH, input_names=list(shapes),
                output_names=[output], opset_version=OPSET, dynamo=True, verbose=False,
                dynamic_shapes=shapes, external_data=n_bytes > LARGEST_FILE,
            )  # fmt: skip
        except torch.onnx.OnnxExporterError as error:
            reason = str(error).strip().partition("\n")[0][:200]
            raise InputError(f"torch cannot write its model as ONNX ({reason})") from error


def run_graph(
    folder: Path, texts: Sequence[str], *, prefix: str, more: Sequence[Arrays] | None = None
) -> Floats2d:
    """Return what a graph gives for texts, by tokenizers and onnxruntime alone.

    Parameters
    ----------
    prefix
        Put before each text.
    more
        Further inputs, of `N_AT_ONCE` texts each.
    """
    from tokenizers import Tokenizer

    runtime = require("onnxruntime", extra=EXTRA, why=WHY)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(
        str(folder / GRAPH), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    found = []
    for number, start in enumerate(range(0, len(texts), N_AT_ONCE)):
        some = tokenizer.encode_batch([prefix + text for text in texts[start : start + N_AT_ONCE]])
        given = {
            "input_ids": np.array([one.ids for one in some], np.int64),
            "attention_mask": np.array([one.attention_mask for one in some], np.int64),
        }
        found.append(session.run(None, given | dict(more[number] if more else {}))[0])
    results: Floats2d = np.concatenate(found)
    return results


def write_tokenizer(encoder: Encoder, network: Network, folder: Path) -> None:
    """Write the tokenizer with its maximum length and padding set."""
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_str(encoder.tokenizer.backend.to_str())
    tokenizer.enable_truncation(encoder.settings.max_length.value)
    name = tokenizer.id_to_token(network.pad_id)
    tokenizer.enable_padding(pad_id=network.pad_id, pad_token=name or "[PAD]")
    tokenizer.save(str(folder / TOKENIZER))


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """Keep the exporter's progress and the warnings of its libraries off the terminal."""
    loggers = [logging.getLogger(name) for name in ("torch.onnx", "onnxscript", "onnx_ir")]
    before = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
            warnings.simplefilter("ignore")
            yield
    finally:
        for logger, level in zip(loggers, before, strict=True):
            logger.setLevel(level)
