"""The record of a run: the tables that a benchmark prints, as JSON for the pages of docs/.

A record is written by its script alone, with ``--json benchmarks/results/NAME.json``;
`tools/results.py` puts its tables into the pages.
"""

import argparse
import itertools
import json
import os
import platform
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import torch

from isogloss.parts.summary import versions
from isogloss.report.table import Table
from isogloss.storage.files import atomic_file

DIGITS = 6  # of a number that is no integer: a page shows three
CPU_FACTS = Path("/proc/cpuinfo")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add the option that keeps a record."""
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the tables as JSON, too")


class Record:
    """Tables that are printed as they come, and kept when the run is over.

    Parameters
    ----------
    path
        Of the record; ``None``: printing is all.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._tables: dict[str, Table] = {}

    def show(self, name: str, table: Table) -> None:
        """Print a table; `name` is what a page calls it by."""
        self._tables[name] = table
        print(table.to_markdown(), flush=True)

    def write(self) -> None:
        """Write the record, if one is to be kept: the last act of a run that did not fail."""
        if self._path is None:
            return
        facts = {
            "script": Path(sys.argv[0]).name,
            "command": command(sys.argv),
            "date": datetime.now(UTC).date().isoformat(),
            "versions": versions(),
            "processor": processor(),
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with atomic_file(self._path, overwrite=True) as made:
            made.write_text(_text(facts, self._tables), "utf-8")


def command(words: list[str]) -> str:
    """Return a command line without the record's own option, and with names for places.

    Examples
    --------
    >>> command(["benchmarks/drift.py", "--data", "/data", "--n", "3", "--json", "drift.json"])
    'python benchmarks/drift.py --data DIR --n 3'
    """
    shown = ["python", f"benchmarks/{Path(words[0]).name}"]
    for before, word in itertools.pairwise(words):
        if "--json" in (before, word):
            continue
        is_place = before.startswith("--") and "/" in word
        place = "DIR" if before == "--data" else before.removeprefix("--").upper()
        shown.append(place if is_place else word)
    return " ".join(shown)


def processor() -> str:
    """Return model, instructions that torch uses, and number of processors."""
    model = platform.machine()
    if CPU_FACTS.exists():
        lines = CPU_FACTS.read_text("utf-8", errors="replace").splitlines()
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        model = names[0] if names else model
    return f"{model}, {torch.backends.cpu.get_cpu_capability()}, {os.cpu_count()} processors"


def _text(facts: dict[str, Any], tables: dict[str, Table]) -> str:
    """Return JSON with a line for each row."""
    parts = []
    for name, table in tables.items():
        rows = [json.dumps([_short(row[column]) for column in table.columns], ensure_ascii=False)
                for row in table.rows]  # fmt: skip
        columns = json.dumps(table.columns, ensure_ascii=False)
        head = f'  {json.dumps(name)}: {{\n   "columns": {columns},\n   "rows": [\n    '
        parts.append(head + ",\n    ".join(rows) + "\n   ]\n  }")
    start = json.dumps(facts, ensure_ascii=False, indent=1).removesuffix("\n}")
    return start + ',\n "tables": {\n' + ",\n".join(parts) + "\n }\n}\n"


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
