"""Pre-training of encoders: vocabularies, masked and translation language modelling (LaBSE)."""

from isogloss.align.pretraining.tokenizer_training import TrainedTokenizer, train_tokenizer

__all__ = ["TrainedTokenizer", "train_tokenizer"]
