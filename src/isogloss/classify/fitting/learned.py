"""What a fit gives a classifier, from labelled texts or from the names of its classes."""

from dataclasses import dataclass

from isogloss.arrays import Doubles1d
from isogloss.classify.adapt.shift import ScoreReference
from isogloss.classify.heads.head import Head
from isogloss.classify.preparation import Preparation
from isogloss.classify.trust.trust import Trust


@dataclass(frozen=True)
class Learned:
    """The parts that a fit makes.

    Attributes
    ----------
    head
        Gives p(c | D).
    thresholds
        From which probability on each label of a label set is given: float64 (n_classes,).
    trust
        Calibration, and what forecasts compare with.
    reference
        What `adapt` compares other languages with; None where there is nothing.
    n_documents
        Texts that were learned from.
    preparation
        How texts are read from now on, with the tuned encoder where it was tuned.
    """

    head: Head
    thresholds: Doubles1d
    trust: Trust
    reference: ScoreReference | None
    n_documents: int
    preparation: Preparation
