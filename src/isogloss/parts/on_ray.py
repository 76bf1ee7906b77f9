"""Tickets through actors of a Ray cluster, each a process that loads what it works with once.

Ray core alone. An actor that dies, alone or with its node, is replaced, and what it was at is given
to another: a part that is there already is kept, so that it does not matter how far it got.
"""

import json
import time
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from types import ModuleType
from typing import Any, ClassVar

from isogloss.cores import check_threads
from isogloss.errors import InputError
from isogloss.parts.executors import OPEN_EACH, Outcomes, TicketLostError
from isogloss.parts.ray_actor import Order, Reply
from isogloss.parts.ray_session import first_line, ray_session
from isogloss.parts.summary import versions
from isogloss.progress import logger

ATTEMPTS = 3  # of a ticket
SECONDS_BETWEEN_LINES = 30.0
_SECONDS_TO_HEAR, _SECONDS_TO_DIE = 2.0, 10.0


@dataclass(frozen=True)
class Ray:
    """Actors of a Ray cluster.

    Parameters
    ----------
    workers
        Actors.
    address
        As `ray_session` takes it.
    threads
        Of all actors together; each claims its share of the cluster. None: one each, as nobody
        knows the machines.
    """

    workers: int = 1
    address: str | None = None
    threads: int | None = None
    is_elsewhere: ClassVar[bool] = True
    is_here: ClassVar[bool] = False

    @property
    def threads_each(self) -> int:
        """Share of an actor, at least one."""
        return 1 if self.threads is None else max(self.threads // self.workers, 1)

    def outcomes(self, module: str, settings: Any, tickets: Iterable[bytes]) -> Outcomes:
        """Yield what came of each ticket."""
        check_threads(self.workers, "workers")
        order = Order(module=module, settings=json.dumps(settings), versions=versions())
        with ray_session(self.address, n_cpus=self.workers * self.threads_each) as ray:
            actors = _Actors(ray, order, self)
            try:
                yield from actors.outcomes(tickets)
            except ray.exceptions.RayTaskError:  # a bug of ours, with its traceback
                raise
            except ray.exceptions.RayError as error:
                raise InputError(
                    f"Ray ended ({first_line(error)}); the same command resumes"
                ) from error
            finally:
                actors.end()


@dataclass
class _Open:
    """A ticket that is not done."""

    number: int
    ticket: bytes
    n_lost: int = 0


@dataclass(frozen=True)
class _Call:
    """What an actor is at; None: it begins."""

    actor: Any
    open: _Open | None


class _Actors:
    """Actors, what each is at, and what came of the tickets."""

    def __init__(self, ray: ModuleType, order: Order, of: Ray) -> None:
        self._ray, self._of = ray, of
        self._class = ray.remote(
            num_cpus=of.threads_each, max_restarts=0, max_task_retries=0,
            scheduling_strategy="SPREAD",
        )(_actor_class())  # fmt: skip
        self._order = order
        self._calls: dict[Any, _Call] = {}
        self._idle: list[Any] = []
        self._waiting: deque[_Open] = deque()
        self._done: dict[int, bytes] = {}
        self._n_vain = 0  # actors in a row that died before they had begun
        self._said = time.monotonic()

    def outcomes(self, tickets: Iterable[bytes]) -> Iterator[bytes]:
        numbered = (_Open(number, ticket) for number, ticket in enumerate(tickets))
        n_open = n_yielded = 0
        while True:
            more = list(islice(numbered, OPEN_EACH * self._of.workers - n_open))
            self._waiting += more
            n_open += len(more)
            self._give()
            if n_yielded in self._done:
                yield self._done.pop(n_yielded)
                n_yielded, n_open = n_yielded + 1, n_open - 1
            elif n_open:
                self._hear()
            else:
                return

    def end(self) -> None:
        """End all actors; wait until those are dead that are at something."""
        for actor in [*self._idle, *(call.actor for call in self._calls.values())]:
            with suppress(self._ray.exceptions.RayError):  # of one; the others are to end too
                self._ray.kill(actor)
        with suppress(self._ray.exceptions.RayError):
            if self._calls:
                refs = list(self._calls)
                self._ray.wait(refs, num_returns=len(refs), timeout=_SECONDS_TO_DIE)

    def _give(self) -> None:
        """Give tickets to those who have none; begin actors where there are too few."""
        while self._waiting and self._idle:
            actor, given = self._idle.pop(), self._waiting.popleft()
            self._calls[actor.work.remote(given.ticket)] = _Call(actor, given)
        n_beginning = sum(call.open is None for call in self._calls.values())
        n_more = min(len(self._waiting) - n_beginning, self._of.workers - len(self._calls))
        for _ in range(n_more):
            actor = self._class.remote()
            self._calls[actor.begin.remote(self._order)] = _Call(actor, None)

    def _hear(self) -> None:
        """Wait until an actor answers or dies, or for some seconds."""
        ready, _ = self._ray.wait(list(self._calls), timeout=_SECONDS_TO_HEAR)
        for ref in ready:
            call = self._calls.pop(ref)
            try:
                reply: Reply = self._ray.get(ref)
            except self._ray.exceptions.RayTaskError:
                raise
            except self._ray.exceptions.RayError as error:
                self._replace(call, error)
                continue
            if "fault" in reply:
                self._idle.append(call.actor)
                raise InputError(reply["fault"])
            if call.open is None:
                self._n_vain = 0
            else:
                self._done[call.open.number] = reply["done"]
            self._idle.append(call.actor)
        self._say_waiting()

    def _replace(self, call: _Call, error: Exception) -> None:
        """Let go of an actor that is lost; what it was at is the next to be given."""
        with suppress(self._ray.exceptions.RayError):
            self._ray.kill(call.actor)
        why = first_line(error)
        if call.open is None:
            self._n_vain += 1
            if self._n_vain >= ATTEMPTS * self._of.workers:
                raise InputError(
                    f"no actor lived until it had loaded what it works with, {self._n_vain} died "
                    f"({why}); is there memory for {self._of.workers}? give a smaller --workers"
                )
            return
        call.open.n_lost += 1
        if call.open.n_lost == ATTEMPTS:
            raise TicketLostError(
                f"{ATTEMPTS} actors died over it, the last time: {why}; take it out, or give "
                "the nodes more memory", call.open.ticket,
            )  # fmt: skip
        logger.info("an actor was lost (%s); what it was at is done again", why)
        self._waiting.appendleft(call.open)

    def _say_waiting(self) -> None:
        """Say why nothing happens, where the cluster has no room for any actor."""
        is_waiting = all(call.open is None for call in self._calls.values()) and not self._idle
        if not is_waiting or time.monotonic() - self._said < SECONDS_BETWEEN_LINES:
            return
        self._said = time.monotonic()
        has, free = self._ray.cluster_resources(), self._ray.available_resources()
        logger.info(
            "no actor has begun yet: each claims %d CPU, of the %g of the cluster %g are free",
            self._of.threads_each, has.get("CPU", 0), free.get("CPU", 0),
        )  # fmt: skip


def _actor_class() -> type:
    """Return the class of actors.

    Made in a function and naming no other class, it is sent as it is: a node without isogloss can
    say so.
    """

    class PartWorker:
        """Holds what it works with."""

        def begin(self, order: Any) -> Any:
            """Load it; an `Order` comes in, a `Reply` goes out."""
            try:
                from isogloss.parts import ray_actor
            except ImportError as error:
                return {"fault": f"isogloss cannot be imported on a node of the cluster ({error}); "
                        "install it on all, with the same packages"}  # fmt: skip
            self.worked = ray_actor.worked
            self.does, reply = ray_actor.begun(order)
            return reply

        def work(self, ticket: bytes) -> Any:
            """Apply it to a ticket; a `Reply` goes out."""
            return self.worked(self.does, ticket)  # type: ignore[arg-type]

    return PartWorker
