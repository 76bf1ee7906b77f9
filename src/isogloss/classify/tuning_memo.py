"""One tuned encoder for all rows of a comparison that tune the same.

The encoder alone, `mboe-plus` and its ablations tune the same encoder on the same texts and differ
in what follows. Outside of `remember_tuning` nothing is kept: an encoder is large.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar

Made = TypeVar("Made")
_latest: ContextVar[dict[str, Any] | None] = ContextVar("latest tuning", default=None)


@contextmanager
def remember_tuning() -> Iterator[None]:
    """Keep the latest result of `tuned_once` while inside."""
    token = _latest.set({})
    try:
        yield
    finally:
        _latest.reset(token)


def tuned_once(identity: Mapping[str, Any], make: Callable[[], Made]) -> Made:
    """Return what `make` returned for the same identity the last time, or call it.

    Parameters
    ----------
    identity
        All that the result depends on, as JSON has it.
    """
    kept = _latest.get()
    if kept is None:
        return make()
    key = json.dumps(identity, sort_keys=True, default=str)
    if key not in kept:
        kept.clear()  # before the next is made: two encoders need not be in memory
        kept[key] = make()
    made: Made = kept[key]
    return made
