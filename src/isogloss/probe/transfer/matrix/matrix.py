"""A transfer matrix as it was measured: systems, training and test languages, what was right."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

import numpy as np

from isogloss.arrays import Doubles2d
from isogloss.probe.transfer.matrix.runs import TransferRun
from isogloss.probe.transfer.matrix.scores import PairCounts, mean_difference, mean_score
from isogloss.probe.transfer.measures.pairs import Pair, grouped, zero_shot_pairs
from isogloss.statistics.intervals import Interval

Task = Literal["upos", "ner"]
METRICS: dict[Task, str] = {"upos": "accuracy", "ner": "f1_strict"}


@dataclass(frozen=True)
class System:
    """An encoder whose transfer is measured, or one in which shared tokens alone can transfer.

    Attributes
    ----------
    name
        Of the encoder, with what was done to it: ``"bundled, layer 0"``.
    encoder
        Name of the encoder.
    control_of
        Name of the system that it is the control of; None: it is no control.
    """

    name: str
    encoder: str = ""
    control_of: str | None = None

    @property
    def is_control(self) -> bool:
        """Whether shared tokens alone can transfer in it."""
        return self.control_of is not None


class LeftOut(NamedTuple):
    """Test words that no tagger can get right: without a token, or with a tag unseen in training.

    The largest numbers of all seeds.
    """

    n_without_piece: int
    n_unseen_tag: int


@dataclass(frozen=True, eq=False)
class Matrix:
    """What every tagger got right on every test set.

    Attributes
    ----------
    counts
        By the name of a system and the pair.
    documents
        Test language → an id for each sentence, the same for a sentence in several languages.
    layers
        By the name of a system and training set: layers that a tagger of each seed reads.
    n_train_words
        Training set → words, the mean over seeds.
    n_left_out
        By the name of a system and the pair.
    """

    task: Task
    systems: Sequence[System]
    trains: Sequence[str]
    tests: Sequence[str]
    counts: Mapping[tuple[str, Pair], PairCounts]
    documents: Mapping[str, Sequence[str]]
    layers: Mapping[tuple[str, str], Sequence[Sequence[int]]] = field(default_factory=dict)
    n_train_words: Mapping[str, float] = field(default_factory=dict)
    n_left_out: Mapping[tuple[str, Pair], LeftOut] = field(default_factory=dict)
    seed: int = 0

    @property
    def zero_shot(self) -> list[Pair]:
        """The pairs in which nothing was trained in the test language."""
        return zero_shot_pairs(self.trains, self.tests)

    @classmethod
    def of(
        cls,
        task: Task,
        systems: Sequence[System],
        runs: Mapping[tuple[str, Pair], Sequence[TransferRun]],
        documents: Mapping[str, Sequence[str]],
        *,
        seed: int,
    ) -> "Matrix":
        """Return the matrix of the runs of all seeds, by the name of a system and the pair."""
        pairs = [pair for _, pair in runs]
        return cls(
            task=task,
            systems=systems,
            trains=list(dict.fromkeys(pair.train for pair in pairs)),
            tests=list(dict.fromkeys(pair.test for pair in pairs)),
            counts={pair: PairCounts.of(some) for pair, some in runs.items()},
            documents=documents,
            layers={
                (system, pair.train): [run.layers for run in some]
                for (system, pair), some in runs.items()
            },
            n_train_words={
                pair.train: sum(run.n_train_words for run in some) / len(some)
                for (_, pair), some in runs.items()
            },
            n_left_out={
                pair: LeftOut(
                    max(run.n_without_piece for run in some), max(run.n_unseen_tag for run in some)
                )
                for pair, some in runs.items()
            },
            seed=seed,
        )

    def mean(self, system: str, pairs: Iterable[Pair]) -> Interval:
        """Return the mean score of a system over pairs, one or more, with its interval."""
        return mean_score(self._of(system, pairs), self.documents, seed=self.seed)

    def difference(self, system: str, other: str, pairs: Sequence[Pair]) -> Interval:
        """Return the mean over pairs of what a system scores above another."""
        ours, theirs = self._of(system, pairs), self._of(other, pairs)
        return mean_difference(ours, theirs, self.documents, seed=self.seed)

    def score(self, system: str, pair: Pair) -> float:
        """Return the score on a pair, the mean over seeds."""
        return float(np.mean(self.counts[system, pair].scores))

    def zero_shot_scores(self, system: str) -> Doubles2d:
        """Return the scores of single training languages, NaN where not zero-shot.

        (n_trains_alone, n_tests), as `alone` and `tests` list them.
        """
        return np.array([
            [self.score(system, pair) if (pair := Pair(train, test)).is_zero_shot else np.nan
             for test in self.tests]
            for train in self.alone
        ])  # fmt: skip

    @property
    def alone(self) -> list[str]:
        """Training sets of one language."""
        return [train for train in self.trains if not Pair(train, "").is_joint]

    @property
    def is_square(self) -> bool:
        """Whether single training languages and test languages are the same in one order."""
        return self.alone == list(self.tests)

    def group_means(
        self, system: str, group_of: Callable[[str], str | None]
    ) -> dict[tuple[str, str], tuple[Interval, int]]:
        """Return the mean and the number of pairs of each two groups (Tables 4 and 5)."""
        groups = grouped(self.trains, self.tests, group_of)
        return {
            names: (self.mean(system, pairs), len(pairs)) for names, pairs in groups.pairs.items()
        }

    def _of(self, system: str, pairs: Iterable[Pair]) -> dict[Pair, PairCounts]:
        return {pair: self.counts[system, pair] for pair in pairs}
