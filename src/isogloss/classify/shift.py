"""How a language's vectors are shifted, estimated from texts without labels, and its correction.

The vectors of a language lie beside those of the training language, and closer together (Pires,
Schlinger and Garrette 2019 translate by the offset of the means). Of that a linear classifier sees
what it does to the scores s = W x + b of a text, a handful of numbers. Here the scores of a text
of class c are modelled as

    s = δ + a (m_c − m̄) + noise,   noise ~ N(0, v Σ)

with the means m_c of the classes and the covariance Σ within them taken from held-out training
texts, m̄ their mean. δ, the scale a, v and the class priors of the texts are estimated together by
EM, with weak priors of their own. The mean of the texts alone (δ = mean of s) would take other
class priors for a shift; δ and the priors without a let one class swallow all others.

The correction is x' = (x − d) / a with W d = δ, up to b: a language's own standardisation.
"""

from dataclasses import dataclass, replace

import numpy as np
import scipy

from isogloss.arrays import Doubles1d, Doubles2d, Floats2d
from isogloss.classify.heads.head import Head
from isogloss.learn.linear_head import LinearHead, Standardisation, folds_of, out_of_fold
from isogloss.learn.objective import Targets
from isogloss.limits import Count, Positive

EXPECTED_SCALE = 0.85  # of a language that training has not seen
N_PRIOR_TEXTS = 10  # texts that the expected scale, and v = 1, count as
WEIGHT_OF_TRAINING_PRIORS = 1.0  # weight of the training priors, per text
SMALLEST_PRIOR = 1e-4
SCALES = (0.2, 1.5)
N_STEPS = 200
TOLERANCE = 1e-5


@dataclass(frozen=True)
class ScoreReference:
    """What the scores of training texts look like to a classifier not fitted on them.

    Scores are centred: a text's scores add up to 0.
    """

    centres: Doubles2d  # m_c: float64 (n_classes, n_classes), a row for each class
    spread: Doubles2d  # Σ: float64 (n_classes, n_classes)
    priors: Doubles1d  # of the classes in training: float64 (n_classes,)

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
        priors = np.bincount(y, minlength=n_classes) / len(y)
        return cls(centres, rest.T @ rest / len(y), priors)

    @property
    def precision(self) -> Doubles2d:
        """Σ⁻¹ in the subspace of centred scores: float64 (n_classes, n_classes)."""
        return np.asarray(np.linalg.pinv(self.spread, rcond=1e-6, hermitian=True), np.float64)

    @property
    def mean(self) -> Doubles1d:
        """m̄: float64 (n_classes,)."""
        return self.priors @ self.centres


@dataclass(frozen=True)
class ShiftCorrection:
    """How vectors of a language are corrected before they are classified."""

    offset: Doubles1d  # d, in standard deviations of the training vectors: float64 (width,)
    scale: Positive  # a: how far apart the classes lie, 1 as in training
    n_texts: Count  # texts that it was learned from

    def apply(self, head: Head) -> Head:
        """Return the head of this language: its linear part with another standardisation."""
        own = head.linear.standardisation
        corrected = Standardisation(
            own.mean + own.deviation * self.offset, own.deviation * self.scale
        )
        return head.with_linear(replace(head.linear, standardisation=corrected))


@dataclass(frozen=True)
class EstimatedShift:
    """A correction, and how the texts look under it."""

    correction: ShiftCorrection  # the correction itself
    # size of the shift of the scores: root mean square over their directions, in standard
    # deviations within a class
    distance: float
    # a / √v: how clearly the texts fall into classes, 1 as held-out training texts do
    separation: float
    class_priors: Doubles1d  # of the texts: float64 (n_classes,)
    prior_shift: float  # their total variation from those of training, 0 to 1


def scores_of(linear: LinearHead, inputs: Floats2d | Doubles2d) -> Doubles2d:
    """Return the centred scores of inputs (n_texts, width): float64 (n_texts, n_classes)."""
    return _centred(linear.standardisation(inputs) @ linear.weight.T + linear.bias)


