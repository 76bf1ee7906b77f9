"""Language-agnostic sentence encoders, trained on translations (LaBSE, Feng et al. 2022)."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.align.options import AlignmentOptions
    from isogloss.align.sentence_aligner import SentenceAligner
    from isogloss.align.sentence_pairs import Pairs

__all__ = ["AlignmentOptions", "Pairs", "SentenceAligner"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "AlignmentOptions": "options",
            "Pairs": "sentence_pairs",
            "SentenceAligner": "sentence_aligner",
        },
    )
