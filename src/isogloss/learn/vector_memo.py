"""Vectors of texts that an encoder has already seen in this process.

A grid search, a comparison of two models or an explanation meets the same texts again and again;
encoding is what they would wait for. At most `MAX_TEXTS` texts and vectors are kept for an encoder,
pooling and way to read long texts, the latest ones; nothing on disk. A vector is that of the batch
it was first in (see `Encoder.encode` for how little that changes).
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np

from isogloss.arrays import Bools1d, Floats1d, Floats2d
from isogloss.encode import Encoder
from isogloss.encode.settings import LongTexts, Pooling

MAX_TEXTS = 100_000


@dataclass(frozen=True)
class Encoded:
    """Vectors float32 (n_texts, width), and which texts were cut: bool (n_texts,)."""

    vectors: Floats2d
    truncated: Bools1d


_Memory = OrderedDict[str, tuple[Floats1d, bool]]
_remembers: ContextVar[bool] = ContextVar("_remembers", default=True)
_memories: WeakKeyDictionary[Encoder, dict[str, _Memory]] = WeakKeyDictionary()


@contextmanager
def unremembered() -> Iterator[None]:
    """Keep nothing of what is encoded in the block, as texts that others sent; memory is read."""
    token = _remembers.set(False)
    try:
        yield
    finally:
        _remembers.reset(token)


def encode_once(
    encoder: Encoder,
    texts: Sequence[str],
    *,
    pooling: Pooling | None,
    long_texts: LongTexts | None = None,
) -> Encoded:
    """Encode the texts that are new, and take the others from memory; duplicates cost nothing."""
    memories = _memories.setdefault(encoder, {})
    memory = memories.setdefault(f"{pooling} {long_texts}", OrderedDict())
    new = [text for text in dict.fromkeys(texts) if text not in memory]
    if new:
        encoded = encoder.encode_counted(new, pooling=pooling, long_texts=long_texts)
        # Copies: a row kept as a view would keep the whole matrix of its call.
        fresh = {
            text: (vector.copy(), bool(cut))
            for text, vector, cut in zip(new, encoded.vectors, encoded.truncated, strict=True)
        }
    else:
        fresh = {}
    found = [fresh[text] if text in fresh else memory[text] for text in texts]
    if _remembers.get():
        memory.update(fresh)
    while len(memory) > MAX_TEXTS:
        memory.popitem(last=False)
    vectors = np.array([vector for vector, _ in found], dtype=np.float32)
    return Encoded(
        vectors.reshape(len(texts), encoder.width), np.array([cut for _, cut in found], dtype=bool)
    )
