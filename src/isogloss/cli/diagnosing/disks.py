"""Disks of folders that may not be there yet: how much is free, and whether it is another one."""

import os
import shutil
from pathlib import Path

from isogloss.cli.diagnosing.findings import shown, size

LITTLE_DISK = 500_000_000  # bytes: the copy of the bundled encoder has 479 MB


def nearest(folder: Path) -> Path:
    """Return the folder, or the nearest around it that is there."""
    return next((one for one in (folder, *folder.parents) if os.path.lexists(one)), folder)


def bytes_free(folder: Path) -> int | None:
    """Return the bytes that are free where a folder is or would be; None: not known."""
    try:
        return shutil.disk_usage(nearest(folder)).free
    except OSError:
        return None


def placed(folder: Path) -> str:
    """Return a folder as it is shown, with its disk where that is not the working folder's."""
    try:
        is_here = nearest(folder).stat().st_dev == Path.cwd().stat().st_dev
    except OSError:  # one of them may not be read, or the working folder is gone
        is_here = True
    free = bytes_free(folder)
    if is_here or free is None:
        return shown(folder)
    return f"{shown(folder)}, another disk than here, with {size(free)} free"
