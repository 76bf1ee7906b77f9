"""How many threads and processes may be asked for, and which process speaks for all."""

import os

from isogloss.errors import InputError, InputKindError

# More than any machine has cores; torch crashes without a word where it can start no more threads.
MAX_THREADS = 1024


def check_threads(n: int | None, what: str = "threads") -> None:
    """Refuse a number of threads or processes that cannot be started; None is left to others.

    Raises
    ------
    InputError
        For less than 1, for more than `MAX_THREADS`, and for what is no whole number.
    """
    if n is not None and (not isinstance(n, int) or isinstance(n, bool)):
        raise InputKindError(f"{what} is {n!r:.40}; give a whole number, 1 to {MAX_THREADS}")
    if n is not None and not 1 <= n <= MAX_THREADS:
        raise InputError(f"{what} is {n}; give 1 to {MAX_THREADS}")


def is_first_process() -> bool:
    """Whether this process is the one that writes and speaks: alone, or number 0 of `torchrun`."""
    return int(os.environ.get("RANK", "0")) == 0
