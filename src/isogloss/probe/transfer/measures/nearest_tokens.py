"""NN-Rank (2025): languages by how often one of their tokens is the nearest of a target token.

Vectors are those of tokens in context, in one layer. All source languages have equally many tokens
in the search, drawn at random: with more, one would be nearest more often whatever it is.
"""

from collections.abc import Mapping

import numpy as np

from isogloss.arrays import Doubles1d, Floats2d, Ints1d

N_NUMBERS_AT_ONCE = 20_000_000


def nearest_shares(
    target: Floats2d, sources: Mapping[str, Floats2d], *, seed: int
) -> dict[str, float]:
    """Return, of each source language, the share of target tokens whose nearest token is its own.

    Nearest by cosine; where two are equally near, the language that comes first has it. The shares
    add up to 1.

    Parameters
    ----------
    target
        Vectors of the tokens of the target language; (n, width), n of 1 or more.
    sources
        Language → vectors of its tokens, each (n_tokens, width), n_tokens of 1 or more; as many of
        each as the language with the fewest has are drawn.
    """
    generator = np.random.default_rng(seed)
    n_each = min(len(vectors) for vectors in sources.values())
    drawn = [
        vectors[np.sort(generator.choice(len(vectors), n_each, replace=False))]
        for vectors in sources.values()
    ]
    searched = _units(np.concatenate(drawn))
    nearest = _nearest(_units(target), searched)
    counts = np.bincount(nearest // n_each, minlength=len(sources))
    shares: Doubles1d = counts / len(target)
    return dict(zip(sources, shares.tolist(), strict=True))


def _units(vectors: Floats2d) -> Floats2d:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), np.float32)


def _nearest(queries: Floats2d, searched: Floats2d) -> Ints1d:
    """Return the number of the nearest of each query; (n_queries,)."""
    n_rows = max(1, N_NUMBERS_AT_ONCE // len(searched))
    parts = [
        (queries[start : start + n_rows] @ searched.T).argmax(1)
        for start in range(0, len(queries), n_rows)
    ]
    return np.concatenate(parts).astype(np.int64)
