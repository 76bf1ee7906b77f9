"""Locks of an output folder: one for each part, one for what is written for all.

The system lets a lock go when its holder dies. Where two runs meet in the moment in which a lock
file is removed, both may make the same part: each puts the same rows in its place.
"""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from isogloss.errors import InputError

LOCKS = "_locks"
FOR_ALL = ""  # name of the part that stands for the folder's own files


@contextmanager
def part_lock(out: Path, name: str, *, waits: bool) -> Iterator[bool]:
    """Hold the lock of a part while the block runs; yields whether it is held.

    Parameters
    ----------
    waits
        Wait for another run that holds it.
    """
    path = lock_file(out, name)
    lock = FileLock(path, timeout=-1 if waits else 0)
    try:
        _acquire(lock, path)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        with suppress(OSError):  # on Windows no open file is removed; `clear_locks` does it
            _remove(lock, path)
        lock.release()


def lock_file(out: Path, name: str) -> Path:
    """Return the file of a lock, which is there while it is held."""
    # By hash: a name may be as long as the system allows, and lie in a folder.
    return out / LOCKS / f"{hashlib.sha256(name.encode(errors='surrogateescape')).hexdigest()}.lock"


def clear_locks(out: Path) -> None:
    """Remove the locks that killed runs left; those that are held stay."""
    folder = out / LOCKS
    if folder.is_symlink():  # what it leads to is not ours
        return
    for path in folder.glob("*.lock"):
        lock = FileLock(path, timeout=0)
        with suppress(Timeout, OSError):
            lock.acquire()
            try:
                _remove(lock, path)
            finally:
                lock.release()
    with suppress(OSError):  # not there, or another run is at work
        folder.rmdir()


def _remove(lock: FileLock, path: Path) -> None:
    """Remove the file of a lock that is held, but not that of another run in its place."""
    if _is_held_at(lock, path):
        path.unlink()


def _is_held_at(lock: FileLock, path: Path) -> bool:
    """Whether the file at a path is the one that is held: its name may be another file's now."""
    handle = lock._context.lock_file_fd  # filelock has no public name for it
    try:
        return handle is not None and os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def _acquire(lock: FileLock, path: Path) -> None:
    """Hold a lock whose file is there: one that its holder removed meanwhile keeps nobody out."""
    out = path.parents[1]
    while True:
        _refuse_no_folder(path.parent)
        try:
            path.parent.mkdir(exist_ok=True)
            lock.acquire()
            if _is_held_at(lock, path):
                return
            lock.release()
        except (FileNotFoundError, FileExistsError):
            pass  # `clear_locks` of another run removed the folder, while it was looked for here
        except Timeout:  # an OSError too
            raise
        except OSError as error:
            raise InputError(
                f"its parts could not be locked: {error.strerror or error}; check the disk, and "
                "that its file system has locks",
                path=out,
            ) from error
        if not out.is_dir():
            raise InputError("was removed while its parts were made", path=out)


def _refuse_no_folder(folder: Path) -> None:
    """Refuse what no lock can lie in, or lies elsewhere: it would be waited for without end."""
    if folder.is_symlink() or folder.is_file():
        raise InputError("is a link or a file, and locks lie in a folder; remove it", path=folder)
