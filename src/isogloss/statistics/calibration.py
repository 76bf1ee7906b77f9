"""How sure a classifier may sound: temperature scaling, calibration error, abstaining.

A head with a strong penalty says .7 where it is right in .87 of cases. One number mends that: the
temperature T of Guo et al. (2017), p(c | D) ∝ p(c | D)^(1/T), chosen by the log-loss of documents
that the head was not fitted on. It keeps the order of the classes, so labels stay.

T is that of the training language. Nothing promises that it holds in another: see
docs/trust.md for how far it did.
"""

from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np
import scipy

from isogloss.arrays import Bools1d, Doubles1d, Doubles2d, Doubles3d, Ints1d
from isogloss.errors import InputError

Doubles = TypeVar("Doubles", Doubles2d, Doubles3d)

N_BINS = 15
FEWEST_TEXTS = 20  # to fit a temperature on; fewer hardly tell a standard error
LARGEST_LOG_TEMPERATURE = float(np.log(20.0))


def fit_temperature(log_probabilities: Doubles2d, y: Ints1d) -> float:
    """Return the temperature with the least log-loss on documents that were held out.

    Parameters
    ----------
    log_probabilities
        log p(c | D) before scaling: (n_documents, n_classes).
    y
        int64 (n_documents,): the right class of each.

    One document's weight of doubt, spread over the classes, is added, as in Platt (1999):
    otherwise a few documents that are all right would call for T = 0. T stays 1 unless it gains
    more than one standard error of the paired difference, and with fewer than `FEWEST_TEXTS`.
    """
    n_documents, n_classes = log_probabilities.shape
    if n_documents < FEWEST_TEXTS:
        return 1.0
    doubt = 1.0 / (n_documents + 2)
    target = np.full((n_documents, n_classes), doubt / n_classes)
    target[np.arange(n_documents), y] += 1.0 - doubt

    def losses(temperature: float) -> Doubles1d:
        scaled = np.maximum(tempered(log_probabilities, temperature), np.log(1e-12))
        return np.asarray(-(target * scaled).sum(axis=1), dtype=np.float64)

    found = scipy.optimize.minimize_scalar(
        lambda log_temperature: float(losses(np.exp(log_temperature)).sum()),
        bounds=(-LARGEST_LOG_TEMPERATURE, LARGEST_LOG_TEMPERATURE),
        method="bounded",
        options={"xatol": 1e-6},
    )
    temperature = float(np.exp(found.x))
    gain = losses(1.0) - losses(temperature)
    return temperature if gain.mean() > gain.std(ddof=1) / np.sqrt(n_documents) else 1.0


def tempered(log_probabilities: Doubles, temperature: float) -> Doubles:
    """Return log p(c | D) at a temperature, of the shape given; 1 changes nothing."""
    if temperature == 1.0:
        return log_probabilities
    scaled: Doubles = scipy.special.log_softmax(log_probabilities / temperature, axis=-1)
    return scaled


class ReliabilityBin(NamedTuple):
    """Documents of similar confidence: how many, how sure, how often right."""

    n: int
    confidence: float
    accuracy: float


def reliability(
    confidence: Doubles1d, correct: Bools1d, *, n_bins: int = N_BINS
) -> list[ReliabilityBin]:
    """Sort documents by confidence into bins of equal size (equal mass), the least sure first.

    Documents of the same confidence share a bin, that of the middle one of them: the order of the
    documents changes nothing, and there may be fewer bins.

    With fewer documents than bins each is its own.
    """
    n = len(confidence)
    _, value, n_alike = np.unique(confidence, return_inverse=True, return_counts=True)
    middle = np.cumsum(n_alike) - (n_alike + 1) / 2  # rank of the middle one
    ends = np.cumsum([len(part) for part in np.array_split(np.arange(n), min(n_bins, n) or 1)])
    bin_of = np.searchsorted(ends, middle, side="right")[value]
    groups = [bin_of == number for number in np.unique(bin_of)]
    return [
        ReliabilityBin(
            int(group.sum()), float(confidence[group].mean()), float(correct[group].mean())
        )
        for group in groups
    ]


def expected_calibration_error(confidence: Doubles1d, correct: Bools1d) -> float:
    """Return the mean over documents of |accuracy - confidence| of their bin (Naeini et al. 2015).

    Over `N_BINS` bins of equal mass; NaN without documents. Even perfect probabilities score
    above 0 on few documents, by the noise of each bin.
    """
    bins = reliability(confidence, correct)
    if not bins:
        return float(np.nan)
    gaps = [entry.n * abs(entry.accuracy - entry.confidence) for entry in bins]
    return float(sum(gaps) / sum(entry.n for entry in bins))


def check_threshold(
    threshold: float | None, name: str = "abstain_below", *, what: str = "a probability"
) -> None:
    """Raise `InputError` unless the probability to abstain below is None or in 0 to 1."""
    is_number = isinstance(threshold, int | float | np.number) and not isinstance(threshold, bool)
    if threshold is not None and not (is_number and 0.0 <= threshold <= 1.0):
        raise InputError(f"{name} is {threshold!r}; {what} in 0 to 1 is allowed")


@dataclass(frozen=True)
class Coverage:
    """What is left when a classifier may abstain."""

    coverage: float  # share of documents that get a label
    accuracy: float | None  # share of these that are right; None where none gets one


def coverage_at(confidence: Doubles1d, correct: Bools1d, threshold: float) -> Coverage:
    """Leave out documents whose confidence is below `threshold`."""
    kept = confidence >= threshold
    if not kept.any():
        return Coverage(0.0, None)
    return Coverage(float(kept.mean()), float(correct[kept].mean()))
