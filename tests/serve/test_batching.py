"""Texts that wait are answered together, in turn, and refused when too many wait."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from isogloss.serve.batching import BATCH, PART, Batcher
from isogloss.serve.failures import RequestError


class Slow:
    """Doubles numbers once it is let go; keeps the batches."""

    def __init__(self) -> None:
        self.go, self.batches = threading.Event(), []

    def __call__(self, questions: list[int]) -> list[int]:
        self.batches.append(questions)
        self.go.wait(10)
        if -1 in questions:
            raise ValueError("a fault")
        return [2 * one for one in questions]


def test_what_waits_is_answered_together() -> None:
    slow = Slow()

    async def run() -> list[list[int]]:
        with ThreadPoolExecutor(1) as executor:
            batcher = Batcher(slow, executor, most_waiting=1000)
            asked = [asyncio.create_task(batcher.ask([one])) for one in range(20)]
            await asyncio.sleep(0.05)
            assert batcher.n_waiting == 20
            slow.go.set()
            answers = await asyncio.gather(*asked)
            assert batcher.n_waiting == 0
            return answers

    assert asyncio.run(run()) == [[2 * one] for one in range(20)]
    assert len(slow.batches) <= 2
    assert sum(map(len, slow.batches)) == 20


def test_a_long_request_keeps_a_short_one_waiting_for_a_batch_only() -> None:
    slow = Slow()
    slow.go.set()
    ended: list[str] = []

    async def run() -> None:
        with ThreadPoolExecutor(1) as executor:
            batcher = Batcher(slow, executor, most_waiting=1000)

            async def ask(name: str, n: int) -> None:
                assert await batcher.ask([*range(n)]) == [2 * one for one in range(n)]
                ended.append(name)

            long = asyncio.create_task(ask("long", 10 * PART))
            await asyncio.sleep(0)
            await asyncio.gather(long, ask("short", 1))

    asyncio.run(run())
    assert ended == ["short", "long"]
    assert max(map(len, slow.batches)) <= BATCH


def test_too_many_are_refused_with_the_seconds_to_wait() -> None:
    slow = Slow()

    async def run() -> RequestError:
        with ThreadPoolExecutor(1) as executor:
            batcher = Batcher(slow, executor, most_waiting=10)
            first = asyncio.create_task(batcher.ask([*range(8)]))
            await asyncio.sleep(0.05)
            with pytest.raises(RequestError) as refused:
                await batcher.ask([1, 2, 3])
            slow.go.set()
            await first
            assert await batcher.ask([1, 2, 3]) == [2, 4, 6]
            return refused.value

    error = asyncio.run(run())
    assert (error.status, error.code) == (429, "busy")
    assert 1 <= int(error.headers["Retry-After"]) <= 60


def test_a_fault_is_that_of_its_batch_alone() -> None:
    slow = Slow()
    slow.go.set()

    async def run() -> None:
        with ThreadPoolExecutor(1) as executor:
            batcher = Batcher(slow, executor, most_waiting=100)
            with pytest.raises(ValueError, match="a fault"):
                await batcher.ask([-1])
            assert await batcher.ask([1]) == [2]
            assert batcher.n_waiting == 0

    asyncio.run(run())


def test_what_nobody_waits_for_is_not_answered() -> None:
    slow = Slow()

    async def run() -> None:
        with ThreadPoolExecutor(1) as executor:
            batcher = Batcher(slow, executor, most_waiting=100)
            first = asyncio.create_task(batcher.ask([1]))
            await asyncio.sleep(0.05)
            gone = asyncio.create_task(batcher.ask([2]))
            await asyncio.sleep(0.05)
            gone.cancel()
            slow.go.set()
            await first
            assert await batcher.ask([3]) == [6]

    asyncio.run(run())
    assert [2] not in slow.batches
