"""Reliability diagrams of the report: how sure a model is against how often it is right."""

from dataclasses import dataclass
from typing import NamedTuple

from isogloss.report.figures import decimal

N_OF_OWN = 100  # texts of a language from which on it has a diagram of its own; fewer are noise


class ReliabilityDot(NamedTuple):
    """Texts of similar confidence: how many, how sure, how often right, with its interval."""

    n: int
    confidence: float
    accuracy: float
    accuracy_low: float
    accuracy_high: float


@dataclass(frozen=True)
class Reliability:
    """A diagram of `n` texts; `ece` is the expected calibration error."""

    name: str  # of the language, or what it is of
    n: int
    ece: float
    confidence: float  # mean over the texts, as the accuracy
    accuracy: float
    dots: list[ReliabilityDot]  # the least confident first

    @property
    def description(self) -> str:
        """The diagram in words, for those who do not see it."""
        dots = "; ".join(
            f"confidence {decimal(dot.confidence, 2)}, right {decimal(dot.accuracy, 2)} "
            f"[{decimal(dot.accuracy_low, 2)}, {decimal(dot.accuracy_high, 2)}] of {dot.n}"
            for dot in self.dots
        )
        return f"{self.name}, from the least to the most confident texts: {dots}."
