"""How evenly vectors fill their space: participation ratio, IsoScore, I(W), rogue dimensions.

And what the transforms of `isogloss.encode.transforms` do to it, fitted on some vectors and
measured on others.
"""

import contextlib
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d, Ints1d
from isogloss.encode.transforms import FITS
from isogloss.errors import InputError
from isogloss.probe.geometry.measures import gram, mean_cosine
from isogloss.statistics.intervals import Interval
from isogloss.statistics.jackknife import debiased, jackknife_interval

N_ROGUES = 3
MIN_LEFT = 3  # vectors without a group: the plain ratio of two is 1, whatever they are

Vectors = npt.NDArray[np.floating[Any]]


class Rogue(NamedTuple):
    """A dimension with a large part in the mean cosine of random words, and what part."""

    dimension: int
    share: Interval


@dataclass(frozen=True)
class Isotropy:
    """How evenly vectors fill their space, by the functions of the same names."""

    participation_ratio: Interval  # 1 (a line) to the width (a ball)
    isoscore: Interval  # 0 to 1
    log10_partition: float  # of I(W): 0 is isotropic
    rogues: list[Rogue]


@dataclass(frozen=True)
class TransformEffect:
    """Mean cosine of random words and IsoScore after a transform; ``"none"``: without any."""

    transform: str
    baseline: float
    isoscore: float


def isotropy(vectors: Vectors, sentences: Ints1d, groups: Ints1d) -> Isotropy:
    """Measure vectors of random words.

    Parameters
    ----------
    vectors
        (n, width), n of 2 or more. Participation ratio and IsoScore are NaN where some group left
        out leaves fewer than three, so always of fewer than four.
    sentences
        Number of the sentence that each is of; pairs of one sentence have no part in the mean
        cosine.
    groups
        Group of the sentence that each is of, for the jackknife; (n,).
    """
    ratio = participation_ratio(vectors, groups)
    return Isotropy(
        participation_ratio=ratio,
        isoscore=Interval(
            *(isoscore(end, vectors.shape[1]) for end in (ratio.value, ratio.low, ratio.high))
        ),
        log10_partition=log_partition(vectors) / np.log(10),
        rogues=rogue_dimensions(vectors, sentences, groups),
    )


def participation_ratio(vectors: Vectors, groups: Ints1d) -> Interval:
    """Return (Σ λ)² / Σ λ² of the covariance's eigenvalues: how many directions are used.

    Few vectors seem to use fewer directions than there are: of n the plain ratio is nearly
    1 / (1 / r + 1 / n), r that of very many. So the jackknife is of one over the ratio, whose bias
    goes as 1 / n, and takes that away. Value and interval are cut to 1 and the width.

    Parameters
    ----------
    vectors
        (n, width), n of 4 or more.
    groups
        Two or more, as `isotropy` takes them.

    Returns
    -------
    NaN throughout where what is left without some group are fewer than three vectors, or equal
    ones.
    """
    is_in = _all_and_without_each(groups)
    if is_in.sum(0).min() < MIN_LEFT:
        return Interval(np.nan, np.nan, np.nan)
    inverses = inverse_ratios(vectors, is_in)
    value, left_out = float(inverses[0]), inverses[1:]  # all vectors; without each group
    found = jackknife_interval(debiased(value, left_out), left_out)
    # One over the ratio falls as the ratio rises: the ends of the interval change places.
    middle, low, high = 1 / np.clip([found.value, found.high, found.low], 1 / vectors.shape[1], 1)
    return Interval(float(middle), float(low), float(high))


