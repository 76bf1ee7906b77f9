"""What the labels of an audit say: accuracy by language, against a target, and the mistakes.

Rows of a language are a random sample, so the accuracy has Wilson's interval; drawn by class, each
answer counts as often as it is in the file, and the interval is that of strata
(`interval_of_strata`); assisted, it is that of `statistics.assisted`. It is for texts like those of
the file, of which these are a sample too: no correction is made where nearly all rows were
labelled.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from isogloss.classify.audit.key import DrawnRow, ExpectedAccuracy, Key
from isogloss.classify.audit.reading import LEFT_UNSURE, UNLABELLED
from isogloss.statistics.assisted import FEWEST, Moments, assisted_interval
from isogloss.statistics.intervals import QUANTILE, Interval, Verdict, interval_of_strata

_MOST_MORE = 1_000_000  # labels; beyond, the accuracy is the target for all that can be told


@dataclass(frozen=True)
class Mistake:
    """The most frequent wrong answer of a language."""

    answer: str
    label: str
    n: int


@dataclass(frozen=True)
class LanguageAudit:
    """What is known of one language.

    Attributes
    ----------
    n, n_unsure, n_unlabelled
        Rows with a label, that were left unsure, and that have no label yet; the last two do not
        count.
    accuracy
        With its interval; NaN where no row has a label.
    n_rows
        Of the language in the file.
    mistake
        None: all answers are right.
    expected
        What was forecast; None: nothing.
    is_assisted
        Whether the answers to rows without a label have a part in the accuracy.
    """

    lang: str
    n: int
    n_unsure: int
    n_unlabelled: int
    n_rows: int
    accuracy: Interval
    mistake: Mistake | None
    expected: ExpectedAccuracy | None
    is_assisted: bool = False

    @property
    def n_left(self) -> int:
        """How many rows of the language in the file nobody has looked at."""
        return self.n_rows - self.n - self.n_unsure

    def verdict(self, target: float) -> Verdict:
        """Say on which side of the target the whole interval is, or that this is open."""
        return self.accuracy.verdict(target)

    def n_more(self, target: float) -> int | None:
        """Return about how many more labels settle an open verdict, if accuracy stays as it is.

        Wilson's interval leaves a target t out as soon as n > z² t (1 - t) / (p - t)². Drawn by
        class, labels are worth more or less than that, as now. None: the accuracy is the target.
        """
        share = self.accuracy.value
        if self.verdict(target) != "open":
            return 0
        if not self.n or not 0 < target < 1 or math.isclose(share, target):
            return None
        end = self.accuracy.low if share > target else self.accuracy.high
        worth = _n_to_leave_out(share, end) / self.n if 0 < end < 1 else 1.0
        needed = math.floor(_n_to_leave_out(share, target) / worth) + 1
        return max(1, needed - self.n) if needed < _MOST_MORE else None


def audit_languages(
    key: Key, labels: Sequence[int], *, assist: bool = False
) -> list[LanguageAudit]:
    """Return what is known of each language of a key, in its order, from the label of each row.

    Parameters
    ----------
    assist
        Use what the key says of the rows without a label, in languages with `FEWEST` labels or more
        and no row left unsure: among the others nobody said which are.
    """
    of_lang: dict[str, list[tuple[DrawnRow, int]]] = defaultdict(list)
    for row, label in zip(key.rows, labels, strict=True):
        of_lang[row.lang].append((row, label))
    found = [_language(key, lang, rows) for lang, rows in of_lang.items()]
    if not assist:
        return found
    return [_assisted(key, one, of_lang[one.lang]) for one in found]


def _assisted(key: Key, found: LanguageAudit, rows: list[tuple[DrawnRow, int]]) -> LanguageAudit:
    """Return an audit with the answers to other rows, or as it was where they cannot be used."""
    others = key.others.get(found.lang)
    known = [(row.probability, row.answer == label) for row, label in rows if label >= 0]
    said = [probability for probability, _ in known if probability is not None]
    if others is None or len(said) < max(len(known), FEWEST) or found.n_unsure:
        return found
    accuracy = assisted_interval(
        np.array([right for _, right in known], dtype=bool),
        np.array(said, dtype=np.float64),
        Moments(others.n, others.mean, others.variance),
    )
    return replace(found, accuracy=accuracy, is_assisted=True)


def _language(key: Key, lang: str, rows: list[tuple[DrawnRow, int]]) -> LanguageAudit:
    labelled = [(row.answer, label) for row, label in rows if label >= 0]
    strata = [stratum for stratum in key.strata if stratum.lang == lang]
    of_strata = [
        [answer == label for answer, label in labelled if stratum.answer in (None, answer)]
        for stratum in strata
    ]
    sizes = {stratum.answer: stratum.n_rows for stratum in strata}
    return LanguageAudit(
        lang=lang,
        n=len(labelled),
        n_unsure=sum(label == LEFT_UNSURE for _, label in rows),
        n_unlabelled=sum(label == UNLABELLED for _, label in rows),
        n_rows=sum(sizes.values()),
        accuracy=interval_of_strata(
            np.array([stratum.n_rows for stratum in strata], np.float64),
            np.array([sum(right) for right in of_strata], np.float64),
            np.array([len(right) for right in of_strata], np.float64),
        ),
        mistake=_mistake(key, labelled, sizes),
        expected=key.forecasts.get(lang),
    )


def _mistake(
    key: Key, labelled: list[tuple[int, int]], sizes: dict[int | None, int]
) -> Mistake | None:
    """Return the most frequent mistake: in the file, where answers were drawn equally often."""
    met = Counter(pair for pair in labelled if pair[0] != pair[1])
    drawn = Counter(answer for answer, _ in labelled)
    if not met:
        return None

    def frequency(pair: tuple[int, int]) -> float:
        return met[pair] * (sizes[pair[0]] / drawn[pair[0]] if key.by_class else 1)

    answer, label = max(sorted(met), key=frequency)
    return Mistake(key.classes[answer], key.classes[label], met[answer, label])


def _n_to_leave_out(share: float, target: float) -> float:
    """Return of how many units Wilson's interval of a share ends at the target."""
    return QUANTILE**2 * target * (1 - target) / (share - target) ** 2
