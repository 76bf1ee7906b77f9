"""Pre-training of encoders: vocabularies, masked and translation language modelling (LaBSE)."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.align.pretraining.options import EncoderShape, PretrainingOptions
    from isogloss.align.pretraining.pretrainer import Pretrainer
    from isogloss.align.pretraining.tokenizer_training import TrainedTokenizer, train_tokenizer

__all__ = [
    "EncoderShape",
    "Pretrainer",
    "PretrainingOptions",
    "TrainedTokenizer",
    "train_tokenizer",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "EncoderShape": "options",
            "Pretrainer": "pretrainer",
            "PretrainingOptions": "options",
            "TrainedTokenizer": "tokenizer_training",
            "train_tokenizer": "tokenizer_training",
        },
    )
