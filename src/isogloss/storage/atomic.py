"""Safe writing: under a temporary name, synced, put in place at once; whole or not at all.

Everything that isogloss makes is written through this module. Its permissions are what the umask
leaves. Where the system offers it, a folder changes places with the one that was there in one step
that no kill can interrupt; elsewhere by two renames, and `left_over` undoes what a kill interrupts.
"""

import ctypes
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from safetensors import SafetensorError

from isogloss.errors import InputError
from isogloss.storage.left_over import clear, held_folder, moved_away
from isogloss.storage.refusals import Kind, refuse_taken

_RENAME_EXCHANGE = 2
_AT_WORKING_FOLDER = -100
_READ_AND_WRITE = 0o666


@contextmanager
def atomic_directory(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty temporary folder that becomes `path` when the block ends well.

    A failure, Ctrl-C included, removes the temporary folder and leaves what was there before; so
    does a kill, but for the temporary folder, which the next run that makes `path` removes.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or its parent is missing or not writable.
    """
    with _new(Path(path), "folder", overwrite=overwrite) as made:
        yield made
        mode = made.stat().st_mode & 0o777
        for inside in sorted(made.rglob("*")):
            if inside.is_file():
                # safetensors writes files that their owner alone can read
                inside.chmod(mode & _READ_AND_WRITE)
            elif inside.is_dir():
                inside.chmod(mode)
            _sync(inside)
        _sync(made)
        refuse_taken(Path(path), overwrite=overwrite, makes="folder")  # made meanwhile by another
        _swap(made, Path(path))


@contextmanager
def atomic_file(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary file name that is renamed to `path` when the block ends well.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or its parent is missing or not writable.
    """
    with _new(Path(path), "file", overwrite=overwrite) as made:
        made.touch()
        yield made
        # Afterwards: safetensors puts a new file in its place, which its owner alone can read.
        made.chmod(made.parent.stat().st_mode & _READ_AND_WRITE)
        _sync(made)
        refuse_taken(Path(path), overwrite=overwrite, makes="file")  # made meanwhile by another
        made.replace(path)


@contextmanager
def _new(path: Path, makes: Kind, *, overwrite: bool) -> Iterator[Path]:
    """Yield the place where `path` is made; what the disk refuses is said of `path`."""
    refuse_taken(path, overwrite=overwrite, makes=makes)
    clear(path)
    made = path
    try:
        with held_folder(path) as folder:
            made = folder / path.name if makes == "file" else folder
            yield made
            _sync(path.parent)
    except BrokenPipeError:  # of standard output, not of the disk: the reader has enough
        raise
    except (OSError, SafetensorError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(f"could not be written: {reason}; nothing was kept", path=path) from error
    except InputError as error:  # of a writer to whom the temporary name was given as its place
        if made == path or str(made) not in str(error):
            raise
        raise InputError(str(error).replace(str(made), str(path))) from error


def _swap(made: Path, path: Path) -> None:
    """Put `made` in the place of `path`; what was there has the name of `made`, or is removed."""
    if not path.exists():
        made.rename(path)
    elif not exchange(made, path):
        with moved_away(path, made) as old:
            try:
                path.rename(old)
                made.rename(path)
            finally:  # whatever happened, Ctrl-C too: the new one is there, or the old again
                if not path.exists():
                    old.rename(path)


def exchange(one: Path, other: Path) -> bool:
    """Let two paths change places in one step; False where the system has no such step."""
    rename = _renameat2()
    if rename is None:
        return False
    done = rename(
        _AT_WORKING_FOLDER, os.fsencode(one), _AT_WORKING_FOLDER, os.fsencode(other),
        _RENAME_EXCHANGE,
    )  # fmt: skip
    return bool(done == 0)  # if not, the two renames say what the fault is


@cache
def _renameat2() -> Any:
    """Return the C library's function, None where there is none."""
    if not sys.platform.startswith("linux"):
        return None
    function = getattr(ctypes.CDLL(None), "renameat2", None)
    if function is not None:
        function.argtypes = [
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_int,
            ctypes.c_char_p,
            ctypes.c_uint,
        ]
    return function


def sync(path: Path) -> None:
    """Wait until the disk holds a file or folder, so that what follows cannot outlive it."""
    _sync(path)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
