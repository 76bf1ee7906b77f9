"""An encoder as one ONNX graph: tokens in, vectors out; pooling and unit length are inside.

Beside ``model.onnx`` lies ``tokenizer.json``, which cuts at the maximum length and pads, so that
`tokenizers` and `onnxruntime` are all that its user needs. The graph is run by onnxruntime on 100
texts in ten scripts and compared with the encoder before it appears.
"""

import contextlib
import io
import logging
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from isogloss.align.export.samples import texts_in_ten_scripts
from isogloss.arrays import Doubles1d, Floats2d
from isogloss.compat import require
from isogloss.encode import Encoder
from isogloss.encode.model import Network
from isogloss.errors import InputError

GRAPH, TOKENIZER = "model.onnx", "tokenizer.json"
EXTRA, WHY = "onnx", "the export to ONNX"
OPSET = 18
PARITY = 1e-4  # largest difference of a number in unit vectors
N_AT_ONCE = 10
LARGEST_FILE = 1_900_000_000  # bytes; protobuf ends at 2 GiB, beyond it weights lie beside
INPUTS, OUTPUT = ("input_ids", "attention_mask"), "sentence_embedding"


class _Sentences(nn.Module):
    """Tokens to vectors, by the encoder's own pooling."""

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


def write_onnx(encoder: Encoder, network: Network, folder: Path) -> float:
    """Write graph and tokenizer into an empty folder; return the largest difference of vectors.

    Parameters
    ----------
    network
        The encoder's, in float32 on a processor, as `load_network` gives it.

    Raises
    ------
    InputError
        When a package of the extra is not installed, torch cannot trace the model, or the vectors
        of the graph differ by more than `PARITY`.
    """
    refuse_without_onnx()
    module = _Sentences(network, encoder).eval()
    n_bytes = sum(one.numel() * one.element_size() for one in module.parameters())
    length = torch.export.Dim("length", max=encoder.settings.max_length.value)
    shapes = {0: torch.export.Dim("batch"), 1: length}
    example = torch.ones((2, 8), dtype=torch.int64)
    mask = example.clone()
    mask[1, 5:] = 0  # where nothing is masked, a model may leave out the mask
    with _silence(), torch.no_grad():
        try:
            torch.onnx.export(
                module, (example, mask), folder / GRAPH, input_names=list(INPUTS),
                output_names=[OUTPUT], opset_version=OPSET, dynamo=True, verbose=False,
                dynamic_shapes=dict.fromkeys(INPUTS, shapes),
                external_data=n_bytes > LARGEST_FILE,
            )  # fmt: skip
        except torch.onnx.OnnxExporterError as error:
            reason = str(error).strip().partition("\n")[0][:200]
            raise InputError(f"torch cannot write its model as ONNX ({reason})") from error
    _write_tokenizer(encoder, network, folder)
    difference = parity(encoder, folder)
    if not difference <= PARITY:
        raise InputError(
            f"the vectors of the ONNX graph differ by {difference:.1e} from the encoder's; nothing "
            "is kept"
        )
    return difference


def parity(encoder: Encoder, folder: Path) -> float:
    """Return the largest difference between unit vectors of a graph and of its encoder."""
    texts = texts_in_ten_scripts()
    ours: Any = encoder.encode_counted(texts, normalize=True, long_texts="cut").vectors
    return float(
        np.abs(ours - vectors_of(folder, texts, prefix=encoder.settings.prefix.value)).max()
    )


def vectors_of(folder: Path, texts: list[str], *, prefix: str) -> Floats2d:
    """Return the unit vectors that the files of a folder give, by tokenizers and onnxruntime."""
    from tokenizers import Tokenizer

    runtime = require("onnxruntime", extra=EXTRA, why=WHY)
    options = runtime.SessionOptions()
    options.log_severity_level = 3
    session = runtime.InferenceSession(
        str(folder / GRAPH), options, providers=["CPUExecutionProvider"]
    )
    tokenizer = Tokenizer.from_file(str(folder / TOKENIZER))
    found = []
    for start in range(0, len(texts), N_AT_ONCE):
        some = tokenizer.encode_batch([prefix + text for text in texts[start : start + N_AT_ONCE]])
        ids, mask = (
            np.array([getattr(one, name) for one in some], np.int64)
            for name in ("ids", "attention_mask")
        )
        found.append(session.run(None, dict(zip(INPUTS, (ids, mask), strict=True)))[0])
    vectors: Floats2d = np.concatenate(found)
    lengths: Doubles1d = np.linalg.norm(vectors.astype(np.float64), axis=1)
    return np.asarray(vectors / np.maximum(lengths, 1e-12)[:, None], np.float32)


def _write_tokenizer(encoder: Encoder, network: Network, folder: Path) -> None:
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
