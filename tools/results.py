"""Write the tables of benchmarks' records into the pages of docs/.

    python tools/results.py

A record, `benchmarks/results/NAME.json`, is written by a script of benchmarks/ alone. A page shows
one of its tables between two comments, which Markdown does not show:

    <!-- table: NAME/TABLE | column | column = shown as | column (alone) | column in value, ... -->
    <!-- end -->

Without columns all are shown. The ends of its interval go along with a column that is not *alone*.
*column in value, ...* chooses rows: those with one of the values. Columns to be shown are named
beside it.
"""

import json
import re
from pathlib import Path
from typing import Any

from isogloss.report.table import Table

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs"
RECORDS = ROOT / "benchmarks" / "results"
START = "<!-- table: "
MARKED = re.compile(
    r"<!-- table: ([\w-]+)/([^|>\n]+?)((?: \|[^|>\n]+)*) -->\n.*?<!-- end -->", re.S
)
ENDS = ("_low", "_high")
ALONE = " (alone)"
CHOSEN = re.compile(r"([^=]+) in (.+)")


def main() -> None:
    """Write all pages anew."""
    for page in sorted(PAGES.glob("*.md")):
        text = page.read_text("utf-8")
        if START in text:
            page.write_text(written(text), "utf-8")


def written(text: str, records: Path = RECORDS) -> str:
    """Return a page with its tables as records have them.

    Raises
    ------
    ValueError
        A table without an end, or one that is not in its record, or a column, or a value.
    """
    if text.count(START) != len(MARKED.findall(text)) or text.count(START) != text.count(
        "<!-- end -->"
    ):
        raise ValueError("each '<!-- table: NAME/TABLE -->' has an '<!-- end -->'")

    def table(found: re.Match[str]) -> str:
        mark = found[0].partition("\n")[0]
        columns = [one.strip() for one in found[3].split("|")[1:]]
        shown = shown_of(record_of(found[1], records), found[2], columns)
        return f"{mark}\n\n{shown.to_markdown()}\n<!-- end -->"

    return MARKED.sub(table, text)


def record_of(name: str, records: Path) -> dict[str, Any]:
    """Read a record."""
    record: dict[str, Any] = json.loads((records / f"{name}.json").read_text("utf-8"))
    return record


def shown_of(record: dict[str, Any], name: str, columns: list[str]) -> Table:
    """Return a table of a record with the columns and rows that a page asks for."""
    if name not in record["tables"]:
        raise ValueError(f"no table '{name}', but {', '.join(record['tables'])}")
    whole = record["tables"][name]
    rows = [dict(zip(whole["columns"], row, strict=True)) for row in whole["rows"]]
    columns, choices = _divided(columns)
    for column, values in choices.items():
        rows = _chosen(rows, column, values)
    titles: dict[str, str] = {}
    for asked in columns or whole["columns"]:
        column, title = asked, ""
        if asked not in whole["columns"]:  # one may hold " = " itself
            column, _, title = asked.removesuffix(ALONE).partition(" = ")
        if column not in whole["columns"]:
            raise ValueError(f"no column '{column}', but {', '.join(whole['columns'])}")
        titles[column] = title or column
        for end in ENDS:
            if f"{column}{end}" in whole["columns"] and not asked.endswith(ALONE):
                titles[f"{column}{end}"] = f"{title or column}{end}"
    return Table(
        [{title: row[column] for column, title in titles.items()} for row in rows],
        columns=list(titles.values()),
    )


def _divided(asked: list[str]) -> tuple[list[str], dict[str, list[str]]]:
    """Divide what a page asks for into columns and chosen values by column."""
    found = {one: CHOSEN.fullmatch(one) for one in asked}
    choices = {choice[1]: choice[2].split(", ") for choice in found.values() if choice}
    return [one for one, choice in found.items() if not choice], choices


def _chosen(rows: list[dict[str, Any]], column: str, values: list[str]) -> list[dict[str, Any]]:
    """Return the rows with one of the values, as they stand in the table."""
    there = {str(row[column]) for row in rows if column in row}
    for value in values:
        if value not in there:
            raise ValueError(f"no '{value}' in column '{column}'")
    return [row for row in rows if str(row[column]) in values]


if __name__ == "__main__":
    main()
