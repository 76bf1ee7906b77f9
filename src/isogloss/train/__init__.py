"""One training loop for every module that is tuned by gradients."""

from isogloss.train.checkpoints import Checkpoints
from isogloss.train.loop import TrainingResult, train
from isogloss.train.options import TrainingOptions

__all__ = ["Checkpoints", "TrainingOptions", "TrainingResult", "train"]
