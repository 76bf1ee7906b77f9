"""The HTML report of retrieval benchmarks: a chart of Tatoeba's languages, and all tables.

One file, no network, no script. Rows are those that `retrieve evaluate` prints.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from isogloss.errors import InputError
from isogloss.report.figures import Axis, Dot, decimal, dot_of, is_number
from isogloss.report.page import interval_of, name_of_language, write_page
from isogloss.report.table import Table

SCORE = "to_en"  # what published figures stand beside
N_MARKS = 3  # forms of marks that are told apart


class Mark(NamedTuple):
    """A published value: where it is, in percent of the width, and its form, 1 to `N_MARKS`."""

    at: float
    form: int


@dataclass(frozen=True)
class RetrievalRow:
    """A language in the chart."""

    name: str
    lang: str
    score: Any
    dot: Dot | None
    marks: list[Mark]
    description: str


@dataclass(frozen=True)
class RetrievalChart:
    """Languages by falling accuracy, with published values beside."""

    rows: list[RetrievalRow]
    axis: Axis
    published: list[str]


def write_retrieval_report(
    path: Path,
    *,
    title: str,
    tables: Mapping[str, Sequence[Table]],
    notes: Sequence[str] = (),
    overwrite: bool = False,
) -> None:
    """Write what was measured as one HTML file.

    Parameters
    ----------
    tables
        Benchmark to its rows and its means; the chart is of ``tatoeba``.
    notes
        Sentences below the tables: sources of published figures.

    Raises
    ------
    InputError
        When there is no table, or `path` exists and `overwrite` is false, or cannot be written.
    """
    if not tables:
        raise InputError("nothing was measured; a report needs a benchmark", path=path)
    rows = tables["tatoeba"][0].rows if "tatoeba" in tables else []
    values = {
        "title": title,
        "note": "",
        "headline": headline({name: parts[-1] for name, parts in tables.items()}),
        "chart": chart_of_retrieval(rows) if rows else None,
        "tables": {name: [table for table in parts if table.rows]
                   for name, parts in tables.items()},
        "notes": list(notes),
    }  # fmt: skip
    write_page(path, "retrieval.html", values, overwrite=overwrite)


def headline(means: Mapping[str, Table]) -> list[str]:
    """Return a sentence for each mean of a benchmark, its last table."""
    said = []
    for table in means.values():
        for row in table.rows:
            name, score = row.get("group"), next(
                (one for one in ("mean", "spearman") if is_number(row.get(one))), None
            )  # fmt: skip
            if name and score:
                said.append(f"{name}: {score} {decimal(row[score])}{interval_of(row, score)}.")
    return said


def chart_of_retrieval(rows: Sequence[Mapping[str, Any]]) -> RetrievalChart:
    """Lay out the chart of the accuracy to English by language."""
    published = [name for name in rows[0] if name.endswith("(published)")][:N_MARKS]
    columns = [SCORE, f"{SCORE}_low", f"{SCORE}_high", *published]
    values = [float(row[name]) for row in rows for name in columns if is_number(row.get(name))]
    axis = Axis.around(values, at_least=0.0, at_most=1.0)
    ordered = sorted(rows, key=lambda row: -row[SCORE])
    return RetrievalChart([_laid_out(row, axis, published) for row in ordered], axis, published)


def _laid_out(row: Mapping[str, Any], axis: Axis, published: Sequence[str]) -> RetrievalRow:
    name = name_of_language(row["lang"])
    said = [f"{name}: {decimal(row[SCORE])}{interval_of(row, SCORE)}"]
    said += [f"{one} {decimal(row.get(one))}" for one in published]
    return RetrievalRow(
        name=name, lang=row["lang"], score=row[SCORE],
        dot=dot_of(row, SCORE, axis, is_solid=True),
        marks=[Mark(axis.at(row[one]), form) for form, one in enumerate(published, start=1)
               if is_number(row.get(one))],
        description=", ".join(said),
    )  # fmt: skip
