"""A file through a filter: what is kept goes to one file, what is removed to another, in blocks.

With a score, what the rules keep waits in a temporary file until all scores are known; of a pair
its score alone stays in memory.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO

import numpy as np

from isogloss.arrays import Bools1d, Floats1d
from isogloss.storage.files import atomic_file

Columns = tuple[list[str], ...]
RemovedBy = Callable[..., list[str | None]]
Score = Callable[..., Floats1d]
Choose = Callable[[Floats1d], Bools1d]
BY_SCORE = "score"


@dataclass(frozen=True)
class Scoring:
    """What scores the rows that rules keep, and which of them are kept by their scores."""

    score: Score
    choose: Choose


@dataclass(frozen=True)
class Filtered:
    """How many rows there were, how many are kept, and what removed the others."""

    n: int
    n_kept: int
    removed: dict[str, int]


def filter_file(
    blocks: Iterable[Columns],
    out: Path,
    *,
    removed_by: RemovedBy,
    removed: Path | None = None,
    scoring: Scoring | None = None,
    overwrite: bool = False,
) -> Filtered:
    """Write the rows that are kept to `out`, columns joined by tabs; in memory of one block.

    Parameters
    ----------
    removed_by
        From columns to the rule that removes each row, or None.
    removed
        File for what is removed, after the name of the rule and a tab; None: it is not written.

    Raises
    ------
    InputError
        When a file cannot be written; none is there then.
    """
    counts: Counter[str] = Counter()
    scores: list[Floats1d] = [np.empty(0, np.float32)]
    n = 0
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="isogloss-"))
        kept_file = stack.enter_context(_written(out, overwrite))
        removed_file = (
            None if removed is None else stack.enter_context(_written(removed, overwrite))
        )
        waiting = Path(folder) / "waiting"
        with waiting.open("w", encoding="utf-8", newline="\n", errors="backslashreplace") as file:
            for columns in blocks:
                n += len(columns[0])
                rules = removed_by(*columns)
                counts.update(rule for rule in rules if rule is not None)
                _write(columns, rules, file if scoring else kept_file, removed_file)
                if scoring is not None:
                    rows = [row for row, rule in enumerate(rules) if rule is None]
                    some = ([column[row] for row in rows] for column in columns)
                    scores.append(scoring.score(*some) if rows else scores[0])
        if scoring is not None:
            is_kept = scoring.choose(np.concatenate(scores))
            counts[BY_SCORE] = int((~is_kept).sum())
            _divide(waiting, is_kept, kept_file, removed_file)
    return Filtered(n, n - counts.total(), dict(counts))


def one_line(text: str) -> str:
    """Return a text as a field of a line: blanks of any kind are one space."""
    return " ".join(text.split())


def _write(
    columns: Columns, rules: list[str | None], kept: IO[str], removed: IO[str] | None
) -> None:
    for *texts, rule in zip(*columns, rules, strict=True):
        line = "\t".join(one_line(text or "") for text in texts)
        if rule is None:
            kept.write(f"{line}\n")
        elif removed is not None:
            removed.write(f"{rule}\t{line}\n")


def _divide(waiting: Path, is_kept: Bools1d, kept: IO[str], removed: IO[str] | None) -> None:
    with waiting.open(encoding="utf-8", newline="\n") as lines:
        for line, keeps in zip(lines, is_kept.tolist(), strict=True):
            if keeps:
                kept.write(line)
            elif removed is not None:
                removed.write(f"{BY_SCORE}\t{line}")


@contextmanager
def _written(path: Path, overwrite: bool) -> Iterator[IO[str]]:
    """Yield a text file that is there when all ends well."""
    with (
        atomic_file(path, overwrite=overwrite) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n", errors="backslashreplace") as file,
    ):
        yield file
