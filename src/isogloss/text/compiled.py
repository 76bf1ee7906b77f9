"""Compile a numeric function once, and keep the machine code between runs where that is possible.

A package folder that cannot be written to costs the saved code, never the function. What is saved
is renewed when the function's own file changes, not when one it calls from another file does:
remove ``__pycache__`` after editing such a one.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

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
    try:
        return numba.njit(nogil=True, cache=True)(function)
    except RuntimeError:  # no folder for the cache: __pycache__ and the user's are both read-only
        return numba.njit(nogil=True)(function)
