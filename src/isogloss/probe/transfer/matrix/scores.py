"""Scores of pairs of languages and their means, with intervals over sentences and seeds.

Sentences that are the same in several test sets (equal ids) are resampled together. Languages are
not resampled: an interval says what more sentences could change, not what other languages would.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from isogloss.arrays import Doubles2d
from isogloss.probe.transfer.matrix.runs import TransferRun
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.statistics.bootstrap import Resampled, resampled_ratios
from isogloss.statistics.intervals import Interval, not_beyond
from isogloss.statistics.seeds import interval_over_seeds


@dataclass(frozen=True, eq=False)
class PairCounts:
    """What taggers of several seeds got right on a pair; each (n_sentences, n_seeds).

    The score of a seed is the sum of its numerators over that of its denominators.
    """

    numerators: Doubles2d
    denominators: Doubles2d

    @classmethod
    def of(cls, runs: Sequence[TransferRun]) -> "PairCounts":
        """Return the counts of the runs of all seeds."""
        return cls(
            np.array([run.numerators for run in runs], np.float64).T,
            np.array([run.denominators for run in runs], np.float64).T,
        )

    @property
    def scores(self) -> list[float]:
        """The score of each seed; 0 where there is nothing to find."""
        sums = self.numerators.sum(0) / np.maximum(self.denominators.sum(0), 1.0)
        return [float(score) for score in sums]


def mean_score(
    pairs: Mapping[Pair, PairCounts], documents: Mapping[str, Sequence[str]], *, seed: int
) -> Interval:
    """Return the mean over pairs of their scores, each the mean over seeds.

    Parameters
    ----------
    documents
        Test language → an id for each sentence; the same sentence has the same in each language.
    """
    found = _resampled(pairs, documents, seed=seed)
    n = len({one for pair in pairs for one in documents[pair.test]})
    return not_beyond(interval_over_seeds(found, least=0.0), n)


def mean_difference(
    pairs: Mapping[Pair, PairCounts],
    others: Mapping[Pair, PairCounts],
    documents: Mapping[str, Sequence[str]],
    *,
    seed: int,
) -> Interval:
    """Return the mean over pairs of what one system scores above another on the same sentences.

    Both have the same pairs; seeds are compared one by one, as they share their training sentences.
    """
    both = {
        pair: PairCounts(
            np.hstack([ours.numerators, others[pair].numerators]),
            np.hstack([ours.denominators, others[pair].denominators]),
        )
        for pair, ours in pairs.items()
    }  # in one table, so that draws of sentences are the same
    found = _resampled(both, documents, seed=seed)
    half = len(found.values) // 2
    gains = Resampled(
        found.values[:half] - found.values[half:], found.drawn[:, :half] - found.drawn[:, half:]
    )
    return interval_over_seeds(gains, least=-1.0)


def _resampled(
    pairs: Mapping[Pair, PairCounts], documents: Mapping[str, Sequence[str]], *, seed: int
) -> Resampled:
    """Return the mean over pairs of each seed's score, of all and of resampled sentences."""
    named = {f"{pair.train} {pair.test}": pair for pair in pairs}
    return resampled_ratios(
        {name: pairs[pair].numerators for name, pair in named.items()},
        {name: pairs[pair].denominators for name, pair in named.items()},
        {name: documents[pair.test] for name, pair in named.items()},
        seed=seed,
    )
