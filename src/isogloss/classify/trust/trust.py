"""What a fitted classifier keeps so that its answers can be trusted: temperature and reference.

The temperature (`calibration`) is that of the encoder-only classifier, so that ``mboe-plus`` with
nothing linked still answers as the encoder alone does, to the bit. ``mboe``, whose answers are not
the encoder's own once training linked anything, and tuned encoders have no answers out of fold:
they are calibrated on development data, or not at all; ``mboe-plus`` by the encoder alone there
too. The reference is `forecast`'s.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from isogloss.arrays import Doubles2d, Ints1d
from isogloss.classify.heads.head import linear_part
from isogloss.classify.heads.mboe import MboeHead
from isogloss.classify.saving.heads import Arrays, fitting_array
from isogloss.classify.trust.forecast import ForecastReference
from isogloss.learn.linear_head import folds_of, out_of_fold
from isogloss.learn.one_thread import one_thread
from isogloss.statistics.calibration import (
    FEWEST_TEXTS,
    expected_calibration_error,
    fit_temperature,
    tempered,
)
from isogloss.storage.files import saved_number, saved_text

if TYPE_CHECKING:
    from isogloss.classify.heads.head import Head
    from isogloss.classify.tuning.fit import Part

UNCALIBRATED = "not calibrated"
TOO_FEW = f"{UNCALIBRATED}: too few texts"
NO_DEVELOPMENT = f"{UNCALIBRATED}: no development texts"
OUT_OF_FOLD = "training texts, out of fold"
DEVELOPMENT = "development data"


@dataclass(frozen=True)
class Trust:
    """Calibration and the reference of forecasts.

    Attributes
    ----------
    temperature
        T; 1 where there was nothing to fit it on, or too little.
    fitted_on
        What it was fitted on, in words; `UNCALIBRATED` and why where it was not.
    error_before, error_after
        Expected calibration error on the same texts; None without.
    reference
        None where there were too few texts, label sets, or a tuned encoder.
    """

    temperature: float = 1.0
    fitted_on: str = UNCALIBRATED
    error_before: float | None = None
    error_after: float | None = None
    reference: ForecastReference | None = field(default=None, repr=False)

    def settings(self) -> dict[str, Any]:
        """Return what goes into a model's manifest."""
        reference = self.reference
        return {
            "temperature": self.temperature,
            "fitted_on": self.fitted_on,
            "error_before": self.error_before,
            "error_after": self.error_after,
            "reference": None if reference is None else {
                "accuracy": reference.accuracy,
                "agreement": reference.agreement,
                "temperature": reference.temperature,
            },
        }  # fmt: skip

    def arrays(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return what goes into a model's arrays."""
        if self.reference is None:
            return {}
        return {"trust.weight": self.reference.weight, "trust.bias": self.reference.bias}

    @property
    def is_calibrated(self) -> bool:
        """Whether there was something to fit the temperature on."""
        return not self.fitted_on.startswith(UNCALIBRATED)

    @classmethod
    def of(
        cls, settings: Mapping[str, Any], arrays: Arrays, *, n_classes: int, width: int
    ) -> "Trust":
        """Read what `settings` and `arrays` gave, of a head of so many classes and that width.

        Raises
        ------
        ValueError, KeyError, TypeError
            When something is missing or of another kind.
        """
        reference, errors = settings["reference"], ("error_before", "error_after")
        if reference is not None:
            numbers = {
                name: saved_number(reference, name, positive=name != "accuracy")
                for name in ("accuracy", "agreement", "temperature")
            }
            weight = fitting_array(arrays, "trust.weight", None, n_classes, width)
            bias = fitting_array(
                arrays, "trust.bias", *weight.shape[:2], may_be_minus_infinity=True
            )
            reference = ForecastReference(**numbers, weight=weight, bias=bias)
        return cls(
            temperature=saved_number(settings, "temperature", positive=True),
            fitted_on=saved_text(settings, "fitted_on"),
            **{
                name: None if settings[name] is None else saved_number(settings, name)
                for name in errors
            },
            reference=reference,
        )


def fit_trust(
    head: "Head",
    train: "Part",
    dev: "Part | None",
    answers_on_dev: Doubles2d | None,
    n_classes: int,
    *,
    tuned: bool,
    seed: int,
) -> Trust:
    """Fit both for a head of one label a text.

    Parameters
    ----------
    answers_on_dev
        log p(c | D) of `dev`, by the head as it is.
    tuned
        Whether the encoder was tuned.
    """
    linear, classes, vectors = linear_part(head), cast(Ints1d, train.y), train.documents.vectors
    whole = isinstance(head, MboeHead) and len(head.memory.entities) > 0
    with one_thread():
        # The whole head and a tuned encoder have no answers out of fold.
        folds = None if whole or tuned else folds_of(classes, seed=seed)
        trust = Trust(fitted_on=NO_DEVELOPMENT if whole or tuned else TOO_FEW)
        is_enough = folds is None or (dev is not None and len(dev.y) >= FEWEST_TEXTS)
        if dev is not None and answers_on_dev is not None and is_enough:
            held_out = answers_on_dev if whole else linear.log_probabilities(dev.documents.vectors)
            trust = calibrated(held_out, cast(Ints1d, dev.y), DEVELOPMENT)
        elif folds is not None:
            held_out = out_of_fold(vectors, classes, n_classes, folds, C=linear.C)
            trust = calibrated(held_out, classes, OUT_OF_FOLD)
        if tuned:
            return trust
        reference = ForecastReference.fit(vectors, classes, n_classes, C=linear.C, seed=seed)
    return replace(trust, reference=reference)


def calibrated(log_probabilities: Doubles2d, y: Ints1d, fitted_on: str) -> Trust:
    """Return the calibration on held-out log p(c | D) (n_documents, n_classes), classes `y`.

    `fitted_on` says what these are; fewer than `FEWEST_TEXTS` leave the answers as they are.
    """
    if len(y) < FEWEST_TEXTS:
        return Trust(fitted_on=f"{TOO_FEW} ({len(y)} of {FEWEST_TEXTS})")
    temperature = fit_temperature(log_probabilities, y)
    correct = log_probabilities.argmax(axis=1) == y
    before, after = (
        expected_calibration_error(np.exp(answers.max(axis=1)), correct)
        for answers in (log_probabilities, tempered(log_probabilities, temperature))
    )
    return Trust(temperature, fitted_on, before, after)
