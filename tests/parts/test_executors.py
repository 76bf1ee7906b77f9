"""What executors say of themselves, by which commands load a model here or not."""

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
