"""The measures of Ethayarajh (2019), one function each.

f(w, i) is the vector of occurrence i of word w in some layer, u its unit vector.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from isogloss.arrays import Doubles1d, Doubles2d, Ints1d

NO_VARIANCE = 1e-9  # of all; what float32 leaves of vectors that are equal


class ExplainedVariance(NamedTuple):
    """Share of variance that one direction explains, by three definitions.

    Attributes
    ----------
    uncentred
        σ₁² / Σ σ² of the matrix of the vectors: the paper's text. 1 where all vectors are equal.
    centred
        The same of the vectors minus their mean: the first principal component. At least
        1 / (n - 1). NaN where all vectors are equal.
    released
        What the authors' code gave when their published figures were made: the variance *about the
        mean* along the first direction of the *uncentred* vectors, of all variance. That direction
        is nearly the mean, and vectors differ little along it, so the share is small whatever
        static vectors are worth. NaN where all vectors are equal.
    """

    uncentred: float
    centred: float
    released: float


def self_similarity(unit_sums: npt.NDArray[np.float64], counts: Ints1d) -> npt.NDArray[np.float64]:
    """Return SelfSim: the mean cosine over pairs of occurrences, (‖Σ u‖² - n) / (n (n - 1)).

    Of sums of unit vectors (…, n_words, width), and n of each word; NaN where a word occurs less
    than twice.
    """
    n = np.where(counts > 1, counts, np.nan)
    return np.asarray(((unit_sums**2).sum(-1) - n) / (n * (n - 1)))


def mean_cosine(group_sums: Doubles2d, sizes: Doubles1d, times: Doubles2d) -> Doubles1d:
    """Return the mean cosine over pairs of vectors of different groups: the random baseline.

    With S_g the sum of the unit vectors of group g (a sentence), n_g their number and m_g how often
    the group counts: (‖Σ m S‖² - Σ m² ‖S‖²) / ((Σ m n)² - Σ m² n²).

    Parameters
    ----------
    group_sums, sizes
        S and n; (n_groups, width) and (n_groups,).
    times
        m; (n_draws, n_groups): ones for the mean itself, draws for a bootstrap over groups.

    Returns
    -------
    (n_draws,); NaN where fewer than two groups count.
    """
    total = ((times @ group_sums) ** 2).sum(1) - times**2 @ (group_sums**2).sum(1)
    n_pairs = (times @ sizes) ** 2 - times**2 @ sizes**2
    return np.asarray(total / np.where(n_pairs > 0, n_pairs, np.nan))


def explained_variance(gram: Doubles2d) -> ExplainedVariance:
    """Return MEV from the Gram matrix of n vectors, (n, n); its eigenvalues are the σ²."""
    total = float(np.trace(gram))
    means = gram.mean(0)
    centred = gram - means[:, None] - means[None] + means.mean()
    rest = float(np.trace(centred))
    values, vectors = np.linalg.eigh(gram)
    largest, along = float(values[-1]), vectors[:, -1]  # the vectors' places along the direction
    if rest <= NO_VARIANCE * total:
        return ExplainedVariance(largest / total, np.nan, np.nan)
    return ExplainedVariance(
        uncentred=largest / total,
        centred=float(np.linalg.eigvalsh(centred)[-1]) / rest,
        released=largest * len(gram) * float(along.var()) / rest,
    )


def released_share(vectors: npt.NDArray[np.floating[Any]]) -> float:
    """Return the third of `explained_variance` for (n, width) vectors, without an (n, n) matrix."""
    doubles = np.asarray(vectors, np.float64)
    direction = np.linalg.eigh(doubles.T @ doubles)[1][:, -1]
    rest, total = float(doubles.var(0).sum()), float((doubles**2).mean(0).sum())
    is_varied = rest > NO_VARIANCE * total
    return float((doubles @ direction).var()) / rest if is_varied else np.nan


def gram(vectors: npt.NDArray[np.floating[Any]]) -> Doubles2d:
    """Return the products of all pairs of (n, width) vectors: (n, n)."""
    doubles = np.asarray(vectors, np.float64)
    return np.asarray(doubles @ doubles.T)
