"""Blocks of bytes through worker processes, the results in order.

A worker is a Python of its own that reads blocks from a pipe: it needs no ``__main__`` guard in the
user's script, inherits no threads and ends when its pipe does, even if its parent was killed.
"""

import json
import logging
import os
import shutil
import signal
import subprocess
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from queue import SimpleQueue
from typing import IO, Any, TypeVar

from isogloss.cores import check_threads
from isogloss.errors import InputError
from isogloss.progress import progress
from isogloss.stopping import STOPPING

_Block = TypeVar("_Block")
_LENGTH = 8  # bytes before each message, behind its tag
_COMPILING = "isogloss.compiling"  # logger of `isogloss.compiling`
_WORK, _DONE, _FAULT = b"w", b"d", b"f"  # tags


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
    n_ahead: int = 2,
) -> Generator[tuple[_Block, bytes], None, None]:
    """Yield each block with its result, in order.

    What is not asked for is not worked on to its end: the workers are killed.

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
    n_ahead
        Blocks for each worker that are begun, or done before the next one to be yielded is: so
        many are in memory, and after so many the workers wait for one that takes long.

    Raises
    ------
    InputError
        When a worker was killed, or stopped by a fault of what it reads or writes.
    """
    check_threads(workers, "workers")
    if workers == 1:
        with faults_told():
            work = import_module(module).worker(settings)
        for block in blocks:
            with faults_told():
                result = work(data_of(block))
            yield block, result
        return
    with ExitStack() as stack:
        idle: SimpleQueue[_Worker] = SimpleQueue()
        started: list[_Worker] = []
        for number in range(workers):
            says = number == 0 and logging.getLogger(_COMPILING).isEnabledFor(logging.INFO)
            worker = _Worker(module, settings, says_compiling=says)
            stack.callback(worker.close)
            started.append(worker)
            idle.put(worker)
        pool = stack.enter_context(ThreadPoolExecutor(workers))

        def stop() -> None:
            """End the threads of the pool: nobody waits for what they are at."""
            pool.shutdown(wait=False, cancel_futures=True)
            for worker in started:
                worker.kill()

        stack.callback(stop)

        def work_on(block: _Block) -> bytes:
            worker = idle.get()
            try:
                return worker(data_of(block))
            finally:
                idle.put(worker)

        waiting: deque[tuple[_Block, Future[bytes]]] = deque()
        for block in blocks:
            waiting.append((block, pool.submit(work_on, block)))
            if len(waiting) > n_ahead * workers:
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


def scratch_of(out: Path) -> Path:
    """Return the folder of what is made on the way to a file, which `make_of_parts` removes."""
    return out.with_suffix("")


def make_of_parts(
    out: Path,
    module: str,
    settings: Any,
    tasks: Sequence[Sequence[Any]],
    join: Callable[[list[Path]], None],
    *,
    workers: int,
    doing: str,
) -> None:
    """Make a file of what tasks make of the parts of a dump, unless it is there.

    What the tasks make is kept in `scratch_of` the file until it is there: a stopped run resumes.

    Parameters
    ----------
    module, settings
        As `map_blocks` takes them; the worker gets a task and behind it the path of its file.
    tasks
        What JSON can write, one a part.
    join
        Make `out` of the files of all tasks.
    """
    scratch = scratch_of(out)
    if not out.exists():
        scratch.mkdir(exist_ok=True)
        made = [scratch / f"{number:06}" for number in range(len(tasks))]
        missing = [
            [*task, str(path)] for task, path in zip(tasks, made, strict=True) if not path.exists()
        ]
        run_tasks(module, settings, missing, workers=workers, doing=doing)
        join(made)
    if scratch.exists():  # also where a run was stopped when the file was there
        shutil.rmtree(scratch)


@contextmanager
def faults_told() -> Iterator[None]:
    """Turn what the disk or the memory refuses a process into an `InputError`."""
    try:
        yield
    except MemoryError as error:
        raise InputError("memory is too small; give a smaller --workers") from error
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        reason = error.strerror or error
        raise InputError(
            f"{place}{reason}; check the path, its permissions and the disk"
        ) from error


class _Worker:
    """A process, seen from its parent."""

    def __init__(self, module: str, settings: Any, *, says_compiling: bool) -> None:
        command = [sys.executable, "-m", __name__, module, json.dumps(settings)]
        command += ["says-compiling"] if says_compiling else []
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, block: bytes) -> bytes:
        to, of = self._process.stdin, self._process.stdout
        assert to is not None
        assert of is not None
        with suppress(BrokenPipeError):  # it ended, and may have said why
            _send(to, _WORK, block)
        tag, message = _receive(of)
        if tag == _DONE:
            return message
        if tag == _FAULT:
            raise InputError(message.decode())
        status = self._process.wait()
        if status >= 0:  # a bug of ours, whose traceback it printed
            raise RuntimeError(f"a worker process ended with exit status {status}; see above")
        raise InputError(
            f"a worker process was killed (signal {-status}), perhaps for lack of memory; give a "
            "smaller --workers"
        )

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        self._process.kill()
        self._process.communicate()


def _send(pipe: IO[bytes], tag: bytes, message: bytes) -> None:
    pipe.write(tag)
    pipe.write(len(message).to_bytes(_LENGTH, "little"))
    pipe.write(message)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> tuple[bytes, bytes]:
    """Return tag and text of the next message; no tag at the end."""
    tag, head = pipe.read(1), pipe.read(_LENGTH)
    length = int.from_bytes(head, "little")
    message = pipe.read(length) if len(head) == _LENGTH else b""
    return (tag, message) if len(head) == _LENGTH and len(message) == length else (b"", b"")


def _serve(module: str, settings: str) -> None:
    for number in STOPPING:  # they reach the parent, which closes the pipe
        signal.signal(number, signal.SIG_IGN)
    out = sys.stdout.buffer
    with suppress(BrokenPipeError):  # the parent is gone
        try:
            with faults_told():
                work = import_module(module).worker(json.loads(settings))
            while True:
                tag, block = _receive(sys.stdin.buffer)
                if not tag:
                    return
                with faults_told():
                    result = work(block)
                _send(out, _DONE, result)
        except InputError as fault:
            _send(out, _FAULT, str(fault).encode(errors="backslashreplace"))


def _say_compiling() -> None:
    """Let the line about compiling through to standard error, as the command line words it."""
    logging.basicConfig(stream=sys.stderr, format="isogloss: %(message)s")
    logging.getLogger(_COMPILING).setLevel(logging.INFO)


if __name__ == "__main__":
    if sys.argv[3:]:
        _say_compiling()
    _serve(sys.argv[1], sys.argv[2])
