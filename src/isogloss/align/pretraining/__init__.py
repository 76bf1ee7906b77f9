"""Pre-training of encoders: vocabularies, masked and translation language modelling (LaBSE)."""

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
