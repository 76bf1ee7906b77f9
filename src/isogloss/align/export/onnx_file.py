"""An encoder as one ONNX graph: tokens in, vectors out; pooling and unit length are inside.

The graph is run by onnxruntime on 100 texts in ten scripts and compared with the encoder before it
appears.
"""

from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d, Floats2d
from isogloss.encode import Encoder
from isogloss.encode.model import Network
from isogloss.errors import InputError
from isogloss.learn.export.graph import Sentences, run_graph, write_graph, write_tokenizer
from isogloss.learn.export.samples import texts_in_ten_scripts

PARITY = 1e-4  # largest difference of a number in unit vectors
OUTPUT = "sentence_embedding"


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
    longest = encoder.settings.max_length.value
    write_graph(Sentences(network, encoder), folder, max_length=longest, output=OUTPUT)
    write_tokenizer(encoder, network, folder)
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
    vectors = run_graph(folder, texts, prefix=prefix)
    lengths: Doubles1d = np.linalg.norm(vectors.astype(np.float64), axis=1)
    return np.asarray(vectors / np.maximum(lengths, 1e-12)[:, None], np.float32)
