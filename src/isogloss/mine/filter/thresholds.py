"""Which pairs a score keeps: a share of them, or those above a threshold of a labelled sample."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from isogloss.arrays import Bools1d, Floats1d
from isogloss.data.lines import open_lines
from isogloss.errors import InputError, counted
from isogloss.statistics.intervals import Interval, interval_of_share

LABELS = {"0": False, "1": True}


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs, and whether each is a translation."""

    firsts: list[str]
    seconds: list[str]
    is_right: Bools1d


@dataclass(frozen=True)
class ChosenThreshold:
    """A threshold, and what it keeps of the sample by which it was chosen.

    Attributes
    ----------
    precision
        Share of right ones among those kept, with Wilson's interval: it is that of the sample that
        chose the threshold, so that on other pairs a little less is to be expected.
    recall
        Share of the right ones that are kept.
    """

    threshold: float
    n_kept: int
    n: int
    precision: Interval
    recall: Interval


def best_share(scores: Floats1d, share: float) -> Bools1d:
    """Return which have the best scores: a share of them, rounded; of equals the first."""
    kept = np.zeros(len(scores), bool)
    kept[np.argsort(-scores, kind="stable")[: round(share * len(scores))]] = True
    return kept


def threshold_of_precision(
    scores: Floats1d, is_right: Bools1d, *, precision: float
) -> ChosenThreshold:
    """Return the lowest threshold with which what is kept of a sample has at least a precision.

    Parameters
    ----------
    scores, is_right
        Of the pairs of the sample, (n,).

    Raises
    ------
    InputError
        When no threshold has it; says the best there is.
    """
    order = np.argsort(-scores, kind="stable")
    n_right = np.cumsum(is_right[order])
    n_kept = np.arange(1, len(order) + 1)
    is_end = np.append(np.diff(scores[order]) < 0, True)  # equal scores are kept together
    reached = np.flatnonzero(is_end & (n_right >= precision * n_kept))
    if not len(reached):
        best = float((n_right / n_kept)[is_end].max()) if len(order) else 0.0
        raise InputError(
            f"no threshold keeps a share of {precision:g} right of the labelled pairs; the best is "
            f"{best:.3f}: ask for less, or for another encoder"
        )
    last = int(reached[-1])
    right, kept = int(n_right[last]), int(n_kept[last])
    return ChosenThreshold(
        threshold=float(scores[order][last]),
        n_kept=kept,
        n=len(order),
        precision=interval_of_share(right, kept),
        recall=interval_of_share(right, int(n_right[-1])),
    )


def read_labelled_pairs(path: Path) -> LabelledPairs:
    """Read a TSV of sentence, sentence, and 1 for a translation or 0; no header.

    Raises
    ------
    InputError
        For another row, or a file without both labels.
    """
    rows: tuple[list[str], list[str], list[bool]] = ([], [], [])
    for number, line in open_lines(path):
        cells = line.split("\t")
        if len(cells) != 3 or cells[2].strip() not in LABELS:
            raise InputError(
                f"a row is two sentences and 0 or 1, tabs between; this has "
                f"{counted(len(cells), 'column')}, the last '{cells[-1]:.20}'",
                path=path, line=number,
            )  # fmt: skip
        rows[0].append(cells[0])
        rows[1].append(cells[1])
        rows[2].append(LABELS[cells[2].strip()])
    if len(set(rows[2])) < 2:
        raise InputError("holds no two labels; label some pairs 1 and some 0", path=path)
    return LabelledPairs(rows[0], rows[1], np.array(rows[2]))
