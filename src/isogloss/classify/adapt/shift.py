"""How a language's vectors are shifted, estimated from texts without labels, and moved back.

The vectors of a language lie beside those of the training language, and closer together (Pires,
Schlinger and Garrette 2019 translate by the offset of the means). Of that a linear classifier sees
what it does to the scores s = W x + b of a text, a handful of numbers. Here the scores of a text
of class c are modelled as

    s = δ + a (m_c − m̄) + noise,   noise ~ N(0, v Σ)

with the means m_c of the classes and the covariance Σ within them taken from held-out training
texts, m̄ their mean. δ, the contrast a, v and the shares of the classes in the texts are estimated
together by EM, with weak priors. The mean of the texts alone (δ = mean of s) would take other
shares of the classes for a shift; δ and the shares without a let one class swallow all others.

The move is x' = (x − d) / a with W d = δ, up to b: a language's own standardisation.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d
from isogloss.classify.heads.head import Head, linear_part, with_linear_part
from isogloss.learn.linear_head import LinearHead, Standardisation, folds_of, out_of_fold
from isogloss.learn.objective import Targets

EXPECTED_CONTRAST = 0.85  # of a language that training has not seen
N_PRIOR_TEXTS = 10  # texts that the expected contrast, and v = 1, count as
WEIGHT_OF_TRAINING_SHARES = 1.0  # the shares of training count as so many texts for each text
SMALLEST_SHARE = 1e-4
CONTRASTS = (0.2, 1.5)
N_STEPS = 200
TOLERANCE = 1e-5


@dataclass(frozen=True)
class ScoreReference:
    """What the scores of training texts look like to a classifier not fitted on them.

    Scores are centred: a text's scores add up to 0.

    Attributes
    ----------
    centres
        m_c: float64 (n_classes, n_classes), a row for each class.
    spread
        Σ: float64 (n_classes, n_classes).
    shares
        Of the classes in training: float64 (n_classes,).
    """

    centres: Doubles2d
    spread: Doubles2d
    shares: Doubles1d

    @classmethod
    def of(
        cls, linear: LinearHead, inputs: Floats2d | Doubles2d, y: Targets, *, seed: int
    ) -> "ScoreReference | None":
        """Take the scores of training inputs (n_documents, width), each from the other folds.

        None with several labels a text, or with too few texts for folds.
        """
        folds = None if y.ndim == 2 else folds_of(y, seed=seed)
        if folds is None:
            return None
        n_classes = len(linear.bias)
        predicted = out_of_fold(inputs, y, n_classes, folds, C=linear.C)
        finite = np.where(np.isneginf(predicted), np.inf, predicted)
        # A class that a fold lacks is as unlikely as the least likely of the others.
        scores = _centred(np.where(np.isneginf(predicted), finite.min(axis=1)[:, None], predicted))
        centres = np.array([scores[y == label].mean(axis=0) for label in range(n_classes)])
        rest = scores - centres[y]
        shares = np.bincount(y, minlength=n_classes) / len(y)
        return cls(centres, rest.T @ rest / len(y), shares)

    @property
    def precision(self) -> Doubles2d:
        """Σ⁻¹ in the subspace of centred scores: float64 (n_classes, n_classes)."""
        return np.asarray(np.linalg.pinv(self.spread, rcond=1e-6, hermitian=True), np.float64)

    @property
    def mean(self) -> Doubles1d:
        """m̄: float64 (n_classes,)."""
        return self.shares @ self.centres


@dataclass(frozen=True)
class LanguageMove:
    """How vectors of a language are moved before they are classified.

    Attributes
    ----------
    offset
        d, in standard deviations of the training vectors: float64 (width,).
    contrast
        a: how far apart the classes lie, 1 as in training.
    n_texts
        Texts that it was learned from.
    """

    offset: Doubles1d
    contrast: float
    n_texts: int

    def apply(self, head: Head) -> Head:
        """Return the head of this language: its linear part with another standardisation."""
        linear = linear_part(head)
        own = linear.standardisation
        moved = Standardisation(
            own.mean + own.deviation * self.offset, own.deviation * self.contrast
        )
        return with_linear_part(head, replace(linear, standardisation=moved))


@dataclass(frozen=True)
class EstimatedMove:
    """A move, and how the texts look under it.

    Attributes
    ----------
    move
        The move itself.
    distance
        Size of the shift of the scores: root mean square over their directions, in standard
        deviations within a class.
    separation
        a / √v: how clearly the texts fall into classes, 1 as held-out training texts do.
    shares
        Of the classes among the texts: float64 (n_classes,).
    different_shares
        Their total variation from those of training, 0 to 1.
    """

    move: LanguageMove
    distance: float
    separation: float
    shares: Doubles1d
    different_shares: float


def scores_of(linear: LinearHead, inputs: Floats2d | Doubles2d) -> Doubles2d:
    """Return the centred scores of inputs (n_texts, width): float64 (n_texts, n_classes)."""
    return _centred(linear.standardisation(inputs) @ linear.weight.T + linear.bias)


def estimate_move(
    linear: LinearHead, reference: ScoreReference, inputs: Floats2d | Doubles2d
) -> EstimatedMove:
    """Estimate the move of a language from inputs (n_texts, width) of its texts, without labels."""
    scores = scores_of(linear, inputs)
    fit = _fit_mixture(scores, reference)
    weight, bias = _centred(linear.weight.T).T, linear.bias - linear.bias.mean()
    # The moved score of a text at δ is m̄. Where W is blind the offset is that of the mean.
    wanted = fit.shift - bias + fit.contrast * (bias - reference.mean)
    offset = linear.standardisation(inputs).mean(axis=0)
    offset += np.linalg.pinv(weight, rcond=1e-9) @ (wanted - weight @ offset)
    away = fit.shift - reference.mean
    distance = np.sqrt(away @ reference.precision @ away / (len(away) - 1))
    shares = fit.responsibilities.mean(axis=0)
    return EstimatedMove(
        LanguageMove(offset, fit.contrast, len(scores)),
        float(distance),
        float(fit.contrast / np.sqrt(fit.variance)),
        shares,
        float(np.abs(shares - reference.shares).sum() / 2),
    )


@dataclass(frozen=True)
class _Mixture:
    shift: Doubles1d  # δ
    contrast: float  # a
    variance: float  # v
    shares: Doubles1d
    responsibilities: Doubles2d  # p(c | s): (n_texts, n_classes)


def _fit_mixture(scores: Doubles2d, reference: ScoreReference) -> _Mixture:
    """Return the most likely mixture, from the mean of the texts and the shares of training."""
    around, precision = reference.centres - reference.mean, reference.precision
    fit = _Mixture(scores.mean(axis=0), EXPECTED_CONTRAST, 1.0, reference.shares, scores)
    for _ in range(N_STEPS):
        squared = _squared_distances(scores, fit, around, precision)
        responsibilities = softmax(np.log(fit.shares) - squared / (2 * fit.variance), axis=1)
        better = _maximise(scores, responsibilities, reference, precision)
        change = max(
            np.abs(better.shift - fit.shift).max(),
            abs(better.contrast - fit.contrast),
            np.abs(better.shares - fit.shares).max(),
        )
        fit = better
        if change < TOLERANCE:
            break
    return fit


def _maximise(
    scores: Doubles2d, responsibilities: Doubles2d, reference: ScoreReference, precision: Doubles2d
) -> _Mixture:
    n_texts, n_directions = len(scores), max(scores.shape[1] - 1, 1)
    around = reference.centres - reference.mean
    counts = responsibilities.sum(axis=0)
    n_prior = WEIGHT_OF_TRAINING_SHARES * n_texts
    shares = np.maximum((counts + n_prior * reference.shares) / (n_texts + n_prior), SMALLEST_SHARE)
    middle, mean = counts @ around / n_texts, scores.mean(axis=0)
    expected = responsibilities @ around - middle
    covered = np.einsum("nd,de,ne->", scores - mean, precision, expected)
    size = np.einsum("c,cd,de,ce->", counts, around - middle, precision, around - middle)
    prior = N_PRIOR_TEXTS * np.einsum("c,cd,de,ce->", reference.shares, around, precision, around)
    contrast = (covered + prior * EXPECTED_CONTRAST) / max(size + prior, 1e-12)
    contrast = float(np.clip(contrast, *CONTRASTS))
    shift = mean - contrast * middle
    fit = _Mixture(shift, contrast, 1.0, shares / shares.sum(), responsibilities)
    squared = _squared_distances(scores, fit, around, precision)
    noise = float((responsibilities * squared).sum()) / n_directions
    return replace(fit, variance=(noise + N_PRIOR_TEXTS) / (n_texts + N_PRIOR_TEXTS))


def _squared_distances(
    scores: Doubles2d, fit: _Mixture, around: Doubles2d, precision: Doubles2d
) -> Doubles2d:
    """Return (s − δ − a (m_c − m̄))ᵀ Σ⁻¹ (…): float64 (n_texts, n_classes)."""
    rest = (scores - fit.shift)[:, None] - fit.contrast * around
    squared: Doubles2d = np.einsum("ncd,de,nce->nc", rest, precision, rest)
    return squared


def _centred(scores: Doubles2d) -> Doubles2d:
    centred: Doubles2d = scores - scores.mean(axis=-1, keepdims=True)
    return centred
