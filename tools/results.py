"""Write the tables of benchmarks' records into the pages of docs/.

    python tools/results.py

A record, `benchmarks/results/NAME.json`, is written by a script of benchmarks/ alone. A page shows
one of its tables between two comments, which Markdown does not show:

    <!-- table: NAME/TABLE | column | column = shown as | column (alone) -->
    <!-- end -->

Without columns all are shown. The ends of its interval go along with a column that is not *alone*.
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
        A table without an end, or one that is not in its record, or a column.
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
    """Return a table of a record with the columns that a page asks for."""
    if name not in record["tables"]:
        raise ValueError(f"no table '{name}', but {', '.join(record['tables'])}")
    whole = record["tables"][name]
    rows = [dict(zip(whole["columns"], row, strict=True)) for row in whole["rows"]]
    titles: dict[str, str] = {}
    for asked in columns or whole["columns"]:
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


if __name__ == "__main__":
    main()
