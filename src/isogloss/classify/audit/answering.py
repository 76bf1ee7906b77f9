"""What the model says of the rows of an audit: its answers, and the accuracy to expect."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.classify.audit.key import ExpectedAccuracy
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.forecast import forecast_row
from isogloss.errors import InputError
from isogloss.text.languages import UNKNOWN

ROWS = 1024  # of a block; memory does not grow with the file


@dataclass(frozen=True)
class Answers:
    """Of texts, in their order.

    Attributes
    ----------
    classes
        Position of the predicted class.
    probabilities
        Of the predicted class.
    forecasts
        Language to its accuracy to expect; without those that the model is adapted to, and empty
        where the model has nothing to compare with.
    """

    classes: list[int]
    probabilities: list[float]
    forecasts: dict[str, ExpectedAccuracy]


def class_names(fitted: FittedClassifier) -> list[str]:
    """Return the classes as they are written in a sheet.

    Raises
    ------
    InputError
        When two are written alike, or one is blank.
    """
    names = [str(label).strip() for label in fitted.classes.tolist()]
    alike = next((name for name in names if not name or names.count(name) > 1), None)
    if alike is not None:
        raise InputError(
            f"the model has labels that a sheet cannot tell apart (written {alike!r:.40}); fit it "
            "with labels that differ in more than blanks"
        )
    return names


def answer_texts(
    fitted: FittedClassifier,
    texts: Sequence[str],
    langs: Sequence[str | None],
    *,
    fallback_lang: str | None = None,
) -> Answers:
    """Answer texts, and forecast the accuracy in their languages by the same vectors."""
    classes: list[int] = []
    probabilities: list[float] = []
    agreements: list[Doubles1d] = []
    reference = fitted.forecast_reference
    for start in range(0, len(texts), ROWS):
        block = slice(start, start + ROWS)
        prepared = fitted.prepare(texts[block], list(langs[block]), fallback_lang=fallback_lang)
        found = fitted.probabilities(prepared)
        classes += found.argmax(axis=1).tolist()
        probabilities += found.max(axis=1).tolist()
        if reference is not None:
            agreements.append(reference.agreement_on(prepared.vectors))
    if reference is None:
        return Answers(classes, probabilities, {})
    forecasts, codes, agreement = {}, np.array(langs, dtype=object), np.concatenate(agreements)
    for lang in dict.fromkeys(langs):
        if lang in fitted.corrections:
            continue
        own = agreement[codes == lang]
        row = forecast_row(
            reference, float(own.mean()), len(own), n_training=fitted.n_training_documents
        )
        forecasts[lang or UNKNOWN] = ExpectedAccuracy(row["expected"], row["low"], row["high"])
    return Answers(classes, probabilities, forecasts)
