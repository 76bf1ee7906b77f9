"""Published figures: each with whose it is, where it was read, and whether that was checked."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any

from isogloss.storage.json_files import parse_json

UNVERIFIED = "unverified"


@dataclass(frozen=True)
class Figure:
    """A published figure, as a share.

    Attributes
    ----------
    is_verified
        Whether it was compared with its source; what is not is marked wherever it is printed.
    """

    value: float
    model: str
    source: str
    is_verified: bool = True

    def __str__(self) -> str:
        mark = "" if self.is_verified else f" ({UNVERIFIED})"
        return f"{self.model} {self.value:.3f}{mark}"


def figures(paper: str, table: str, langs: str) -> tuple[Figure, ...]:
    """Return the figures of a paper's table for languages: ``"en → de"``, ``"layer 3"``."""
    return tuple(_read().get((paper, table, langs), ()))


@cache
def _read() -> dict[tuple[str, str, str], list[Figure]]:
    found: dict[tuple[str, str, str], list[Figure]] = {}
    for row in _rows():
        key = (row.pop("paper"), row.pop("table"), row.pop("langs"))
        found.setdefault(key, []).append(Figure(**row))
    return found


def _rows() -> Iterator[dict[str, Any]]:
    file = resources.files("isogloss.reproduce") / "published.json"
    content = parse_json(file.read_bytes())
    for source, tables in content["sources"].items():
        for row in tables:
            yield row | {"source": source}
