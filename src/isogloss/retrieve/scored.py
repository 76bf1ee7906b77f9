"""What a retrieval benchmark gives: rows of a table, and means over groups of them."""

from dataclasses import dataclass, field
from typing import Any

from isogloss.arrays import Doubles1d


@dataclass(frozen=True)
class Scored:
    """Rows of a benchmark, and its means.

    Attributes
    ----------
    rows
        One a language or part.
    means
        Means over groups of rows, by name, with their intervals.
    right
        Language to the share of both directions in which each sentence is found, (n,).
    groups
        Name of a mean to the languages that it is over.
    """

    rows: list[dict[str, Any]]
    means: list[dict[str, Any]]
    right: dict[str, Doubles1d] = field(default_factory=dict)
    groups: dict[str, list[str]] = field(default_factory=dict)
