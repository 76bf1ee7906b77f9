"""Expected accuracy in a language before a single label of it is seen, with an interval.

Pairs of heads are fitted on separate halves of the training data. Their agreement, the probability
that two labels drawn from their answers are the same, falls as a language moves away from the
training data, and so does accuracy:

    expected accuracy = accuracy on held-out training documents · agreement / agreement on the same

(a soft form of generalisation disagreement, Jiang et al. 2022), and never more than the first.
Nothing is fitted to labels of other languages. Of few texts there is the interval alone. Agreement
stands a different mix of classes; measures that compare the predicted
class priors with those of training do not, however well they do where these are the same
everywhere. What else was tried and how far off the forecasts are: docs/trust.md.

The classifier is judged without its entities, which change little; labels that training lacks
cannot be foretold.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from isogloss.classify.documents.documents import Languages, rows_of
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.labels.columns import checked_texts
from isogloss.classify.trust.reference import ForecastReference
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.report.table import Table
from isogloss.statistics.intervals import Interval, interval_of_share
from isogloss.text.languages import UNKNOWN, in_order_of_codes

SPREAD = 0.06  # standard deviation of the errors of forecasts: benchmarks/forecast.py
FEW_TO_TRAIN = 16  # texts; (16 / n)² is another such deviation: benchmarks/forecast_few.py
NORMAL_95 = 1.96
FAR_BELOW_OTHERS = 0.12  # of the median forecast of the languages at hand
FAR_BELOW_TRAINING = 0.25  # of the accuracy in the training language
FEW_TEXTS = 50
BELOW_OTHERS, BELOW_TRAINING = "below the other languages", "far below the training language"
FEW = "few texts"
COLUMNS = ("lang", "n", "expected", "low", "high", "agreement", "flag")


@dataclass(frozen=True)
class Forecast:
    """Accuracy to expect, language by language.

    Attributes
    ----------
    training_accuracy, training_low, training_high
        Of held-out documents of the training language, with its 95 % Wilson interval.
    n_training
        How many these are.
    target
        An accuracy that rows are compared with (`against`); None: they have no ``target``.
    rows
        One dictionary a language, with the keys `COLUMNS`. ``low`` and ``high`` are a nominal
        interval of 95 % for the accuracy on as many texts as these; what it held where it was
        measured: docs/trust.md. ``expected`` is None with fewer than `FEW_TEXTS`. ``flag`` says
        what to look at; empty: nothing.
    """

    training_accuracy: float
    training_low: float
    training_high: float
    n_training: int
    rows: list[dict[str, Any]]
    target: float | None = None

    @property
    def to_label(self) -> list[str]:
        """The languages whose accuracy is worth some labels: flagged, or on no side of a target.

        Texts of no known language are not among them: `audit draw` leaves them out.
        """
        open_or_flagged = (
            row["lang"] for row in self.rows if row["flag"] or row.get("target") == "open"
        )
        return [lang for lang in open_or_flagged if lang != UNKNOWN]

    def against(self, target: float) -> "Forecast":
        """Return the same, where each row says on which side of a target its interval is."""
        rows = [
            row | {"target": Interval(math.nan, row["low"], row["high"]).verdict(target)}
            for row in self.rows
        ]
        return replace(self, rows=rows, target=target)

    def table(self) -> Table:
        """Return the rows as a `Table`."""
        *others, last = COLUMNS
        return Table(
            self.rows, columns=[*others, *(["target"] if self.target is not None else []), last]
        )

    def as_json(self) -> dict[str, Any]:
        """Return a dictionary, ready for `json`."""
        return asdict(self)


def forecast(fitted: FittedClassifier, X: Sequence[str], lang: Languages = None) -> Forecast:
    """Forecast the accuracy of a classifier on unlabelled texts of any number of languages.

    Parameters
    ----------
    X, lang
        Texts and their languages, as in `TextClassifier.predict`. A hundred texts of a language
        make a useful forecast; fewer than `FEW_TEXTS` give an interval alone.

    Raises
    ------
    InputError
        When there are no texts but of languages that the model is adapted to, or it has nothing
        to compare with: it gives label sets, its encoder was fine-tuned, or it was fitted on
        too few texts.

    Warns
    -----
    OmissionWarning
        When texts of languages that the model is adapted to are left out, or a language has few.
    """
    reference, texts = fitted.forecast_reference, checked_texts(X)
    langs = fitted.languages_of(texts, lang)
    kept = rows_to_forecast(
        langs, lack=fitted.lack_of(reference), corrected_langs=fitted.corrections
    )
    assert reference is not None
    if len(kept) < len(texts):
        corrected = sorted(set(fitted.corrections).intersection(langs))
        warn_omitted(
            f"{counted(len(texts) - len(kept), 'text')} in {', '.join(corrected)} left out: the "
            "model is adapted to them, and there is no forecast for corrected vectors"
        )
    alone = replace(fitted.preparation, kb=None)
    documents = alone.documents([texts[row] for row in kept], [langs[row] for row in kept])
    n_training = fitted.n_training_documents
    rows: list[dict[str, Any]] = []
    few: list[str] = []
    for code in in_order_of_codes(documents.langs):
        index = rows_of(documents.langs, code)
        agreement = float(reference.agreement_on(documents.vectors[index]).mean())
        row = forecast_row(reference, agreement, len(index), n_training=n_training)
        rows.append({"lang": code or UNKNOWN} | row)
        if row["expected"] is None:
            few.append(f"{code or UNKNOWN} ({len(index)})")
    if few:
        warn_omitted(
            f"few texts of {', '.join(few)}, so there is an interval alone; give {FEW_TEXTS} or "
            "more of a language"
        )
    flag_rows(rows, training_accuracy=reference.accuracy, training_langs=set(fitted.langs))
    found = interval_of_share(round(reference.accuracy * n_training), n_training)
    return Forecast(reference.accuracy, found.low, found.high, n_training, rows)


def rows_to_forecast(
    langs: Sequence[str | None], *, lack: str, corrected_langs: Collection[str]
) -> list[int]:
    """Return the rows of texts, by their languages, for which a model can make a forecast.

    Texts of languages that the model is adapted to are none of them: a correction makes texts look
    like those of training, and how far they do is what a forecast goes by (docs/trust.md).

    Parameters
    ----------
    lack
        Why the model has no `ForecastReference`; "" where it has one.
    corrected_langs
        Languages that it is adapted to.

    Raises
    ------
    InputError
        When there is no such row, or no reference.
    """
    if lack:
        raise InputError(f"this model has nothing to compare with, as {lack}")
    if not langs:
        raise InputError("there are no texts to forecast from")
    kept = [row for row, lang in enumerate(langs) if lang not in corrected_langs]
    if not kept:
        corrected = ", ".join(sorted(set(corrected_langs).intersection(langs)))
        raise InputError(
            f"the model is adapted to {corrected}, and there is no forecast for corrected vectors; "
            "forecast with the model as it was before (classify adapt --remove, with --out), or "
            "label some texts (classify audit)"
        )
    return kept


def forecast_row(
    reference: ForecastReference, agreement: float, n: int, *, n_training: int
) -> dict[str, Any]:
    """Return the row of a language, but for its code, by how far the pairs agree on `n` texts."""
    expected = reference.expected_accuracy(agreement)
    low, high = interval_of_forecast(
        expected, n, training_accuracy=reference.accuracy, n_training=n_training
    )
    return {
        "n": n,
        "expected": expected if n >= FEW_TEXTS else None,
        "low": low,
        "high": high,
        "agreement": agreement,
        "flag": "",
    }


def interval_of_forecast(
    expected: float, n: int, *, training_accuracy: float, n_training: int
) -> tuple[float, float]:
    """Return where the accuracy on `n` texts may lie, nominally in 95 of 100 cases.

    Four errors add up: that of forecasts (`SPREAD`), that of heads of few texts
    (`FEW_TO_TRAIN`), and the chances by which texts are met, of the language and of the
    `n_training` that the accuracy in training is from.
    """
    centre, variance = _of_few(expected, n)
    _, of_training = _of_few(training_accuracy, n_training)
    share = expected / training_accuracy if training_accuracy else 1.0
    of_heads = SPREAD**2 + (FEW_TO_TRAIN / n_training) ** 4
    reach = NORMAL_95 * float(np.sqrt(of_heads + variance + share**2 * of_training))
    return max(0.0, min(expected, centre - reach)), min(1.0, max(expected, centre + reach))


def _of_few(accuracy: float, n: int) -> tuple[float, float]:
    """Return centre and variance of an accuracy on `n` texts.

    The centre is that of Agresti and Coull (1998), with two right and two wrong texts more: else
    there would be no variance at an accuracy of 1, however few the texts.
    """
    centre = (accuracy * n + 2) / (n + 4)
    return centre, centre * (1 - centre) / n


def flag_rows(
    rows: list[dict[str, Any]], *, training_accuracy: float, training_langs: Collection[str]
) -> None:
    """Flag the languages that need a look.

    Training languages have no flag, and texts of no known language only that they are few. Neither
    is compared with, nor are languages of few texts.
    """
    others = [row for row in rows if row["lang"] not in {*training_langs, UNKNOWN}]
    judged = [row for row in others if row["n"] >= FEW_TEXTS]
    for row in rows:
        is_few = row["n"] < FEW_TEXTS and row["lang"] not in training_langs
        row["flag"] = FEW if is_few else ""
    middle = float(np.median([row["expected"] for row in judged])) if judged else 0.0
    for row in judged:
        if row["expected"] < (1 - FAR_BELOW_OTHERS) * middle:
            row["flag"] = BELOW_OTHERS
        elif row["expected"] < (1 - FAR_BELOW_TRAINING) * training_accuracy:
            row["flag"] = BELOW_TRAINING
