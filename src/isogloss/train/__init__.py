"""One training loop for every module that is tuned by gradients."""

from typing import TYPE_CHECKING

from isogloss.late import late_names

if TYPE_CHECKING:
    from isogloss.train.checkpoints import Checkpoints
    from isogloss.train.loop import TrainingResult, train
    from isogloss.train.options import TrainingOptions

__all__ = ["Checkpoints", "TrainingOptions", "TrainingResult", "train"]

if not TYPE_CHECKING:
    __getattr__, __dir__ = late_names(
        __name__,
        {
            "Checkpoints": "checkpoints",
            "TrainingOptions": "options",
            "TrainingResult": "loop",
            "train": "loop",
        },
    )
