"""The table of a paper: ours with its interval, the published figure, and what differs."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from isogloss.report.table import Table
from isogloss.reproduce.figures import Figure
from isogloss.statistics.draws import columns_of
from isogloss.statistics.intervals import Interval

CAPTION = (
    "Ours with its interval at 95 %, where it has one. Published figures that were not compared "
    "with their source are marked unverified."
)


@dataclass(frozen=True)
class Line:
    """One figure of a paper's table, measured again.

    Attributes
    ----------
    table
        Of the paper: ``"Table 1"``.
    langs
        Languages, or what else tells the rows of a table apart: ``"layer 3"``.
    ours
        A value without interval is a number; None: not measured.
    differs
        What differs from the paper, first of all the encoder.
    """

    table: str
    task: str
    langs: str
    metric: str
    ours: Interval | float | None
    published: Sequence[Figure]
    differs: str
    n_seeds: int = 1

    @property
    def columns(self) -> dict[str, Any]:
        """The line as a row of a table."""
        ours: dict[str, Any] = {"ours": self.ours, "ours_low": None, "ours_high": None}
        if isinstance(self.ours, Interval):
            ours = columns_of("ours", self.ours)
        return {
            "table": self.table, "task": self.task, "langs": self.langs, "metric": self.metric,
            **ours, "published": "; ".join(map(str, self.published)), "seeds": self.n_seeds,
            "differs": self.differs,
        }  # fmt: skip


def table_of(lines: Iterable[Line]) -> Table:
    """Return the lines as people read them."""
    rows = [line.columns for line in lines]
    return Table(rows, caption=CAPTION, minor=("differs", "seeds", "metric", "table"))


def facts_of(lines: Iterable[Line]) -> list[dict[str, Any]]:
    """Return the lines as programs read them: each published figure with its source."""
    return [
        line.columns
        | {"published": [
            {"value": one.value, "model": one.model, "source": one.source,
             "is_verified": one.is_verified}
            for one in line.published
        ]}
        for line in lines
    ]  # fmt: skip