def estimate_shift(
    linear: LinearHead, reference: ScoreReference, inputs: Floats2d | Doubles2d
) -> EstimatedShift:
    """Estimate a language's shift from inputs (n_texts, width) of its texts, without labels."""
    scores = scores_of(linear, inputs)
    fit = _fit_mixture(scores, reference)
    weight, bias = _centred(linear.weight.T).T, linear.bias - linear.bias.mean()
    # The corrected score of a text at δ is m̄. Where W is blind the offset is that of the mean.
    wanted = fit.shift - bias + fit.scale * (bias - reference.mean)
    offset = linear.standardisation(inputs).mean(axis=0)
    offset += np.linalg.pinv(weight, rcond=1e-9) @ (wanted - weight @ offset)
    away = fit.shift - reference.mean
    distance = np.sqrt(away @ reference.precision @ away / (len(away) - 1))
    priors = fit.responsibilities.mean(axis=0)
    return EstimatedShift(
        ShiftCorrection(offset, fit.scale, len(scores)),
        float(distance),
        float(fit.scale / np.sqrt(fit.variance)),
        priors,
        float(np.abs(priors - reference.priors).sum() / 2),
    )


@dataclass(frozen=True)
class _Mixture:
    shift: Doubles1d  # δ
    scale: float  # a
    variance: float  # v
    priors: Doubles1d
    responsibilities: Doubles2d  # p(c | s): (n_texts, n_classes)


def _fit_mixture(scores: Doubles2d, reference: ScoreReference) -> _Mixture:
    """Return the likeliest mixture, from the mean of the texts and the priors of training."""
    around, precision = reference.centres - reference.mean, reference.precision
    fit = _Mixture(scores.mean(axis=0), EXPECTED_SCALE, 1.0, reference.priors, scores)
    for _ in range(N_STEPS):
        squared = _squared_distances(scores, fit, around, precision)
        responsibilities = scipy.special.softmax(
            np.log(fit.priors) - squared / (2 * fit.variance), axis=1
        )
        better = _maximise(scores, responsibilities, reference, precision)
        change = max(
            np.abs(better.shift - fit.shift).max(),
            abs(better.scale - fit.scale),
            np.abs(better.priors - fit.priors).max(),
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
    counts = responsibilities.sum(axis=0)  # expected texts of each class: (n_classes,)
    n_prior = WEIGHT_OF_TRAINING_PRIORS * n_texts
    priors = np.maximum((counts + n_prior * reference.priors) / (n_texts + n_prior), SMALLEST_PRIOR)
    # Weighted least squares in the metric Σ⁻¹: a from how far texts lie in the direction of their
    # classes (covered) and how far those lie apart (size); the expected scale is texts more.
    middle, mean = counts @ around / n_texts, scores.mean(axis=0)
    expected = responsibilities @ around - middle
    covered = np.einsum("nd,de,ne->", scores - mean, precision, expected)
    size = np.einsum("c,cd,de,ce->", counts, around - middle, precision, around - middle)
    prior = N_PRIOR_TEXTS * np.einsum("c,cd,de,ce->", reference.priors, around, precision, around)
    scale = (covered + prior * EXPECTED_SCALE) / max(size + prior, 1e-12)
    scale = float(np.clip(scale, *SCALES))
    shift = mean - scale * middle
    fit = _Mixture(shift, scale, 1.0, priors / priors.sum(), responsibilities)
    squared = _squared_distances(scores, fit, around, precision)
    noise = float((responsibilities * squared).sum()) / n_directions
    return replace(fit, variance=(noise + N_PRIOR_TEXTS) / (n_texts + N_PRIOR_TEXTS))


def _squared_distances(
    scores: Doubles2d, fit: _Mixture, around: Doubles2d, precision: Doubles2d
) -> Doubles2d:
    """Return (s − δ − a (m_c − m̄))ᵀ Σ⁻¹ (…): float64 (n_texts, n_classes)."""
    rest = (scores - fit.shift)[:, None] - fit.scale * around
    squared: Doubles2d = np.einsum("ncd,de,nce->nc", rest, precision, rest)
    return squared


def _centred(scores: Doubles2d) -> Doubles2d:
    centred: Doubles2d = scores - scores.mean(axis=-1, keepdims=True)
    return centred
