"""Texts that wait are answered together: one thread computes, and takes what is there.

A request of many texts waits part by part, so that it does not keep short ones waiting; what
waits beyond a bound is refused at once, as a queue that only grows answers nobody in time.
"""

import asyncio
import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Generic, TypeVar

from isogloss.errors import counted
from isogloss.serve.failures import RequestError

Q = TypeVar("Q")
A = TypeVar("A")
PART = 32  # texts of one request that are answered at once; the encoder gains little by more
BATCH = 64  # texts of several
_LONGEST_RETRY = 60  # seconds


@dataclass(frozen=True)
class _Part(Generic[Q, A]):
    """Questions that wait to become part of a batch: its answers to be, and where theirs begin."""

    questions: list[Q]
    batch: "asyncio.Future[tuple[asyncio.Future[list[A]], int]]"


class Batcher(Generic[Q, A]):
    """Answers questions of many requests in common batches; belongs to one event loop.

    Parameters
    ----------
    answer
        Gives one answer for each question; called in the thread of `executor`.
    executor
        Of one thread.
    most_waiting
        Questions that may wait; more are refused.
    """

    def __init__(
        self, answer: Callable[[list[Q]], list[A]], executor: Executor, *, most_waiting: int
    ) -> None:
        self._answer, self._executor, self._most = answer, executor, most_waiting
        self._parts: deque[_Part[Q, A]] = deque()
        self._runner: asyncio.Task[None] | None = None
        self._seconds = 0.0  # of one question, lately
        self.n_waiting = 0

    async def ask(self, questions: list[Q]) -> list[A]:
        """Return the answers; raises `RequestError` 429 where too many wait already."""
        if self.n_waiting + len(questions) > self._most:
            raise self._full()
        self.n_waiting += len(questions)
        answers: list[A] = []
        try:
            for start in range(0, len(questions), PART):
                answers += await self._in_batch(questions[start : start + PART])
        finally:
            self.n_waiting -= len(questions)
        return answers

    async def _in_batch(self, questions: list[Q]) -> list[A]:
        part: _Part[Q, A] = _Part(questions, asyncio.get_running_loop().create_future())
        self._parts.append(part)
        if self._runner is None or self._runner.done():
            self._runner = asyncio.create_task(self._run())
        batch, start = await part.batch
        answers = await asyncio.shield(batch)
        return answers[start : start + len(questions)]

    async def _run(self) -> None:
        """Answer until nothing waits; a fault of a batch is that of each request in it."""
        loop = asyncio.get_running_loop()
        while self._parts:
            parts = self._taken()
            questions = [question for part in parts for question in part.questions]
            began = time.monotonic()
            batch = loop.run_in_executor(self._executor, self._answer, questions)
            start = 0
            for part in parts:
                part.batch.set_result((batch, start))
                start += len(part.questions)
            await asyncio.wait([batch])
            lately = (time.monotonic() - began) / max(1, len(questions))
            self._seconds = lately if not self._seconds else 0.8 * self._seconds + 0.2 * lately

    def _taken(self) -> list[_Part[Q, A]]:
        """Take what waits longest, as much as makes a batch; not what nobody waits for now."""
        taken: list[_Part[Q, A]] = []
        n_questions = 0
        while self._parts:
            part = self._parts[0]
            if taken and n_questions + len(part.questions) > BATCH:
                break
            self._parts.popleft()
            if not part.batch.done():
                taken.append(part)
                n_questions += len(part.questions)
        return taken

    def _full(self) -> RequestError:
        seconds = min(_LONGEST_RETRY, max(1, math.ceil(self.n_waiting * self._seconds)))
        waiting = counted(self.n_waiting, "text waits", "texts wait")
        return RequestError(
            429,
            "busy",
            f"{waiting} already; ask again in {counted(seconds, 'second')}",
            headers={"Retry-After": str(seconds)},
        )
