"""Blocks of bytes through worker processes, the results in order.

A worker is a Python of its own that reads blocks from a pipe: it needs no ``__main__`` guard in the
user's script, inherits no threads and ends when its pipe does, even if its parent was killed.
"""

import json
import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, suppress
from importlib import import_module
from queue import SimpleQueue
from typing import IO, Any, TypeVar

from isogloss.errors import InputError
from isogloss.progress import progress

_Block = TypeVar("_Block")
_LENGTH = 8  # bytes before each message


def n_cores() -> int:
    """Return the cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def map_blocks(
    module: str,
    settings: Any,
    blocks: Iterable[_Block],
    data_of: Callable[[_Block], bytes],
    *,
    workers: int,
) -> Iterator[tuple[_Block, bytes]]:
    """Yield each block with its result, in order; three blocks for each worker are in memory.

    Parameters
    ----------
    module
        Name of a module with a function ``worker(settings)`` that returns the function from bytes
        to bytes that is applied to each block.
    settings
        What JSON can write.
    blocks, data_of
        What to work on, and how to get its bytes.
    workers
        Processes; 1: this one.

    Raises
    ------
    InputError
        When a worker was killed.
    """
    if workers == 1:
        work = import_module(module).worker(settings)
        yield from ((block, work(data_of(block))) for block in blocks)
        return
    with ExitStack() as stack:
        idle: SimpleQueue[_Worker] = SimpleQueue()
        for _ in range(workers):
            worker = _Worker(module, settings)
            stack.callback(worker.close)
            idle.put(worker)
        pool = stack.enter_context(ThreadPoolExecutor(workers))

        def work_on(block: _Block) -> bytes:
            worker = idle.get()
            try:
                return worker(data_of(block))
            finally:
                idle.put(worker)

        waiting: deque[tuple[_Block, Future[bytes]]] = deque()
        for block in blocks:
            waiting.append((block, pool.submit(work_on, block)))
            if len(waiting) > 2 * workers:
                first, result = waiting.popleft()
                yield first, result.result()
        while waiting:
            first, result = waiting.popleft()
            yield first, result.result()


def run_tasks(
    module: str, settings: Any, tasks: Sequence[Any], *, workers: int, doing: str
) -> None:
    """Run tasks for what they write, as `map_blocks` does, in no more processes than there are.

    Parameters
    ----------
    tasks
        What JSON can write, one a part of a dump.
    doing
        What to say meanwhile.
    """
    with progress(doing, len(tasks), "parts") as advance:
        workers = min(workers, max(len(tasks), 1))
        encoded = [json.dumps(task).encode() for task in tasks]
        for _ in map_blocks(module, settings, encoded, bytes, workers=workers) if tasks else ():
            advance(1)


class _Worker:
    """A process, seen from its parent."""

    def __init__(self, module: str, settings: Any) -> None:
        command = [sys.executable, "-m", __name__, module, json.dumps(settings)]
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, block: bytes) -> bytes:
        to, of = self._process.stdin, self._process.stdout
        assert to is not None
        assert of is not None
        try:
            _send(to, block)
            result = _receive(of)
        except BrokenPipeError:
            result = None
        if result is None:
            raise InputError(
                f"a worker process ended (exit status {self._process.wait()}), perhaps for lack of "
                "memory; give a smaller --workers"
            )
        return result

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def _send(pipe: IO[bytes], message: bytes) -> None:
    pipe.write(len(message).to_bytes(_LENGTH, "little"))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    """Return the next message; None at the end."""
    length = int.from_bytes(head := pipe.read(_LENGTH), "little")
    message = pipe.read(length) if len(head) == _LENGTH else b""
    return message if len(head) == _LENGTH and len(message) == length else None


def _serve(module: str, settings: str) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the parent, which closes the pipe
    work = import_module(module).worker(json.loads(settings))
    with suppress(BrokenPipeError):  # the parent is gone
        while (block := _receive(sys.stdin.buffer)) is not None:
            _send(sys.stdout.buffer, work(block))


if __name__ == "__main__":
    _serve(sys.argv[1], sys.argv[2])
