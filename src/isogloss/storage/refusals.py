"""What may be written, and where: refused before long work, in one sentence.

A folder that isogloss did not make, a device, a link, and what a command reads are never replaced.
"""

import errno
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Literal

from isogloss.errors import InputError
from isogloss.storage.json_files import LARGEST_JSON, open_regular, parse_json
from isogloss.storage.left_over import clear, held_folder, restore

Kind = Literal["file", "folder"]
# A demo holds a model; a damaged manifest is not replaced either, the user removes it by hand.
MANIFESTS = ("manifest.json", "model.json", "model/model.json")


def refuse_existing(path: Path, *, overwrite: bool, makes: Kind, option: str = "--out") -> None:
    """Raise `InputError` when `path` may not be replaced, or cannot be made: before long work.

    A folder that isogloss did not make, a device, a link, and what is of another kind than what is
    made are never replaced, whatever `overwrite` says.

    Parameters
    ----------
    option
        What chooses the path, for the sentence.
    """
    refuse_taken(path, overwrite=overwrite, makes=makes, option=option)
    refuse_unwritable(path, option=option)


def refuse_unwritable(path: Path, *, option: str = "--out") -> None:
    """Make something beside `path` and remove it: permissions alone do not say whether it works.

    Raises
    ------
    InputError
        When nothing can be made there: no permission, a disk that is read only, ``/proc``; when
        there is no such folder.
    """
    _refuse_parent(path, option=option)
    try:
        clear(path)
        with held_folder(path) as folder:
            (folder / path.name).touch()
    except OSError as error:
        raise InputError(
            f"the folder {path.parent} is not writable ({error.strerror}); choose another {option}",
            path=path,
        ) from error


def without_detours(path: Path) -> Path:
    """Return a path without ``..``, where that leads to the same place."""
    straight = Path(os.path.normpath(path))
    try:
        return straight if straight.samefile(path) else path
    except OSError:
        return path


def resolved(path: Path) -> Path:
    """Return a path without links and ``..``; it need not be there.

    Raises
    ------
    InputError
        When links on its way lead back to themselves.
    """
    try:
        path.stat()
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise InputError(
                "a link on this path leads back to itself; remove it, or name another path",
                path=path,
            ) from error
    return Path(os.path.realpath(path))


def refuse_read(path: Path, reads: Iterable[Path], *, option: str = "--out") -> None:
    """Refuse to write what a command reads: the same path, one in a folder, or a folder around it.

    Parameters
    ----------
    reads
        Files and folders; those that do not exist are passed over.

    Raises
    ------
    InputError
        With the first that is in the way; when `path` is no path (`resolved`).
    """
    own = resolved(path)
    for read in reads:
        if str(read) == "-" or not read.exists():
            continue
        other = resolved(read)
        if own == other:
            raise InputError(f"is read by this command; choose another {option}", path=path)
        if other in own.parents:
            raise InputError(
                f"lies in {read}, which this command reads; choose another {option}", path=path
            )
        if own in other.parents:
            raise InputError(
                f"holds {read}, which this command reads; choose another {option}", path=path
            )


def refuse_taken(path: Path, *, overwrite: bool, makes: Kind, option: str = "--out") -> None:
    """Raise `InputError` when `path` may not be replaced; takes what `refuse_existing` does."""
    restore(path)
    if str(path) == "-":
        raise InputError("standard output is no place for a file; name one")
    if path.is_symlink() or (path.exists() and not path.is_file() and not path.is_dir()):
        raise InputError("is a device or a link, which is never replaced; name a file", path=path)
    if path.exists() and not overwrite:
        raise InputError(f"already exists; choose another {option} or add --overwrite", path=path)
    if makes == "file" and path.is_dir():
        raise InputError("is a folder; a file is written here", path=path)
    if makes == "folder" and path.is_file():
        raise InputError("is a file; a folder is made here", path=path)
    if path.is_dir() and not _is_ours(path):
        raise InputError(
            f"holds files that isogloss did not make; choose another {option}", path=path
        )
    _refuse_parent(path, option=option)


def _refuse_parent(path: Path, *, option: str) -> None:
    folder = path.parent
    if not folder.exists():
        raise InputError(f"the folder {folder} does not exist; make it first", path=path)
    if not folder.is_dir():
        raise InputError(f"{folder} is a file, not a folder; choose another {option}", path=path)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is empty, or a model, knowledge base or demo of isogloss."""
    if not any(folder.iterdir()):
        return True
    for name in MANIFESTS:
        try:
            with open_regular(folder / name) as file:
                manifest = parse_json(file.read(LARGEST_JSON))
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict) and str(manifest.get("format")).startswith("isogloss"):
            return True
    return False
