"""The HTML report of retrieval benchmarks: a chart of Tatoeba's languages, and all tables.

One file, no network, no script. Rows are those that `retrieve evaluate` prints.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

from isogloss.errors import InputError
from isogloss.report.figures import chart_of, decimal, is_number
from isogloss.report.page import interval_of, write_page
from isogloss.report.table import Table

SCORE = "to_en"  # what published figures stand beside
N_MARKS = 3  # forms of marks that are told apart


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
    published = [name for name in rows[0] if name.endswith("(published)")] if rows else []
    values = {
        "title": title,
        "note": "",
        "headline": headline({name: parts[-1] for name, parts in tables.items()}),
        "chart": chart_of(rows, SCORE, marked=published[:N_MARKS]) if rows else None,
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