def inverse_ratios(vectors: Vectors, is_in: Doubles2d) -> Doubles1d:
    """Return Σ λ² / (Σ λ)² of some of the vectors each: one over their plain participation ratio.

    Memory grows with n².

    With K the products of the m vectors, 1 the vector of ones, C their covariance times m:
    tr C = tr K - 1ᵀK1 / m and ‖C‖² = ‖K‖² - 2 ‖K1‖² / m + (1ᵀK1)² / m².

    Parameters
    ----------
    is_in
        1 or 0: whether a vector is one of them; (n, n_subsets).

    Returns
    -------
    (n_subsets,); NaN where vectors are equal.
    """
    doubles = np.asarray(vectors, np.float64)
    # Centred by the mean of all, for accuracy; each subset's own mean is taken out below.
    products = gram(doubles - doubles.mean(0))  # K of all, (n, n)
    n = is_in.sum(0)  # m, (n_subsets,)
    sums = (products @ is_in) * is_in  # K1, zero outside the subset; (n, n_subsets)
    total = sums.sum(0)  # 1ᵀK1
    with np.errstate(invalid="ignore", divide="ignore"):
        trace = np.diag(products) @ is_in - total / n
        squares = ((products**2 @ is_in) * is_in).sum(0)  # ‖K‖²
        squares += -2 / n * (sums**2).sum(0) + (total / n) ** 2
        return np.asarray(squares / trace**2)


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
    values = np.concatenate(
        [scipy.special.logsumexp(along, axis=0), scipy.special.logsumexp(-along, axis=0)]
    )
    return float(values.min() - values.max())


def rogue_dimensions(vectors: Vectors, sentences: Ints1d, groups: Ints1d) -> list[Rogue]:
    """Return the three dimensions with the largest part in the mean cosine.

    Timkey and van Schijndel 2021: the mean of ``u_i v_i`` over pairs, divided by the mean cosine.
    The parts of all dimensions sum to 1; where that cosine is near 0 they mean nothing.
    """
    sums = group_unit_sums(vectors, sentences)
    group_of_sentence = groups[np.unique(sentences, return_index=True)[1]]
    is_in = _all_and_without_each(group_of_sentence).T
    # (Σ s)² - Σ s²: pairs of different sentences alone; all sentences, then without each group.
    parts = (is_in @ sums) ** 2 - is_in @ sums**2  # (1 + n_groups, width)
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = parts / parts.sum(1, keepdims=True)
    largest = np.argsort(-np.abs(shares[0]), kind="stable")[:N_ROGUES]
    return [
        Rogue(int(at), jackknife_interval(float(shares[0, at]), shares[1:, at])) for at in largest
    ]


def _all_and_without_each(groups: Ints1d) -> Doubles2d:
    """Return whether each is in the whole, and in what is left without each group: ones, zeros."""
    is_left = np.unique(groups) != groups[:, None]
    return np.column_stack([np.ones(len(groups)), is_left])


def group_unit_sums(vectors: Vectors, groups: Ints1d) -> Doubles2d:
    """Return the sums of the unit vectors of each group, (n_groups, width), groups sorted."""
    doubles = np.asarray(vectors, np.float64)
    # A vector of zeros has no direction, and adds none.
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
    vectors: Vectors, sentences: Ints1d, groups: Ints1d, is_fitted_on: Bools1d
) -> list[TransformEffect]:
    """Measure what each transform does, fitted on some vectors and applied to the others.

    Parameters
    ----------
    vectors, sentences, groups
        As `isotropy` takes them.
    is_fitted_on
        (n,): whether a vector is one to fit on.

    Returns
    -------
    Nothing with fewer than two vectors on either side. A transform that cannot be fitted, such as
    whitening on two vectors, is left out.
    """
    held = vectors[~is_fitted_on]
    fitted_on = np.asarray(vectors[is_fitted_on], np.float32)
    if min(len(held), len(fitted_on)) < 2:
        return []
    moved: dict[str, Vectors] = {"none": held}
    for kind, fit in FITS.items():
        with contextlib.suppress(InputError):
            moved[kind] = fit(fitted_on).transform(held)
    return [
        TransformEffect(
            kind,
            baseline_of(some, sentences[~is_fitted_on]),
            isoscore(participation_ratio(some, groups[~is_fitted_on]).value, some.shape[1]),
        )
        for kind, some in moved.items()
    ]
