"""Who carries tickets to the processes that work on them: this one, or several.

An `Executor` knows neither tasks nor parts: it imports a module by its name, asks its function
``worker(settings)`` for the function from bytes to bytes, once in each process, and applies that.
"""

from collections.abc import Generator, Iterable
from contextlib import closing
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from isogloss.errors import InputError
from isogloss.workers import map_blocks, n_cores

Outcomes = Generator[bytes, None, None]
OPEN_EACH = 8  # tickets for each process that are begun, or done before one that is not


class TicketLostError(InputError):
    """Say that a ticket ended every process that was given it."""

    def __init__(self, message: str, ticket: bytes) -> None:
        super().__init__(message)
        self.ticket = ticket


class Executor(Protocol):
    """Applies the work of a module to tickets."""

    @property
    def is_elsewhere(self) -> bool:
        """Whether they may have another working folder, or run on another machine."""
        ...

    @property
    def is_here(self) -> bool:
        """Whether it is this process that works."""
        ...

    @property
    def threads_each(self) -> int | None:
        """Threads of each process, of those that all have together; None: its own default."""
        ...

    def outcomes(self, module: str, settings: Any, tickets: Iterable[bytes]) -> Outcomes:
        """Yield what came of each ticket, in order; a bounded number is on its way at a time.

        Where it is closed before its end, what is on its way is stopped.

        Parameters
        ----------
        module
            Name of a module with a function ``worker(settings)``.
        settings
            What JSON can write.

        Raises
        ------
        InputError
            When a process was killed, or stopped by a fault that is none of one ticket;
            `TicketLostError` where it is known which ticket it was.
        """
        ...


@dataclass(frozen=True)
class Serial:
    """All in this process."""

    threads: int | None = None
    is_elsewhere: ClassVar[bool] = False
    is_here: ClassVar[bool] = True

    @property
    def threads_each(self) -> int | None:
        """All of them."""
        return self.threads

    def outcomes(self, module: str, settings: Any, tickets: Iterable[bytes]) -> Outcomes:
        """Yield what came of each ticket."""
        return _mapped(module, settings, tickets, workers=1)


@dataclass(frozen=True)
class Processes:
    """Several processes on this machine, which end when this one does.

    Without `threads` they share the cores.
    """

    workers: int
    threads: int | None = None
    is_elsewhere: ClassVar[bool] = False
    is_here: ClassVar[bool] = False

    @property
    def threads_each(self) -> int:
        """Share of a process, at least one."""
        return max((n_cores() if self.threads is None else self.threads) // self.workers, 1)

    def outcomes(self, module: str, settings: Any, tickets: Iterable[bytes]) -> Outcomes:
        """Yield what came of each ticket."""
        return _mapped(module, settings, tickets, workers=self.workers)


def executor_of(workers: int, threads: int | None) -> Executor:
    """Return the executor for a number of processes on this machine, and their threads in all."""
    return Serial(threads) if workers == 1 else Processes(workers, threads)


def _mapped(module: str, settings: Any, tickets: Iterable[bytes], *, workers: int) -> Outcomes:
    blocks = map_blocks(module, settings, tickets, bytes, workers=workers, n_ahead=OPEN_EACH)
    with closing(blocks):
        for _, result in blocks:
            yield result
