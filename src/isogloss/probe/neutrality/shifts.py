"""How far each language lies from the others, and in which dimensions.

Sentences are the same in all languages, so what they say cancels: the shift of a language is the
mean over sentences of its vector minus the mean vector of the others.
"""

from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles1d, Doubles2d, Doubles3d, Floats3d, Ints1d

N_LARGEST = 3
HALF = 0.5


@dataclass(frozen=True, eq=False)
class LanguageShifts:
    """The shifts of all languages in one layer.

    A distance is the length of the shift in units of the spread: the root of the mean squared
    distance of a vector from the mean of its language. The three dimensions that make most of the
    squared shift, and what part, are NaN where there is no shift beyond chance.
    """

    distance: Doubles1d  # (n_langs,)
    left_out: Doubles2d  # the same without each group of sentences; (n_groups, n_langs)
    dimensions: "np.ndarray[tuple[int, int], np.dtype[np.int64]]"  # (n_langs, 3)
    shares: Doubles2d  # (n_langs, 3)
    n_for_half: Ints1d  # how few dimensions make half of it, 0 where there is none; (n_langs,)


def language_shifts(vectors: Floats3d, groups: Ints1d) -> LanguageShifts:
    """Measure the shifts of vectors (n_langs, n_sentences, width), two languages or more.

    The squared length is the mean over pairs of different sentences of Δ_i · Δ_j, with Δ_i the
    difference of sentence i: few sentences do not make it longer. Below zero it counts as zero.
    `groups` are those of the jackknife, from 0.
    """
    doubles = np.asarray(vectors, np.float64)
    n_langs = len(doubles)
    # From the mean of the others: x - (S - x) / (L - 1) = (x - S / L) L / (L - 1).
    differences = (doubles - doubles.mean(0)) * (n_langs / (n_langs - 1))
    by_dimension = _squares(differences)
    spread = _spread(doubles)
    left_out = [
        _lengths(_squares(differences[:, groups != group])) / _spread(doubles[:, groups != group])
        for group in range(int(groups.max()) + 1)
    ]
    # A dimension may be negative, as estimates of 0 are: shares of a shift beyond chance only.
    total = np.maximum(by_dimension.sum(1, keepdims=True), 0.0)
    shares = by_dimension / np.where(total > 0, total, np.nan)
    order = np.argsort(-by_dimension, axis=1, kind="stable")
    ranked = np.take_along_axis(shares, order, axis=1)
    return LanguageShifts(
        distance=_lengths(by_dimension) / spread,
        left_out=np.array(left_out),
        dimensions=order[:, :N_LARGEST],
        shares=ranked[:, :N_LARGEST],
        n_for_half=(total > 0)[:, 0] + (np.cumsum(ranked, axis=1) < HALF).sum(1),
    )


def _squares(differences: Doubles3d) -> Doubles2d:
    """Return the mean of Δ_i Δ_j over pairs of sentences, by dimension; (n_langs, width)."""
    n = differences.shape[1]
    # (Σ Δ)² - Σ Δ²: i ≠ j, so that the noise of single sentences has no part.
    pairs = differences.sum(1) ** 2 - (differences**2).sum(1)
    return np.asarray(pairs / (n * (n - 1)))


def _lengths(by_dimension: Doubles2d) -> Doubles1d:
    return np.asarray(np.sqrt(np.maximum(by_dimension.sum(1), 0.0)))


def _spread(doubles: Doubles3d) -> float:
    n_langs, n, _ = doubles.shape
    rest = ((doubles - doubles.mean(1, keepdims=True)) ** 2).sum()
    return float(np.sqrt(rest / (n_langs * (n - 1)))) or 1.0  # all sentences equal: any unit
