"""What is needed, what is there, what will run, and for about how long.

The time is an estimate from a rate that is measured, and is said to be that.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.encode import Encoder
from isogloss.errors import counted
from isogloss.progress import silent_parts
from isogloss.report.table import Table
from isogloss.reproduce.cells import CellFile, CellKey
from isogloss.reproduce.data import DATA_SETS, Paper, find
from isogloss.reproduce.tasks import Task

N_SAMPLE = 64
_N_NAMED = 3  # missing files that a sentence names
_SEED = 0


@dataclass(frozen=True)
class Plan:
    """Cells by task, and how the time was estimated."""

    table: Table
    notes: list[str]


def needed(paper: Paper, folder: Path) -> list[dict[str, Any]]:
    """Return what is known of each data set of a paper, and what of it is there.

    Raises
    ------
    InputError
        When the folder of all data is not there.
    """
    rows = []
    for one in DATA_SETS:
        if paper in one.papers:
            found = find(one, folder)
            rows.append({
                "name": one.name, "folder": str(folder / one.folder), "licence": one.licence,
                "source": one.source, "layout": one.layout, "languages": one.languages,
                "n_files": len(one.files), "n_found": len(found.files),
                "missing": [str(missing) for missing in found.missing],
                "others": [str(path) for path in found.others],
            })  # fmt: skip
    return rows


def spelt(row: Mapping[str, Any]) -> str:
    """Say what `needed` tells of a data set."""
    found = f"{row['n_found']:,} of {counted(row['n_files'], 'file')} found"
    missing = row["missing"]
    if row["n_found"] and missing:
        more = len(missing) - _N_NAMED
        found += "; missing: " + "; ".join(missing[:_N_NAMED])
        found += f"; and {more:,} more" if more > 0 else ""
    if row["others"]:
        found += f"; not read: {counted(len(row['others']), 'other file')}"
    return (
        f"{row['name']} → {row['folder']}: {found}\n  licence: {row['licence']}\n"
        f"  from: {row['source']}\n  files: {row['layout']}"
    )


def planned(tasks: Sequence[Task], kept: CellFile | None, encoder: Encoder) -> Plan:
    """Return what will run.

    Time is that of the cells of the same task that are kept, where there are some; else that of
    the encoder alone, at the rate that a sample of the texts is encoded with.
    """
    rows, rate = [], None
    has_measured = False
    for task in tasks:
        is_kept = _is_kept(kept, has_part=task.has_part)
        missing = {key.digest: key for key in task.cells if not is_kept(key)}
        same = [] if kept is None else [
            cell.seconds for cell in kept.all_of(task.name)
            if cell.key.encoder == encoder.fingerprint
        ]  # fmt: skip
        if same:
            has_measured = True
            seconds = float(np.mean(same)) * len(missing)
        elif task.has_part:
            seconds = float("nan")
        else:
            rate = rate or _characters_per_second(encoder, task.sample)
            read = sum(
                job.n_characters([key for key in job.cells if key.digest in missing])
                for job in task.jobs
                if any(key.digest in missing for key in job.cells)
            )
            seconds = read / rate if rate else float("nan")
        n_cells = len({key.digest for key in task.cells})
        rows.append({
            "task": task.name, "of": task.title, "cells": n_cells, "done": n_cells - len(missing),
            "to run": len(missing), "minutes": seconds / 60,
        })  # fmt: skip
    parts = [
        f"{task.name}: the beginning of each file was read, not all of it; a cell counts as done "
        "whatever data it was made on"
        for task in tasks
        if task.has_part
    ]
    return Plan(Table(rows), [*_notes(rate, has_measured, encoder), *parts])


def _is_kept(kept: CellFile | None, *, has_part: bool) -> Callable[[CellKey], bool]:
    if kept is None:
        return lambda _: False
    return kept.has_like if has_part else kept.__contains__


def _notes(rate: float | None, has_measured: bool, encoder: Encoder) -> list[str]:
    said = []
    if has_measured:
        said.append("minutes: an estimate, from the mean of the cells of that task that are done")
    if rate:
        said.append(
            f"minutes: an estimate, from {counted(round(rate), 'character')} a second, measured "
            f"just now on {N_SAMPLE} texts with {encoder.name}; fitting heads is not in it"
        )
    return said


def _characters_per_second(encoder: Encoder, texts: Sequence[str]) -> float | None:
    if not texts:
        return None
    rows = np.random.default_rng(_SEED).permutation(len(texts))[:N_SAMPLE]
    sample = [texts[row] for row in rows]
    with silent_parts():
        encoder.encode(sample[:4])  # what is compiled or laid out at first use does not count
        start = time.perf_counter()
        encoder.encode(sample)
    return sum(map(len, sample)) / (time.perf_counter() - start)
