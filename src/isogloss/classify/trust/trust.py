"""Calibration of a fitted classifier: the temperature, and what it was fitted on.

The temperature (`calibration`) is that of the encoder-only classifier, so that ``mboe-plus`` with
nothing linked still answers as the encoder alone does, to the bit. ``mboe``, whose answers are not
the encoder's own once training linked anything, and fine-tuned encoders have no out-of-fold
predictions: they are calibrated on development data, or not at all; ``mboe-plus`` by the encoder
alone there too.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import cast

import numpy as np

from isogloss.arrays import Doubles2d, Ints1d
from isogloss.classify.documents.documents import Part
from isogloss.classify.heads.head import Head
from isogloss.learn.linear_head import folds_of, out_of_fold
from isogloss.learn.threads import one_thread
from isogloss.limits import Count, Positive, Share
from isogloss.statistics.calibration import (
    FEWEST_TEXTS,
    expected_calibration_error,
    fit_temperature,
    tempered,
)


class Calibration(StrEnum):
    """What the temperature was fitted on, or why on nothing; the value is what files hold."""

    LABEL_SETS = "label-sets"
    TOO_FEW_TEXTS = "too-few-texts"
    NO_DEVELOPMENT = "no-development"
    OUT_OF_FOLD = "out-of-fold"
    DEVELOPMENT = "development"

    def describe(self) -> str:
        """Return it in words."""
        return _FITTED_ON[self]


_FITTED_ON = {
    Calibration.LABEL_SETS: "not calibrated: those of label sets never are",
    Calibration.TOO_FEW_TEXTS: "not calibrated: too few texts",
    Calibration.NO_DEVELOPMENT: "not calibrated: no development texts",
    Calibration.OUT_OF_FOLD: "training texts, out-of-fold",
    Calibration.DEVELOPMENT: "development data",
}
FITTED = (Calibration.OUT_OF_FOLD, Calibration.DEVELOPMENT)


@dataclass(frozen=True)
class Trust:
    """Calibration.

    Attributes
    ----------
    temperature
        T; 1 where there was nothing to fit it on, or too little.
    fitted_on
        What it was fitted on.
    n_texts
        How many there were where they were too few; None elsewhere.
    error_before, error_after
        Expected calibration error on the same texts; None without.
    """

    temperature: Positive = 1.0
    fitted_on: Calibration = Calibration.LABEL_SETS
    n_texts: Count | None = None
    error_before: Share | None = None
    error_after: Share | None = None

    @property
    def is_calibrated(self) -> bool:
        """Whether there was something to fit the temperature on."""
        return self.fitted_on in FITTED

    def describe(self) -> str:
        """Return what the temperature was fitted on, in words."""
        n = "" if self.n_texts is None else f" ({self.n_texts} of {FEWEST_TEXTS})"
        return f"{self.fitted_on.describe()}{n}"


def fit_trust(
    head: Head,
    train: Part,
    dev: Part | None,
    answers_on_dev: Doubles2d | None,
    n_classes: int,
    *,
    tuned: bool,
    seed: int,
) -> Trust:
    """Calibrate a head of one label a text.

    Parameters
    ----------
    answers_on_dev
        log p(c | D) of `dev`, by the head as it is.
    tuned
        Whether the encoder was fine-tuned.
    """
    from isogloss.classify.heads.mboe import MboeHead

    linear, classes, vectors = head.linear, cast(Ints1d, train.y), train.documents.vectors
    whole = isinstance(head, MboeHead) and len(head.memory.entities) > 0
    with one_thread():
        # The whole head and a fine-tuned encoder have no out-of-fold predictions.
        folds = None if whole or tuned else folds_of(classes, seed=seed)
        nothing = Calibration.NO_DEVELOPMENT if whole or tuned else Calibration.TOO_FEW_TEXTS
        is_enough = folds is None or (dev is not None and len(dev.y) >= FEWEST_TEXTS)
        if dev is not None and answers_on_dev is not None and is_enough:
            held_out = answers_on_dev if whole else linear.log_probabilities(dev.documents.vectors)
            return calibrated(held_out, cast(Ints1d, dev.y), Calibration.DEVELOPMENT)
        if folds is not None:
            held_out = out_of_fold(vectors, classes, n_classes, folds, C=linear.C)
            return calibrated(held_out, classes, Calibration.OUT_OF_FOLD)
    return Trust(fitted_on=nothing)


def calibrated(log_probabilities: Doubles2d, y: Ints1d, fitted_on: Calibration) -> Trust:
    """Return the calibration on held-out log p(c | D) (n_documents, n_classes), classes `y`.

    `fitted_on` says what these are; fewer than `FEWEST_TEXTS` leave the answers as they are.
    """
    if len(y) < FEWEST_TEXTS:
        return Trust(fitted_on=Calibration.TOO_FEW_TEXTS, n_texts=len(y))
    temperature = fit_temperature(log_probabilities, y)
    correct = log_probabilities.argmax(axis=1) == y
    before, after = (
        expected_calibration_error(np.exp(answers.max(axis=1)), correct)
        for answers in (log_probabilities, tempered(log_probabilities, temperature))
    )
    return Trust(temperature, fitted_on, error_before=before, error_after=after)
