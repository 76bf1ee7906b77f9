"""Compile a numeric function once, and keep the machine code between runs where that is possible.

numba, which takes a third of a second, is imported when the first function is called. A package
folder that cannot be written to costs the saved code, never the function. What is saved is renewed
when the function's own file changes, not when one it calls from another file does: remove
``__pycache__`` after editing such a one.
"""

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, update_wrapper
from types import ModuleType
from typing import Any, TypeVar, cast

from isogloss.stopping import STOPPING

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """Compile with numba, without the interpreter lock, cached on disk if a cache can be written.

    Examples
    --------
    >>> @compiled
    ... def double(x):
    ...     return 2 * x
    >>> double(21)
    42
    """
    return _compile(function)


def compiled_for_sums(function: Function) -> Function:
    """Compile as `compiled` does, and let sums of floats be taken in any order, many at once.

    For loops over the dimensions of vectors; not-a-number and infinity stay what they are.
    """
    return _compile(function, fastmath={"reassoc", "contract", "nsz", "arcp"})


class _Compiled:
    """A function, compiled or read from its cache when it is first called."""

    def __init__(self, function: Callable[..., Any], options: dict[str, Any]) -> None:
        update_wrapper(self, function)
        self._function, self._options = function, options
        self._dispatcher: Any = None

    def __call__(self, *arguments: Any) -> Any:
        return (self._dispatcher or self._made())(*arguments)

    def __reduce__(self) -> str:
        return self._function.__qualname__

    @property
    def _numba_type_(self) -> Any:
        # By which numba knows it in a compiled function that calls it.
        return (self._dispatcher or self._made())._numba_type_

    def _made(self) -> Any:
        with _MAKING:
            njit, function = _numba().njit, self._function
            if self._dispatcher is None:
                try:
                    self._dispatcher = njit(nogil=True, cache=True, **self._options)(function)
                except RuntimeError:  # no folder for it: __pycache__ and the user's are read-only
                    self._dispatcher = njit(nogil=True, **self._options)(function)
        return self._dispatcher


_MAKING = threading.RLock()


def _compile(function: Function, **options: Any) -> Function:
    options["no_cfunc_wrapper"] = True  # for calls from C, of which there are none: it takes time
    return cast(Function, _Compiled(function, options))


@cache
def _numba() -> ModuleType:
    import numba
    from numba.core import event

    from isogloss.compiling import CompilingListener

    event.register("numba:compile", CompilingListener())
    return numba


@contextmanager
def interrupts_wait() -> Iterator[None]:
    """Hold back Ctrl-C, and what else stops a process in Python's hands, until the block has ended.

    Compiled code cannot be interrupted: numba would raise while it hands its arrays back, and
    crash. Blocks are short (a batch of texts), so the wait is not felt.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    handlers = {number: signal.getsignal(number) for number in STOPPING}
    before = {number: handler for number, handler in handlers.items() if callable(handler)}
    caught: list[tuple[int, Any]] = []
    for number in before:
        signal.signal(number, lambda *received: caught.append(received))
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if caught:
        before[caught[0][0]](*caught[0])
