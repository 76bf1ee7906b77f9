"""One tuned encoder for all rows of a comparison that tune the same.

The encoder alone, `mboe-plus` and its ablations tune the same encoder on the same texts and differ
in what follows. Outside of `remember_tuning` nothing is kept: an encoder is large.
"""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, TypeVar

Made = TypeVar("Made")


@dataclass
class _Memory:
    key: str = ""
    made: Any = None
    seconds: float = 0.0  # that making it took
    seconds_spared: float = 0.0


_memory: ContextVar[_Memory | None] = ContextVar("latest tuning", default=None)


@contextmanager
def remember_tuning() -> Iterator[None]:
    """Keep the latest result of `tuned_once` while inside."""
    token = _memory.set(_Memory())
    try:
        yield
    finally:
        _memory.reset(token)


def tuned_once(identity: Mapping[str, Any], make: Callable[[], Made]) -> Made:
    """Return what `make` returned the last time for the same identity: all it depends on, as JSON.

    Otherwise call it.
    """
    memory = _memory.get()
    if memory is None:
        return make()
    key = json.dumps(identity, sort_keys=True, default=str)
    if key == memory.key:
        memory.seconds_spared += memory.seconds
    else:
        memory.key, memory.made = "", None  # before the next: two encoders need not be in memory
        start = time.perf_counter()
        made = make()
        memory.key, memory.made, memory.seconds = key, made, time.perf_counter() - start
    result: Made = memory.made
    return result


def seconds_spared() -> float:
    """Return the seconds that results which were not made again had taken, all inside so far."""
    memory = _memory.get()
    return 0.0 if memory is None else memory.seconds_spared
