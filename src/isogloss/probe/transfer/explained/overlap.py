"""`probe overlap`: zero-shot scores against the tokens that two languages share (Figure 1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from isogloss.arrays import Doubles2d
from isogloss.encode.tokenizer import TextTokenizer
from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Number
from isogloss.probe.transfer.explained.against import (
    CORRELATIONS,
    PAIRS,
    Against,
    against_charts,
    note_on_permutations,
)
from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix, Task
from isogloss.probe.transfer.matrix.sets import TaggedText, TrainingSet
from isogloss.probe.transfer.measures.overlap import overlap, token_types
from isogloss.report.picture import Group
from isogloss.report.table import Table

OVERLAP, TITLE = "overlap", "overlap of token types"
FORMAT = Format(
    name="isogloss overlap",
    version=1,
    command="isogloss probe overlap",
    tables={"pairs": PAIRS | {OVERLAP: Number}, "correlations": CORRELATIONS},
)
_COUNTED: dict[Task, str] = {
    "upos": "tokens of all words, as every word has a tag",
    "ner": "tokens inside entities",
}


class OverlapResult(ProbeResult):
    """Tables of `probe overlap`.

    Parameters
    ----------
    values
        By the name of a system: the overlap of pairs, from `overlaps`.

    Attributes
    ----------
    pairs
        A row a system and zero-shot pair: overlap and score.
    correlations
        A row a system: whether they go together.
    """

    format = FORMAT
    picture = "overlap.svg"

    def __init__(self, matrix: Matrix, values: Mapping[str, Doubles2d], *, options: Any) -> None:
        notes = [f"overlap of {_COUNTED[matrix.task]}", note_on_permutations(matrix)]
        super().__init__([], options=options, notes=notes)
        against = Against(matrix, OVERLAP, TITLE, values)
        self._metric = METRICS[matrix.task]
        self.pairs = self.tables["pairs"] = Table(
            list(against.pair_rows()), caption=f"|E ∩ E′| / |E ∪ E′|, and {self._metric}."
        )
        self.correlations = self.tables["correlations"] = Table(
            list(against.correlation_rows()),
            caption=f"Of {self._metric} with the overlap; slope: from no overlap to all shared.",
        )

    def _curves(self) -> list[Group]:
        return against_charts(self.pairs.rows, OVERLAP, TITLE, self._metric)


def overlaps(
    tokenizer: TextTokenizer,
    trains: Sequence[TrainingSet],
    tests: Mapping[str, TaggedText],
    *,
    task: Task,
    n_words: int | None,
    seeds: Sequence[int],
) -> Doubles2d:
    """Return the overlap of each training set with each test set: (n_trains, n_tests).

    Parameters
    ----------
    n_words, seeds
        As the training sets were drawn; the mean over seeds.
    """

    def types(text: TaggedText) -> frozenset[int]:
        return token_types(tokenizer, text.sentences, tags=text.tags if task == "ner" else None)

    of_tests = [types(test) for test in tests.values()]
    of_trains = [[types(train.drawn(n_words, seed=seed)) for seed in seeds] for train in trains]
    return np.array([
        [np.mean([overlap(ours, theirs) for ours in of_seeds]) for theirs in of_tests]
        for of_seeds in of_trains
    ])  # fmt: skip
