"""Reliability diagrams of the report: how sure a model is against how often it is right.

What is said and in which order the languages come is decided here; what a diagram looks like is
the template's business.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from isogloss.report.figures import decimal, is_number
from isogloss.text.languages import UNKNOWN

N_LANGUAGES_SHOWN = 12  # the others are folded away


class ReliabilityDot(NamedTuple):
    """Texts of similar confidence: how many, how sure, how often right, with its interval."""

    n: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float


@dataclass(frozen=True)
class LanguageReliability:
    """The diagram of a language, of `n` texts; `ece` is the expected calibration error."""

    lang: str  # canonical code, or "und"
    is_training: bool
    n: int
    ece: float
    confidence: float  # mean over the texts, as the accuracy
    accuracy: float
    dots: list[ReliabilityDot]  # the least confident first


class ReliabilityDiagrams(NamedTuple):
    """All diagrams, in order, cut into those shown and those folded away, with a sentence."""

    shown: list[LanguageReliability]
    folded: list[LanguageReliability]
    summary: str


def diagrams_of(languages: Sequence[LanguageReliability]) -> ReliabilityDiagrams | None:
    """Put training languages first, then the largest calibration error; None without languages."""
    if not languages:
        return None
    ranked = sorted(
        languages, key=lambda one: (not one.is_training, -one.ece if is_number(one.ece) else 0.0)
    )
    return ReliabilityDiagrams(
        ranked[:N_LANGUAGES_SHOWN], ranked[N_LANGUAGES_SHOWN:], _summary(ranked)
    )


def description(language: LanguageReliability) -> str:
    """Return a diagram in words, for those who do not see it."""
    dots = "; ".join(
        f"confidence {decimal(dot.confidence, 2)}, right {decimal(dot.accuracy, 2)} "
        f"[{decimal(dot.accuracy_low, 2)}, {decimal(dot.accuracy_high, 2)}] of {dot.n}"
        for dot in language.dots
    )
    return f"From the least to the most confident texts: {dots}."


def _summary(languages: Sequence[LanguageReliability]) -> str:
    """Return the mean confidence and accuracy of the languages that training has not seen."""
    known = [one for one in languages if one.lang != UNKNOWN] or languages
    others = [one for one in known if not one.is_training] or known
    confidence = decimal(sum(one.confidence for one in others) / len(others), 2)
    accuracy = decimal(sum(one.accuracy for one in others) / len(others), 2)
    figures = f"mean confidence is {confidence}, accuracy {accuracy}."
    if len(others) == 1:
        return figures.capitalize()
    which = " without training texts" if len(others) < len(languages) else ""
    return f"Over {len(others)} languages{which}, {figures}"
