"""What executors say of themselves, and that a long ticket keeps no process waiting."""

import os
import sys
from pathlib import Path

import pytest

from isogloss.parts import executors
from isogloss.parts.executors import Executor, Processes, Serial, executor_of
from isogloss.parts.on_ray import Ray


@pytest.mark.parametrize(
    ("executor", "each", "where"),
    [
        (Serial(), None, "here"), (Serial(5), 5, "here"),
        (Processes(2), 4, "beside"), (Processes(2, 6), 3, "beside"), (Processes(3, 2), 1, "beside"),
        (Ray(2), 1, "elsewhere"), (Ray(2, threads=6), 3, "elsewhere"),
        (Ray(3, threads=2), 1, "elsewhere"),
    ],
)  # fmt: skip
def test_threads_are_shared_among_processes(
    monkeypatch: pytest.MonkeyPatch, executor: Executor, each: int | None, where: str
) -> None:
    monkeypatch.setattr(executors, "n_cores", lambda: 8)
    assert executor.threads_each == each
    assert (executor.is_here, executor.is_elsewhere) == (where == "here", where == "elsewhere")


def test_one_worker_is_this_process() -> None:
    assert executor_of(1, 3) == Serial(3)
    assert executor_of(2, None) == Processes(2)


# The first ticket ends when the last one is done.
WAITING = """
import time
from pathlib import Path

def worker(folder):
    last = Path(folder, "last")

    def work(ticket):
        end = time.monotonic() + 20
        while ticket == b"0" and not last.exists() and time.monotonic() < end:
            time.sleep(0.01)
        if ticket == b"11":
            last.touch()
        return ticket + (b" alone" if ticket == b"0" and not last.exists() else b"")

    return work
"""


def test_a_ticket_that_takes_long_keeps_nobody_waiting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "waiting.py").write_text(WAITING, "utf-8")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(tmp_path), *sys.path]))
    tickets = [str(number).encode() for number in range(12)]
    found = Processes(2).outcomes("waiting", str(tmp_path), tickets)
    assert list(found) == tickets
