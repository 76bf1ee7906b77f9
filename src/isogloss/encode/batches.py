"""Batches for `forward`: texts sorted by tokens, longest first, within a token budget.

A batch has a maximum number of padded tokens. Sorting leaves 1 to 3 % padding where sorting by
characters leaves 65 % across scripts, and small batches keep activations in the processor's
cache. Longest first: memory peaks in the first batch.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Ints1d, SmallInts1d
from isogloss.errors import InputKindError

N_TEXTS_PER_CHUNK = 16_384
N_CHARACTERS_PER_CHUNK = 16_000_000
BUDGETS = {
    ("cpu", "float32"): 1024,
    ("cpu", "bfloat16"): 1024,
    ("mps", "float32"): 8192,
    ("mps", "bfloat16"): 8192,
    ("mps", "float16"): 8192,
    ("cuda", "float32"): 16384,
    ("cuda", "bfloat16"): 32768,
    ("cuda", "float16"): 32768,
}


@dataclass(frozen=True)
class PaddedBatch:
    """Ids of a batch; all arrays are (n_texts, longest).

    Attributes
    ----------
    mask
        1 where an id is a token, 0 where it is padding.
    own
        1 where an id is a token of the text itself; None: vectors are not of these alone.
    """

    ids: npt.NDArray[np.int64]
    mask: npt.NDArray[np.int64]
    own: npt.NDArray[np.int64] | None = None


def text_chunks(texts: Iterable[str]) -> Iterator[list[str]]:
    """Yield texts in lists that bound memory; texts are sorted within one only.

    Raises
    ------
    InputKindError
        For an element that is not a string, with its place.
    """
    chunk: list[str] = []
    n_characters = 0
    for index, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputKindError(
                f"text {index} (counted from 0) is a {type(text).__name__}, not a string"
            )
        chunk.append(text)
        n_characters += len(text)
        if len(chunk) == N_TEXTS_PER_CHUNK or n_characters >= N_CHARACTERS_PER_CHUNK:
            yield chunk
            chunk, n_characters = [], 0
    if chunk:
        yield chunk


def budgeted_batches(lengths: Ints1d, *, budget: int) -> Iterator[Ints1d]:
    """Yield the indices of each batch; every text with a token is in exactly one.

    Parameters
    ----------
    lengths
        Tokens of each text; a text of 0 tokens is left out.
    budget
        Most padded tokens of a batch; a longer text is a batch of its own.
    """
    order = np.argsort(-lengths, kind="stable")
    order = order[: int(np.count_nonzero(lengths))]
    start = 0
    while start < len(order):
        n_texts = max(1, budget // int(lengths[order[start]]))
        yield order[start : start + n_texts]
        start += n_texts


def pad(ids: Sequence[SmallInts1d], *, pad_id: int) -> PaddedBatch:
    """Lay the ids of a batch into one matrix, padded on the right."""
    width = max(len(one) for one in ids)
    padded = np.full((len(ids), width), pad_id, np.int64)
    mask = np.zeros((len(ids), width), np.int64)
    for row, one in enumerate(ids):
        padded[row, : len(one)] = one
        mask[row, : len(one)] = 1
    return PaddedBatch(padded, mask)
