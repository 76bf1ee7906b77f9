"""Training languages ranked for each target by what is known without labels in the target.

Rankings by a number a training language: words to train on, shared tokens, shared word order
(WALS), NN-Rank, the score on the other targets (the target itself left out), and the mean rank of
shared tokens, word order and NN-Rank. Where transfer to the target was measured, regret and NDCG@3
say how good each is; where it was not, they are all there is.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Doubles1d
from isogloss.errors import counted
from isogloss.probe.result import ProbeResult
from isogloss.probe.saved import Format, Number, Row, Text, Whole, spread
from isogloss.probe.transfer.matrix.matrix import METRICS, Matrix
from isogloss.probe.transfer.measures.pairs import Pair
from isogloss.probe.transfer.measures.ranking import agreed, ndcg_at_3, regret
from isogloss.report.picture import Group
from isogloss.report.points import Dotted, points_panel
from isogloss.report.table import Table
from isogloss.statistics.draws import columns_of
from isogloss.statistics.scores import interval_of_mean

RANKERS = {
    "size": "words to train on",
    "overlap": "shared token types over all",
    "typology": "share of equal WALS features",
    "nearest": "NN-Rank: share of tokens whose nearest is of the language",
    "others": "mean score on the other targets, less that of all languages",
    "agreed": "mean rank by overlap, typology and nearest",
}
_OF_AGREED = ("overlap", "typology", "nearest")
FORMAT = Format(
    name="isogloss rank-sources",
    version=1,
    command="isogloss probe rank-sources",
    tables={
        "rankers": {"ranker": Text, "n_targets": Whole, "n_best": Whole}
        | spread("regret", "ndcg_at_3"),
        "sources": {"target": Text, "source": Text, "score": Number, "rank": Number}
        | dict.fromkeys(RANKERS, Number),
    },
)


@dataclass(frozen=True)
class Ranked:
    """A target and its training languages.

    Attributes
    ----------
    scores
        As measured; None: it was not.
    numbers
        Ranker → a number each; the higher the better. A ranker is missing where it was not asked
        for, and a number is NaN where it is not known.
    """

    target: str
    sources: Sequence[str]
    scores: Doubles1d | None
    numbers: Mapping[str, Doubles1d]

    def ranking(self, ranker: str) -> Doubles1d:
        """Return the numbers of a ranker, what is not known as the lowest."""
        numbers = self.numbers[ranker]
        known = numbers[np.isfinite(numbers)]
        lowest = float(known.min()) if len(known) else 0.0
        return np.where(np.isfinite(numbers), numbers, lowest)

    def with_agreed(self) -> "Ranked":
        """Return it with the mean rank of those that look at both languages."""
        parts = [self.ranking(name) for name in _OF_AGREED if name in self.numbers]
        if len(parts) < 2:
            return self
        return Ranked(
            self.target, self.sources, self.scores, {**self.numbers, "agreed": agreed(parts)}
        )


class RankResult(ProbeResult):
    """Tables of `probe rank-sources`.

    Attributes
    ----------
    rankers
        A row a ranker: mean regret and NDCG@3 over the targets that were measured.
    sources
        A row a target and training language, the best first: by the measured score, else by the
        mean rank.
    """

    format = FORMAT
    picture = "rank-sources.svg"

    def __init__(
        self, matrix: Matrix, ranked: Sequence[Ranked], *, options: Any, notes: Sequence[str] = ()
    ) -> None:
        n_sources = len(matrix.alone)
        said = (
            [f"{counted(n_sources, 'training language')}: an illustration"]
            if n_sources < 10
            else []
        )
        super().__init__([], options=options, notes=[*notes, *said])
        metric = METRICS[matrix.task]
        everything = [one.with_agreed() for one in ranked]
        self.rankers = self.tables["rankers"] = Table(
            list(_ranker_rows(everything, matrix.seed)),
            caption=f"Regret: {metric} lost by taking the language ranked first. n_best: targets "
            "whose best language is ranked first.",
        )
        self.sources = self.tables["sources"] = Table(
            [row for one in everything for row in _source_rows(one)],
            caption=f"Training languages of each target, the best first; score: {metric}.",
        )

    def _curves(self) -> list[Group]:
        return ranker_charts(self.rankers.rows)


def ranker_charts(rows: Sequence[Row]) -> list[Group]:
    """Return the charts of regret and NDCG@3, a point a ranking."""
    names = [row["ranker"] for row in rows]
    panels = [
        points_panel(
            title,
            {title: [Dotted(at, row[column], row[f"{column}_low"], row[f"{column}_high"])
                     for at, row in enumerate(rows)]},
            x_name="ranked by",
            names=names,
        )
        for column, title in (("regret", "Regret"), ("ndcg_at_3", "NDCG@3"))
    ]  # fmt: skip
    return [Group([], panels)]


def scores_of(matrix: Matrix, system: str, target: str) -> dict[str, float]:
    """Return the score of each single training language on a target, its own left out."""
    pairs = [Pair(train, target) for train in matrix.alone]
    return {pair.train: matrix.score(system, pair) for pair in pairs if pair.is_zero_shot}


def scores_on_others(matrix: Matrix, system: str, target: str) -> dict[str, float]:
    """Return how much better each training language is on other targets than the mean of all.

    Of each target the mean over its training languages is subtracted, as training languages are
    not scored on the same targets: not on their own. The target itself is left out.
    """
    gains: dict[str, list[float]] = {train: [] for train in matrix.alone}
    for test in matrix.tests:
        if Pair(test, target).is_zero_shot:
            scores = scores_of(matrix, system, test)
            mean = float(np.mean([*scores.values()])) if scores else 0.0
            for train, score in scores.items():
                gains[train].append(score - mean)
    return {train: float(np.mean(some)) if some else np.nan for train, some in gains.items()}


def _ranker_rows(ranked: Sequence[Ranked], seed: int) -> Iterator[Row]:
    for ranker in RANKERS:
        known = [
            (one.scores, one.ranking(ranker))
            for one in ranked
            if one.scores is not None and ranker in one.numbers and len(one.scores) > 1
        ]
        if not known:
            continue
        lost = np.array([regret(scores, numbers) for scores, numbers in known])
        gains = np.array([ndcg_at_3(scores, numbers) for scores, numbers in known])
        yield {
            "ranker": ranker,
            "what": RANKERS[ranker],
            "n_targets": len(known),
            "n_best": int((lost < 1e-12).sum()),
            **columns_of("regret", interval_of_mean(lost, seed=seed)),
            **columns_of("ndcg_at_3", interval_of_mean(gains, seed=seed)),
        }


def _source_rows(one: Ranked) -> Iterator[Row]:
    by = one.scores
    if by is None:
        names = [name for name in ("agreed", "nearest", "overlap", "others") if name in one.numbers]
        by = one.ranking(names[0]) if names else np.zeros(len(one.sources))
    order = np.argsort(-by, kind="stable").tolist()
    for rank, at in enumerate(order, start=1):
        yield {
            "target": one.target,
            "source": one.sources[at],
            "rank": rank,
            "score": None if one.scores is None else float(one.scores[at]),
            **{name: (int if name == "size" else float)(one.numbers[name][at])
               if name in one.numbers else None for name in RANKERS},
        }  # fmt: skip
