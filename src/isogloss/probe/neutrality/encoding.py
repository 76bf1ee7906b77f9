"""Vectors of parallel text in all layers, encoded once, and given a layer at a time.

The one encoding of `probe neutrality` and `probe translation`: one pass writes the vectors of all
layers to a scratch file, so that memory holds one layer.
"""

import shutil
import tempfile
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Floats3d
from isogloss.data.parallel import ParallelTexts
from isogloss.encode import Encoder
from isogloss.encode.encoder import EncodedTexts
from isogloss.encode.model import Network
from isogloss.encode.plan import PooledTokens
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.learn.threads import one_thread
from isogloss.probe.final_norm import has_final_norm, note_on_final_norm
from isogloss.progress import progress


class EncodedLayer(NamedTuple):
    """The vectors of a layer, by its number: (n_langs, n_sentences, width)."""

    number: int
    vectors: Floats3d


def encoded_layers(
    encoder: Encoder, parallel: ParallelTexts, *, tokens: PooledTokens = "all",
    option: str = "--max-sentences", say: Callable[[str], None] = warn_omitted,
) -> Generator[EncodedLayer]:  # fmt: skip
    """Yield the layers of an encoder; the matrix libraries have one thread between them.

    Parameters
    ----------
    tokens
        ``all``: the encoder's own pooling; where modules after the pooling belong to the last
        layer, only that is given. ``text``: the mean over the text's own tokens, of all layers.
    option
        What lowers the number of sentences, for the sentence.
    say
        Takes what is left out: the number of sentences that the encoder cut, or that have no token
        of their own.

    Raises
    ------
    InputError
        When the disk has no room.
    """
    numbers = layers_of(encoder, tokens)
    with tempfile.TemporaryDirectory(prefix="isogloss-") as folder:
        n_bytes = len(parallel.langs) * parallel.n_sentences * len(numbers) * 4
        n_bytes *= encoder.width if tokens == "all" else encoder.network.hidden_size
        if n_bytes > shutil.disk_usage(folder).free:
            raise InputError(
                f"the scratch file takes {n_bytes / 1e9:.1f} GB, more than the disk has free; "
                f"lower {option}, or set TMPDIR to a larger disk",
                path=Path(folder).parent,
            )
        encoded = encoder.encode_counted(
            [text for some in parallel.texts.values() for text in some],
            pooling=None if tokens == "all" else "mean", layers=numbers, normalize=False,
            long_texts="cut", tokens=tokens, out=Path(folder) / "layers.npy",
        )  # fmt: skip  # a mean over windows is no state of the network
        for omission in _omissions(encoder, encoded, tokens):
            say(omission)
        layers = encoded.vectors.reshape(
            len(numbers), len(parallel.langs), parallel.n_sentences, -1
        )
        with one_thread(), progress("measuring layers", len(numbers), "layers") as advance:
            for number, vectors in zip(numbers, layers, strict=True):
                yield EncodedLayer(number, np.array(vectors))
                advance(1)


def layers_of(encoder: Encoder, tokens: PooledTokens = "all") -> list[int]:
    """Return the layers that have vectors of this kind."""
    has_modules = bool(encoder.network.dense) or encoder.settings.pooling.value == "pooler"
    only_last = has_modules and tokens == "all"
    return [encoder.n_layers] if only_last else list(range(encoder.n_layers + 1))


def notes_on(encoder: Encoder, tokens: PooledTokens = "all") -> list[str]:
    """Say which layers an encoder lacks, and which is of another kind."""
    notes = []
    if len(layers_of(encoder, tokens)) < encoder.n_layers + 1:
        notes.append(
            f"{encoder.name}: the pooler or the modules after the pooling belong to the last "
            "layer, so only that is measured"
        )
    if isinstance(encoder.network, Network) and has_final_norm(encoder):
        notes.append(note_on_final_norm(encoder))
    return notes


def note_on_sentences(parallel: ParallelTexts, drawn: ParallelTexts) -> str:
    """Say how many sentences are measured, and how many were left out."""
    n, langs = drawn.n_sentences, drawn.langs
    note = f"{counted(n, 'sentence')} in each of {counted(len(langs), 'language')}"
    if n < parallel.n_sentences:
        note += f", drawn of {parallel.n_sentences:,}"
    if parallel.n_empty or parallel.n_repeated:
        note += (
            f" ({parallel.n_empty:,} left out as empty, {parallel.n_repeated:,} as met before in "
            "a language)"
        )
    return note


def _omissions(encoder: Encoder, encoded: EncodedTexts, tokens: PooledTokens) -> Iterator[str]:
    n_texts, n_cut = len(encoded.n_tokens), int(encoded.truncated.sum())
    if n_cut:
        yield (
            f"{n_cut} of {n_texts} texts are longer than {encoder.settings.limit}; only their "
            "beginning is measured"
        )
    n_without = 0
    if tokens == "text":
        n_without = sum(not vector.any() for vector in encoded.vectors[-1])
    if n_without:
        yield (
            f"{n_without} of {n_texts} texts have no token beside special ones and the prefix; "
            "their vectors are zeros"
        )
