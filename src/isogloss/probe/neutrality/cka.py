"""Linear CKA between languages on the same sentences (Kornblith et al. 2019), debiased.

CKA compares what is near what in two sets of vectors: 1 where one is a rotation and scaling of the
other, 0 where they have nothing in common. The usual estimate grows with width over sentences; the
unbiased one of HSIC (Song et al. 2012, equation 5) does not.

With K̃, L̃ the Gram matrices whose diagonals are set to zero, n sentences:

    HSIC(K, L) = (tr K̃L̃ + 1ᵀK̃1 · 1ᵀL̃1 / ((n - 1)(n - 2)) - 2 1ᵀK̃L̃1 / (n - 2)) / (n (n - 3))
    CKA = HSIC(K, L) / √(HSIC(K, K) · HSIC(L, L))

It does not change when a vector is added to all vectors of a language, so centring has no part in
it.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Doubles2d, Doubles3d, Floats3d, Ints1d

MIN_SENTENCES = 4  # of which HSIC is defined
N_NUMBERS_AT_ONCE = 20_000_000


@dataclass(frozen=True, eq=False)
class LanguageCka:
    """CKA of all pairs of languages; NaN where one has no variance that can be told from noise."""

    value: Doubles2d  # (n_langs, n_langs), with ones on the diagonal
    left_out: Doubles3d  # the same without each group, for the jackknife; (n_groups, n_langs, …)


class _Products(NamedTuple):
    """Parts of Σ_{ij} k_ij l_ij by the groups of i and j; (n_groups, n_langs, n_langs)."""

    along: Doubles3d  # i in the group, j anywhere
    within: Doubles3d  # i and j in the group


def language_cka(vectors: Floats3d, groups: Ints1d) -> LanguageCka:
    """Return the CKA of all pairs, over all sentences and without each group.

    The sums over pairs of sentences are taken sentence by sentence or feature by feature,
    whichever is less work. Vectors are (n_langs, n_sentences, width), `MIN_SENTENCES` or more of
    them outside each group; groups count from 0.
    """
    n_langs, n, width = vectors.shape
    centred = np.asarray(vectors, np.float64)
    centred = centred - centred.mean(1, keepdims=True)  # no change but in the rounding
    scale = np.sqrt((centred**2).mean((1, 2), keepdims=True))
    centred /= np.where(scale > 0, scale, 1.0)
    # Multiplications: Gram matrices and their products, or a width x width product for each pair.
    by_sentence = n * n * (width + n_langs)
    by_feature = n_langs * n * width * width
    products = _by_sentence if by_sentence <= by_feature else _by_feature
    parts = products(centred, groups)
    # Without a group: minus the pairs with either end in it; those with both were taken twice.
    left_out = [
        _cka(centred[:, groups != group], parts.along.sum(0) - 2 * along + within)
        for group, (along, within) in enumerate(zip(parts.along, parts.within, strict=True))
    ]
    return LanguageCka(_cka(centred, parts.along.sum(0)), np.array(left_out))


def _cka(vectors: Doubles3d, products: Doubles2d) -> Doubles2d:
    """Return CKA from Σ_{ij} k_ij l_ij, the diagonal of the Gram matrices included."""
    n = vectors.shape[1]
    squares = (vectors**2).sum(2)  # k_ii, (n_langs, n)
    row_sums = np.einsum("lnd,ld->ln", vectors, vectors.sum(1)) - squares  # K̃1
    totals = row_sums.sum(1)
    # tr K̃L̃ is Σ k_ij l_ij without the diagonals, the first two terms.
    hsic = (
        products
        - squares @ squares.T
        + np.outer(totals, totals) / ((n - 1) * (n - 2))
        - 2 * row_sums @ row_sums.T / (n - 2)
    )  # times n (n - 3), which CKA does not see
    own = np.diag(hsic)
    lengths = np.sqrt(np.where(own > 0, own, np.nan))
    return np.asarray(hsic / np.outer(lengths, lengths))


def _by_sentence(vectors: Doubles3d, groups: Ints1d) -> _Products:
    """Sum over pairs of sentences, some rows of the Gram matrices at a time."""
    n_langs, n, _ = vectors.shape
    n_groups = int(groups.max()) + 1
    along, within = (np.zeros((n_groups, n_langs, n_langs)) for _ in range(2))
    n_rows = max(1, N_NUMBERS_AT_ONCE // (n_langs * n))
    for group in range(n_groups):
        is_own = groups == group
        own = np.flatnonzero(is_own)
        for start in range(0, len(own), n_rows):
            rows = vectors[:, own[start : start + n_rows]]
            grams = rows @ vectors.transpose(0, 2, 1)  # (n_langs, n_rows, n)
            flat, flat_own = grams.reshape(n_langs, -1), grams[:, :, is_own].reshape(n_langs, -1)
            along[group] += flat @ flat.T
            within[group] += flat_own @ flat_own.T
    return _Products(along, within)


def _by_feature(vectors: Doubles3d, groups: Ints1d) -> _Products:
    """Sum over pairs of features: Σ_{ij} k_ij l_ij = ‖XᵀY‖²."""
    n_langs, _, width = vectors.shape
    n_groups = int(groups.max()) + 1
    along, within = (np.zeros((n_groups, n_langs, n_langs)) for _ in range(2))
    parts = [vectors[:, groups == group] for group in range(n_groups)]
    for one in range(n_langs):
        for other in range(one, n_langs):
            crossed = np.empty((n_groups, width * width))  # XᵀY of each group; all: their sum
            for group, part in enumerate(parts):
                crossed[group] = (part[one].T @ part[other]).ravel()
            along[:, one, other] = along[:, other, one] = crossed @ crossed.sum(0)
            within[:, one, other] = within[:, other, one] = (crossed**2).sum(1)
    return _Products(along, within)
