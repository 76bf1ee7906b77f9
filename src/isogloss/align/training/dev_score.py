"""The score that chooses an epoch: how often a development sentence finds its translation."""

import numpy as np

from isogloss.align.sentence_pairs import Pairs
from isogloss.align.training.dual_encoder import DualEncoder
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.errors import InputError
from isogloss.retrieve.search import nearest


class DevScore:
    """Mean over languages of the accuracy of retrieval, both directions, on development pairs.

    Raises
    ------
    InputError
        When there are none.
    """

    def __init__(self, module: DualEncoder, tokenizer: TextTokenizer, dev: Pairs) -> None:
        if not len(dev):
            raise InputError("dev holds no pairs; give two or more, or leave it out")
        self._module = module
        self._ids = tokenizer([*dev.sources, *dev.targets]).ids
        langs = np.asarray(dev.langs if dev.langs is not None else [""] * len(dev), dtype=str)
        self._rows = [np.flatnonzero(langs == lang) for lang in np.unique(langs)]
        self._n = len(dev)

    def __call__(self) -> tuple[float]:
        """Return the score of the module as it is now."""
        vectors = self._module.vectors(self._ids).float().cpu().numpy()
        sources, targets = vectors[: self._n], vectors[self._n :]
        found = []
        for rows in self._rows:
            places = np.arange(len(rows))
            for some, others in ((sources, targets), (targets, sources)):
                hits = nearest(some[rows], others[rows]).rows[:, 0] == places
                found.append(float(hits.mean()))
        return (float(np.mean(found)),)


def score_in_words(score: tuple[float, ...]) -> str:
    """Return a `DevScore` with its number named."""
    return f"retrieval accuracy {score[0]:.4f}"
