"""Write the published figures that are packaged: of a table of figures, those that were checked.

    python benchmarks/published_figures.py published.csv src/isogloss/retrieve/published.json

The table has columns model, dataset, language, metric, value, note. A row whose note does not begin
with "checked" is never taken. Of Tatoeba: accuracy by language, and the means that a paper prints;
of BUCC 2018: F1 on the training set.
"""

import csv
import json
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BY_LANGUAGE = ("LaBSE", "multilingual-e5-small")
LICENCE = "Single figures, quoted with their sources; no text of them is copied."
PAPER = "Feng et al. 2022, abstract"


def packaged(rows: Iterable[dict[str, str]]) -> dict[str, Any]:
    """Return what the package holds of a table's rows."""
    checked = [row for row in rows if row["note"].startswith("checked")]
    tatoeba = [row for row in checked if (row["dataset"], row["metric"]) == ("Tatoeba", "accuracy")]
    return {
        "licence": LICENCE,
        "tatoeba": [_of_model(name, tatoeba) for name in BY_LANGUAGE],
        "tatoeba_means": [
            {"model": row["model"], "source": PAPER, "group": row["language"],
             "value": _share(row["value"])}
            for row in tatoeba if row["paper"] == "feng2022-labse"
        ],
        "bucc_training": [_of_bucc(checked)],
    }  # fmt: skip


def _of_model(name: str, rows: list[dict[str, str]]) -> dict[str, Any]:
    own = [row for row in rows if row["model"] == name and len(row["language"]) == 3]
    return {
        "model": name, "source": own[0]["note"].removeprefix("checked: "),
        "values": {row["language"]: _share(row["value"]) for row in own},
    }  # fmt: skip


def _of_bucc(rows: list[dict[str, str]]) -> dict[str, Any]:
    own = [row for row in rows if row["dataset"].startswith("BUCC 2018 train")]
    return {
        "model": own[0]["model"], "source": own[0]["note"].removeprefix("checked: "),
        "values": {row["language"].partition("-")[0]: _share(row["value"]) for row in own},
    }  # fmt: skip


def _share(percent: str) -> float:
    return round(float(percent) / 100, 6)


def main() -> None:
    """Read the table, write the JSON file."""
    table, out = map(Path, sys.argv[1:])
    with table.open(encoding="utf-8", newline="") as file:
        made = packaged(csv.DictReader(file))
    out.write_text(json.dumps(made, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
