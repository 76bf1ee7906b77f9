"""Make the cells that are missing, and keep each when it is done."""

import time
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from isogloss import __version__
from isogloss.errors import InputError, OmissionWarning, omissions_are_errors
from isogloss.learn.tuning_memo import remember_tuning
from isogloss.progress import logger
from isogloss.reproduce.cells import CellFile, KeptCell
from isogloss.reproduce.tasks import Job, Task


@dataclass(frozen=True)
class Outcome:
    """What a run did.

    Attributes
    ----------
    failures
        One sentence for each thing that went wrong.
    """

    n_made: int
    n_kept: int
    failures: list[str]


def make_missing(tasks: Sequence[Task], kept: CellFile, *, encoder: str) -> Outcome:
    """Make the cells of tasks that a file lacks; what cannot be made is left out and said.

    Parameters
    ----------
    encoder
        Its name, to be kept beside.
    """
    failures = [f"{task.name}: {sentence}" for task in tasks for sentence in task.failures]
    keys = {key.digest: key for task in tasks for key in task.cells}
    n_kept = sum(key in kept for key in keys.values())
    n_before = len(kept)
    with remember_tuning():
        for task in tasks:
            for job in task.jobs:
                try:
                    _make(job, kept, encoder)
                except InputError as error:
                    failures.append(f"{task.name}: {error}")
    return Outcome(len(kept) - n_before, n_kept, failures)


def _make(job: Job, kept: CellFile, encoder: str) -> None:
    missing = [key for key in job.cells if key not in kept]
    if not missing:
        return
    with _omissions() as omissions:
        start = time.perf_counter()
        for key, found in job.make(missing):
            seconds = time.perf_counter() - start
            said = list(dict.fromkeys(omissions))
            omissions.clear()
            kept.add(KeptCell(key, encoder, found, seconds, said, __version__))
            logger.info("%s, %s, seed %d: done in %.1f s", key.task, key.langs, key.seed, seconds)
            start = time.perf_counter()


@contextmanager
def _omissions() -> Iterator[list[str]]:
    """Put what is said to be left out into a list too; under --strict it raises as ever."""
    found: list[str] = []
    if omissions_are_errors():
        yield found
        return
    show = warnings.showwarning

    def keep(message: Warning | str, category: type[Warning], *where: Any) -> None:
        if issubclass(category, OmissionWarning):
            found.append(str(message))
        show(message, category, *where)

    with warnings.catch_warnings():
        warnings.simplefilter("always", OmissionWarning)
        warnings.showwarning = keep  # type: ignore[assignment]
        yield found
