"""How heads are learned: on one thread, and said to be going on."""

from collections.abc import Iterator
from contextlib import contextmanager

from threadpoolctl import threadpool_limits

from isogloss.encode.model import capped_threads
from isogloss.errors import counted
from isogloss.progress import activity


@contextmanager
def learning(n_texts: int, n_classes: int) -> Iterator[None]:
    """Fit a head on this number of texts within this block, on one thread, and say so."""
    size = f"{counted(n_texts, 'text')}, {counted(n_classes, 'class', 'classes')}"
    with one_thread(), activity(f"learning the head: {size}"):
        yield


@contextmanager
def one_thread() -> Iterator[None]:
    """Keep the matrix libraries to one thread within this block.

    The matrices of a head are small: threads would wait for each other (24 times slower on two
    cores), and the result would depend on their number. Encoding names comes before, with all.
    """
    # torch carries a matrix library of its own, which threadpoolctl does not reach. Its number is
    # capped first and given back last, as the other limit changes what torch takes for its own.
    with capped_threads(1), threadpool_limits(1):
        yield
