"""Language-agnostic sentence encoders, trained on translations (LaBSE, Feng et al. 2022)."""

from isogloss.align.options import AlignmentOptions
from isogloss.align.sentence_aligner import SentenceAligner
from isogloss.align.sentence_pairs import Pairs

__all__ = ["AlignmentOptions", "Pairs", "SentenceAligner"]
