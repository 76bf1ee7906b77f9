"""What is kept of each run of a comparison: one classifier of one row and one seed."""

from typing import Any

from msgspec import Struct

from isogloss.learn.run_store import Experiment
from isogloss.limits import Count, NotNegative, Share


class LanguageScores(Struct, frozen=True, forbid_unknown_fields=True):
    """Scores in one language beside accuracy; ``accuracy_seen`` is over the labels of training."""

    accuracy_seen: Share | None
    macro_f1: Share
    n_unlinked: Count
    n_unseen_label: Count


class Cell(Struct, frozen=True, forbid_unknown_fields=True):
    """What a classifier of one row and seed got right."""

    # language to bool (n_documents,), in the order of the test rows; of label sets: whole ones
    correct: dict[str, list[bool]]
    scores: dict[str, LanguageScores]
    # mean accuracy (of label sets: micro F1) over the languages of the development data; None
    # without. The head's hyper-parameters were chosen by these texts, and of a tuned encoder the
    # epoch, C, mixture and temperature, so it is higher than new texts would give
    dev: Share | None
    # of the fit. Tuning that was done for another cell counts as if it were done again; texts that
    # another cell has met are not encoded again
    seconds: NotNegative
    # what was said to be left out, so that a comparison that resumes says it again
    omissions: list[str]
    # language to the label set of each document; None of one label a text
    given: dict[str, list[list[str | int | float]]] | None = None

    def score(self, lang: str, name: str) -> Any:
        """Return one of the scores of a language."""
        return getattr(self.scores[lang], name)


COMPARISON = Experiment(
    "comparison",
    3,
    Cell,
    {
        "train": "training texts",
        "dev": "development texts",
        "tests": "test texts",
        "kb": "knowledge base",
        "fallback_lang": "fallback language",
    },
)
