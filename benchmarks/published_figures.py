"""Write the published figures that are packaged: of a table of figures, those that were checked.

    python benchmarks/published_figures.py published.csv src/isogloss

The table has columns paper, table, model, dataset, language, metric, value, note. Two files are
written. ``retrieve/published.json``: a row whose note does not begin with "checked" is never taken;
of Tatoeba: accuracy by language, and the means that a paper prints; of BUCC 2018: F1 on the
training set. ``reproduce/published.json``: the tables that `reproduce` measures again; a figure
that was not checked is marked so.
"""

import csv
import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

BY_LANGUAGE = ("LaBSE", "multilingual-e5-small")
LICENCE = "Single figures, quoted with their sources; no text of them is copied."
PAPER = "Feng et al. 2022, abstract"
RELEASE = "statistics published with the code (kawine/contextual)"
GEOMETRY = {
    "baseline cosine (random words)": "baseline",
    "self-similarity, raw, mean over words": "self_similarity",
    "intra-sentence similarity, raw": "intra_similarity",
    "explained variance (centred), raw, mean over words": "mev_released",
}


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


def for_reproduce(rows: Iterable[dict[str, str]]) -> dict[str, Any]:
    """Return what `isogloss.reproduce` holds of a table's rows, by source."""
    sources: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found = _of_reproduced(row)
        if found is not None:
            sources.setdefault(found.pop("source"), []).append(found)
    return {"licence": LICENCE, "sources": sources}


def _of_reproduced(row: dict[str, str]) -> dict[str, Any] | None:
    """Return the figure of a row; None for one of no table that is measured again."""
    is_verified = row["note"].startswith(("checked:", "computed"))
    figure = {"model": row["model"].replace("M-BERT", "mBERT"), "is_verified": is_verified}
    if row["paper"] == "ethayarajh2019-release":
        name, _, layer = row["metric"].rpartition(", layer ")
        if name not in GEOMETRY:
            return None
        place = ("geometry", GEOMETRY[name], f"layer {layer}", RELEASE)
        value = float(row["value"])
    elif row["paper"] == "pires2019" and re.fullmatch("[1245][ab]?", row["table"]):
        source = f"Pires et al. 2019, Table {row['table']}"
        if is_verified:
            source += f", {row['note'].removeprefix('checked: ')}"
        place = ("pires", row["table"], row["language"].replace("->", " → "), source)
        value = _share(row["value"])
    elif row["paper"] == "feng2022-labse" and "languages" in row["language"]:
        source = PAPER if is_verified else "Feng et al. 2022"
        place = ("labse", "tatoeba", row["language"].partition(" (")[0], source)
        if row["metric"] != "accuracy":
            return None
        value = _share(row["value"])
    elif row["paper"] == "feng2022-labse" and row["table"] == "BUCC":
        place = ("labse", "bucc", row["language"].partition("-")[0], "Feng et al. 2022")
        value = _share(row["value"])
        figure["model"] += f", {row['dataset'].rpartition(', ')[2]}"
    else:
        return None
    paper, table, langs, source = place
    return {"paper": paper, "table": table, "langs": langs, "value": value, "source": source
            } | figure  # fmt: skip


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
    """Read the table, write the JSON files."""
    table, package = map(Path, sys.argv[1:])
    with table.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    for part, made in (("retrieve", packaged(rows)), ("reproduce", for_reproduce(rows))):
        text = json.dumps(made, ensure_ascii=False, indent=1) + "\n"
        (package / part / "published.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
