"""Where a thing is made, beside its place, and what a killed process left of such.

``.NAME.isogloss-XXXXXXXX.part/`` becomes the new folder, or holds the new file under its own name.
Where a folder and the one that was there change places by renames, the latter is
``.NAME.isogloss-XXXXXXXX.old/`` for a moment. Their maker holds the system's lock on them for as
long as it lives. What has such a name and is held by nobody is of a dead process: the next command
that writes the same place removes it, and whoever finds the place empty puts back what was moved
away.
"""

import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from isogloss.errors import InputError

if sys.platform != "win32":  # there nothing is held, and nothing is cleared
    import fcntl

_NAME = re.compile(r"\.(.+)\.isogloss-[0-9a-f]{8}\.(?:part|old)", re.DOTALL)
LONGEST_NAME = 255  # bytes, on nearly all file systems
_SECONDS_OF_RENAMES = 5.0  # to wait for one who is at it


@contextmanager
def held_folder(path: Path) -> Iterator[Path]:
    """Make a folder beside `path`, hold it while the block runs, and remove it then.

    Its mode is what the umask leaves of 0777.
    """
    folder, handle = _made(path)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        if handle is not None:
            os.close(handle)


@contextmanager
def moved_away(path: Path, new: Path) -> Iterator[Path]:
    """Yield the name for the folder at `path` while `new` takes its place; remove it then."""
    old = new.with_suffix(".old")
    handle = _take(path)
    try:
        yield old
        shutil.rmtree(old, ignore_errors=True)
    finally:
        if handle is not None:
            os.close(handle)


def clear(path: Path) -> None:
    """Put back what an interrupted exchange moved away from `path`; remove what kills left.

    Only folders of our name that no living process holds are touched.
    """
    restore(path)
    for folder in _of(path):
        handle = _take(folder)
        if handle is None:
            continue
        try:
            if path.exists() or folder.suffix == ".part":
                shutil.rmtree(folder, ignore_errors=True)
        finally:
            os.close(handle)


def clear_all(folder: Path, pattern: str) -> None:
    """`clear` every place in a folder whose name matches a glob pattern."""
    for left in folder.glob(f".{pattern}.isogloss-*"):
        found = _NAME.fullmatch(left.name)
        if found is not None:
            clear(folder / found[1])


def is_there(path: Path) -> bool:
    """Whether something is at `path`, after `restore`."""
    restore(path)
    return path.exists()


def restore(path: Path) -> None:
    """Put back what a process moved away from `path` that was killed before the new one came.

    Raises
    ------
    InputError
        When it cannot be put back; says where it is.
    """
    if path.is_symlink() or not path.name:
        return
    end = time.monotonic() + _SECONDS_OF_RENAMES
    while not path.exists():
        old = [folder for folder in _of(path) if folder.suffix == ".old"]
        if not old:
            return
        _put_back(path, old[0])
        if time.monotonic() > end:
            return
        if not path.exists():  # its owner lives, and is between two renames
            time.sleep(0.01)


def holding_name(name: str) -> str:
    """Return a name for the folder in which a file or folder is made: 24 bytes longer."""
    return f".{name}.isogloss-{secrets.token_hex(4)}.part"


def _put_back(path: Path, folder: Path) -> None:
    handle = _take(folder)
    if handle is None:
        return
    try:
        if not path.exists():
            folder.rename(path)
    except FileNotFoundError:  # another process was faster
        pass
    except OSError as error:
        raise InputError(
            f"was being replaced when that was killed; the old one is {folder} and cannot be "
            f"put back ({error.strerror}); move it to its place",
            path=path,
        ) from error
    finally:
        os.close(handle)


def _made(path: Path) -> tuple[Path, int | None]:
    """Make and hold a folder; one that another process took for left over is made again."""
    while True:
        folder = path.with_name(holding_name(path.name))
        with suppress(FileExistsError):
            folder.mkdir()
            if sys.platform == "win32":
                return folder, None
            handle = None
            with suppress(FileNotFoundError):
                handle = os.open(folder, os.O_RDONLY)
            if handle is None:
                continue
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(handle)
                continue
            except OSError:  # a file system without locks, where none can take it either
                return folder, handle
            if folder.exists():
                return folder, handle
            os.close(handle)


def _take(folder: Path) -> int | None:
    """Hold a folder that nobody holds; None where that cannot be had or known."""
    if sys.platform == "win32":
        return None
    try:
        handle = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle


def _of(path: Path) -> list[Path]:
    """Return the folders in which `path` is or was made."""
    try:
        names = os.listdir(path.parent)  # noqa: PTH208  (names alone are wanted)
    except OSError:
        return []
    found = [(name, _NAME.fullmatch(name)) for name in names]
    own = [path.parent / name for name, match in found if match and match[1] == path.name]
    return [folder for folder in sorted(own) if folder.is_dir() and not folder.is_symlink()]
