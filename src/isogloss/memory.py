"""How much memory and disk there is, as far as the system says; a time without collection."""

import gc
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from isogloss.errors import InputError

MACHINE = Path("/proc/meminfo")
# Of a container: how much it may hold, and the line of what it holds beside copies of files.
CONTAINERS = (
    (Path("/sys/fs/cgroup/memory.max"), Path("/sys/fs/cgroup/memory.stat"), "anon"),
    (
        Path("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
        Path("/sys/fs/cgroup/memory/memory.stat"),
        "total_rss",
    ),
)


def bytes_available() -> int | None:
    """Return the memory that a process may take now, None where that is not known."""
    of_machine = _line_of(MACHINE, "MemAvailable:")
    found = [None if of_machine is None else of_machine * 1024]
    for limit, stat, name in CONTAINERS:
        most, held = _text(limit).strip(), _line_of(stat, name)
        found.append(int(most) - held if most.isdigit() and held is not None else None)
    return min((n for n in found if n is not None), default=None)


def check_disk(folder: Path, n_bytes: int, what: str, *, advice: str) -> None:
    """Stop where a folder has too little room; raises `InputError`."""
    free = shutil.disk_usage(folder).free
    if n_bytes > free:
        raise InputError(
            f"{n_bytes / 1e9:.1f} GB of disk are needed for {what}, where {free / 1e9:.1f} GB are "
            f"free; {advice}",
            path=folder,
        )


@contextmanager
def without_collection() -> Iterator[None]:
    """Let Python look for no cycles of objects that nothing reaches, in a block or a function.

    What is imported and loaded stays, millions of objects: looking through them again and again
    takes a quarter of the time until an encoder is loaded.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _line_of(path: Path, name: str) -> int | None:
    listed = [line.split() for line in _text(path).splitlines() if line.startswith(f"{name} ")]
    return int(listed[0][1]) if listed else None


def _text(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
