"""Progress of long work: a bar on a terminal, log lines elsewhere.

Work is counted in its own unit (tokens, rows), so that the rate is flat and the time left true.
Lines go to the logger ``isogloss``; the command line sends them to standard error.
"""

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from isogloss.visible import visible

logger = logging.getLogger("isogloss")

SECONDS_BETWEEN_LINES = 15.0


_is_silent: ContextVar[bool] = ContextVar("_is_silent", default=False)


@contextmanager
def silent_parts() -> Iterator[None]:
    """Show nothing of the work inside: parts of a work whose own progress says enough."""
    before = _is_silent.set(True)
    try:
        yield
    finally:
        _is_silent.reset(before)


@contextmanager
def talk_noted() -> Iterator[list[str]]:
    """Keep the lines at the level of information that are said inside, and say none of them.

    They are kept whatever this process says itself: a worker says nothing. What comes while the
    work goes on (compiling, warnings) is said at once, as ever.
    """
    noted: list[str] = []

    def note(record: logging.LogRecord) -> bool:
        if record.levelno == logging.INFO:
            noted.append(record.getMessage())
        return record.levelno != logging.INFO

    level = logger.level
    logger.setLevel(min(logger.getEffectiveLevel(), logging.INFO))
    logger.addFilter(note)  # of this logger alone, not of those below it
    try:
        yield noted
    finally:
        logger.removeFilter(note)
        logger.setLevel(level)


@contextmanager
def progress(description: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    """Yield a function that takes how many more units are done.

    Parameters
    ----------
    description
        What is going on, as a noun: ``"encoding"``.
    total
        Units in all.
    unit
        Name of the unit in the plural: ``"tokens"``.

    Examples
    --------
    >>> with progress("encoding", 10, "tokens") as advance:
    ...     advance(10)
    """
    if _is_silent.get():
        yield lambda _: None
    elif sys.stderr.isatty():
        with _bar(description, total, unit) as advance:
            yield advance
    else:
        yield _log_lines(description, total, unit)


@contextmanager
def activity(description: str) -> Iterator[None]:
    """Show that work of unknown length goes on: the time on a terminal, a line elsewhere.

    Examples
    --------
    >>> with activity("learning the head"):
    ...     pass
    """
    if _is_silent.get():
        yield
        return
    if not sys.stderr.isatty():
        logger.info("%s", description)
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        bar.add_task(visible(description), total=None)
        yield


@contextmanager
def _bar(description: str, total: int, unit: str) -> Iterator[Callable[[int], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(visible(description), total=total)

        def advance(n: int) -> None:
            bar.advance(task, n)

        yield advance


def _in_words(rate: float) -> str:
    """Return units a second; seconds of a unit where that is less than one."""
    return f"{rate:.0f} per second" if rate >= 1 or not rate else f"{1 / rate:.1f} s each"


def _log_lines(description: str, total: int, unit: str) -> Callable[[int], None]:
    start = last = time.monotonic()
    done = 0

    def advance(n: int) -> None:
        nonlocal done, last
        done += n
        now = time.monotonic()
        if now - last >= SECONDS_BETWEEN_LINES:
            last = now
            rate = done / (now - start)
            left = (total - done) / rate if rate else 0.0
            logger.info(
                "%s: %d of %d %s, %s, %.0f s left",
                description, done, total, unit, _in_words(rate), left,
            )  # fmt: skip

    return advance
