"""How evenly vectors fill their space: participation ratio, IsoScore, I(W), rogue dimensions.

And what the transforms of `isogloss.encode.transforms` do to it, fitted on some vectors and
measured on others.
"""

import contextlib
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.special import logsumexp

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d, Ints1d
from isogloss.encode.transforms import FITS
from isogloss.errors import InputError
from isogloss.probe.measures import mean_cosine

Vectors = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True, eq=False)
class Isotropy:
    """How evenly vectors fill their space.

    Attributes
    ----------
    participation_ratio
        (Σ λ)² / Σ λ² of the covariance's eigenvalues: 1 (a line) to the width (a ball).
    isoscore
        0 to 1, see `isoscore`.
    log10_partition
        Logarithm of I(W), see `log_partition`: 0 is isotropic.
    dimensions, shares
        The three dimensions with the largest part in the mean cosine, and what part.
    """

    participation_ratio: float
    isoscore: float
    log10_partition: float
    dimensions: Ints1d
    shares: Doubles1d


@dataclass(frozen=True)
class TransformEffect:
    """Mean cosine of random words and IsoScore behind a transform; ``"none"``: without any."""

    transform: str
    baseline: float
    isoscore: float


def isotropy(vectors: Vectors, sentences: Ints1d) -> Isotropy:
    """Measure vectors of random words.

    Parameters
    ----------
    vectors
        (n, width), n of 2 or more.
    sentences
        Number of the sentence that each is of; pairs of one sentence have no part in the mean
        cosine.
    """
    ratio = participation_ratio(vectors)
    shares = dimension_shares(vectors, sentences)
    largest = np.argsort(-np.abs(shares), kind="stable")[:3]
    return Isotropy(
        participation_ratio=ratio,
        isoscore=isoscore(ratio, vectors.shape[1]),
        log10_partition=log_partition(vectors) / np.log(10),
        dimensions=largest,
        shares=shares[largest],
    )


def participation_ratio(vectors: Vectors) -> float:
    """Return (Σ λ)² / Σ λ² of the eigenvalues of the covariance: how many directions are used.

    NaN where the vectors are equal. With n vectors it is at most n - 1.
    """
    doubles = np.asarray(vectors, np.float64)
    centred = doubles - doubles.mean(0)
    n, width = centred.shape
    products = centred @ centred.T if n < width else centred.T @ centred
    squares = float((products**2).sum())
    return float(np.trace(products)) ** 2 / squares if squares > 0 else np.nan


def isoscore(ratio: float, width: int) -> float:
    """Return IsoScore (Rudman et al. 2022) from the participation ratio.

    With the eigenvalues scaled to length √d, ``δ = ‖λ - 1‖ / √(2 (d - √d))`` and
    ``φ = (d - δ² (d - √d))² / d²``, IsoScore is ``(d φ - 1) / (d - 1)``. As
    ``‖λ - 1‖² = 2 (d - √d √PR)``, φ is PR / d, and the score ``(PR - 1) / (d - 1)``.
    """
    return (ratio - 1) / (width - 1) if width > 1 else np.nan


def log_partition(vectors: Vectors) -> float:
    """Return log I(W) = log min Z(c) - log max Z(c), Z(c) = Σ exp(cᵀw) (Mu and Viswanath 2018).

    c runs over the eigenvectors of WᵀW, of both signs, as the sign of an eigenvector is arbitrary.
    """
    doubles = np.asarray(vectors, np.float64)
    along = doubles @ np.linalg.eigh(doubles.T @ doubles)[1]
    values = np.concatenate([logsumexp(along, axis=0), logsumexp(-along, axis=0)])
    return float(values.min() - values.max())


def dimension_shares(vectors: Vectors, sentences: Ints1d) -> Doubles1d:
    """Return what part of the mean cosine each dimension holds, (width,), with the sum 1.

    Timkey and van Schijndel 2021: the mean of ``u_i v_i`` over pairs, divided by the mean cosine.
    """
    sums = group_unit_sums(vectors, sentences)
    parts = sums.sum(0) ** 2 - (sums**2).sum(0)
    return np.asarray(parts / parts.sum())


def group_unit_sums(vectors: Vectors, groups: Ints1d) -> Doubles2d:
    """Return the sums of the unit vectors of each group, (n_groups, width), groups sorted."""
    doubles = np.asarray(vectors, np.float64)
    units = doubles / np.maximum(np.linalg.norm(doubles, axis=1, keepdims=True), 1e-300)
    present, number = np.unique(groups, return_inverse=True)
    sums = np.zeros((len(present), doubles.shape[1]))
    np.add.at(sums, number, units)
    return sums


def baseline_of(vectors: Vectors, groups: Ints1d) -> float:
    """Return the mean cosine over pairs of vectors of different groups."""
    sums = group_unit_sums(vectors, groups)
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(mean_cosine(sums, sizes, np.ones((1, len(sizes))))[0])


def transform_effects(
    vectors: Vectors, sentences: Ints1d, is_fitted_on: Bools1d
) -> list[TransformEffect]:
    """Measure what each transform does, fitted on some vectors and applied to the others.

    Parameters
    ----------
    vectors, sentences
        As `isotropy` takes them.
    is_fitted_on
        (n,): whether a vector is one to fit on.

    Returns
    -------
    Nothing with fewer than two vectors on either side. A transform that cannot be fitted, such as
    whitening on two vectors, is left out.
    """
    held, groups = vectors[~is_fitted_on], sentences[~is_fitted_on]
    fitted_on = np.asarray(vectors[is_fitted_on], np.float32)
    if min(len(held), len(fitted_on)) < 2:
        return []
    moved: dict[str, Vectors] = {"none": held}
    for kind, fit in FITS.items():
        with contextlib.suppress(InputError):
            moved[kind] = fit(fitted_on).transform(held)
    return [
        TransformEffect(kind, baseline_of(some, groups),
                        isoscore(participation_ratio(some), some.shape[1]))
        for kind, some in moved.items()
    ]  # fmt: skip
