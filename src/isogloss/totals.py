"""Sentences about what was counted, said once with the totals where work goes block by block.

What reads some texts tells of them with `tell`; what reads a file block by block does so in
`told_with_totals`, and each sentence comes once, at the end.
"""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

from isogloss.errors import omissions_are_errors, warn_omitted

Part = int | tuple[str, ...]
_Told = dict[tuple[Callable[[str], None], str], tuple[Callable[..., str], list[Part]]]
_held: ContextVar[_Told | None] = ContextVar("_held", default=None)


def tell(
    sentence: Callable[..., str], *parts: Part, by: Callable[[str], None] = warn_omitted
) -> None:
    """Say a sentence about counts or names; nothing where the first of them is 0 or empty.

    Parameters
    ----------
    sentence
        Takes the parts. Within `told_with_totals` sentences are the same that are equal but for
        the parts.
    parts
        Counts, which are added up over the blocks, and names, each of which is kept once.
    by
        What says it; an omission that is an error is raised at once.
    """
    held = _held.get()
    if held is None or (by is warn_omitted and parts[0] and omissions_are_errors()):
        if parts[0]:
            by(sentence(*parts))
        return
    key = by, sentence(*(0 if isinstance(part, int) else () for part in parts))
    _, before = held.setdefault(key, (sentence, [0 if isinstance(p, int) else () for p in parts]))
    before[:] = [_sum(one, other) for one, other in zip(before, parts, strict=True)]


@contextmanager
def told_with_totals() -> Iterator[None]:
    """Hold back what `tell` is given, and say it at the end of the block; on an error, nothing."""
    held: _Told = {}
    token = _held.set(held)
    try:
        yield
    finally:
        _held.reset(token)
    for (by, _), (sentence, parts) in held.items():
        if parts[0]:
            by(sentence(*parts))


@contextmanager
def untold() -> Iterator[None]:
    """Say nothing of what is read in the block, and warn of nothing: it will be read once more."""
    token = _held.set({})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    finally:
        _held.reset(token)


def _sum(one: Any, other: Any) -> Part:
    return one + other if isinstance(one, int) else tuple(dict.fromkeys((*one, *other)))
