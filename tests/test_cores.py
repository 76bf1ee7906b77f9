"""Numbers of threads and processes that crash what they are given to are refused before."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isogloss.cli import main
from isogloss.cores import MAX_THREADS
from isogloss.encode import Encoder
from isogloss.encode.model import capped_threads
from isogloss.errors import InputError
from isogloss.kb import build_knowledge_base
from isogloss.vectors.on_dump import train_on_dump
from isogloss.workers import map_blocks


def threads_of_torch(n: int) -> None:
    with capped_threads(n):
        pass


TAKES: dict[str, Callable[[int, Path], Any]] = {
    "encoder": lambda n, folder: Encoder.load(folder / "none", threads=n),
    "torch": lambda n, folder: threads_of_torch(n),
    "knowledge base": lambda n, folder: build_knowledge_base(["cldr"], folder / "kb", workers=n),
    "vectors": lambda n, folder: train_on_dump("wikipedia:en=none", folder / "v", workers=n),
    "processes": lambda n, folder: next(map_blocks("none", None, [b""], bytes, workers=n)),
}


@pytest.mark.parametrize("n", [99_999_999, MAX_THREADS + 1, 0, -1])
@pytest.mark.parametrize("taker", TAKES)
def test_what_cannot_be_started_is_refused(taker: str, n: int, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=rf"(threads|workers) is {n}; give 1 to {MAX_THREADS}"):
        TAKES[taker](n, tmp_path)
    assert not list(tmp_path.iterdir())


def test_the_most_can_be_started() -> None:
    threads_of_torch(MAX_THREADS)


def test_every_command_knows_the_limit() -> None:
    waiting: list[Any] = [main.command_line()]
    limits = []
    while waiting:
        command = waiting.pop()
        waiting += getattr(command, "commands", {}).values()
        limits += [one.max for one in command.params if one.name in ("threads", "workers")]
    assert len(limits) > 10
    assert set(limits) == {MAX_THREADS}
