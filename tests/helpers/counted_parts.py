"""The smallest task over parts: each text gets its number of letters. Its worker is this module."""

import json
import os
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow
from pyarrow import parquet

from isogloss.data.blocks import RowBlock
from isogloss.data.documents import FileFormat
from isogloss.data.row_files.added import Added, AddedCells
from isogloss.parts.footer import PartFooter, RunFacts
from isogloss.parts.run import PartsJob
from isogloss.parts.source import RowSource
from isogloss.parts.work import Work, working


class Counting:
    """Counts letters, and takes its time; one part kills the process that reads it."""

    added = (Added("n_letters", "number"),)

    def __init__(self, pause: float, fatal: str | None = None) -> None:
        self.pause, self.fatal = pause, fatal
        self.n = 0

    def begin(self, source: RowSource) -> "Counting":
        if source.path.name == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        return Counting(self.pause)

    def cells(self, block: RowBlock) -> AddedCells:
        time.sleep(self.pause)
        self.n += len(block.documents.texts)
        return [[float(len(text)) for text in block.documents.texts]]

    def facts(self) -> dict[str, Any]:
        return {"n": self.n}


def worker(settings: Mapping[str, Any]) -> Work:
    return working(Counting(**settings["task"]), settings["work"])


def summary_of(footers: Iterable[PartFooter]) -> dict[str, Any]:
    counts = [footer.facts["n"] for footer in footers]
    return {"n": sum(counts), "n_parts": len(counts)}


def job_of(
    *, pause: float = 0.0, fatal: str | None = None, kept: tuple[str, ...] = (),
    is_strict: bool = False, **settings: Any,
) -> PartsJob:  # fmt: skip
    run = RunFacts("count", "letters", "f1", {"kept": list(kept), **settings})
    return PartsJob(
        __name__, {"pause": pause, "fatal": fatal}, run, FileFormat(), None, kept,
        {"isogloss": "0"}, summary_of, is_strict,
    )  # fmt: skip


def write_parts(folder: Path, n: int, *, rows: int = 40) -> Path:
    """Write parts of rows in turn as Parquet, JSON Lines and CSV."""
    folder.mkdir(exist_ok=True)
    for number in range(n):
        made = [{"id": f"{number}-{row}", "text": "字" * (row % 7 + number)} for row in range(rows)]
        if number % 3 == 0:
            parquet.write_table(pyarrow.Table.from_pylist(made), folder / f"{number:02}.parquet")
        elif number % 3 == 1:
            lines = "".join(json.dumps(row) + "\n" for row in made)
            (folder / f"{number:02}.jsonl").write_text(lines, "utf-8")
        else:
            lines = "".join(f"{row['id']},{row['text']}\n" for row in made)
            (folder / f"{number:02}.csv").write_text("id,text\n" + lines, "utf-8")
    return folder


def rows_in(out: Path) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of each part by its name."""
    return {
        path.relative_to(out).as_posix(): parquet.read_table(path).to_pylist()
        for path in sorted(out.rglob("*.parquet"))
    }


def hidden_in(out: Path) -> list[str]:
    """Return what lies beside the parts."""
    return sorted(
        path.relative_to(out).as_posix()
        for path in out.rglob("*")
        if path.name.startswith((".", "_"))
    )
