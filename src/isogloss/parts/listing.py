"""Folders that cannot be listed: each is refused, or its files would pass for none."""

import errno
import glob
import os
from pathlib import Path

from isogloss.errors import InputError

_HOLDS_NOTHING = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)


def refuse_unlisted(error: OSError) -> None:
    """Raise `InputError` for what keeps a folder from being listed; for `os.walk`.

    One that is gone meanwhile, is a file, or a link to itself, holds nothing.
    """
    if error.errno not in _HOLDS_NOTHING:
        raise InputError(
            f"cannot be listed: {error.strerror or error}; check its permissions",
            path=error.filename,
        ) from error


def refuse_unlisted_of(pattern: str) -> None:
    """Raise `InputError` where `glob.glob` would pass over a folder that it may not look into."""
    parts = Path(pattern).parts
    first = next((number for number, part in enumerate(parts) if glob.has_magic(part)), len(parts))
    for number, part in enumerate(parts[first:], first):
        before = str(Path(*parts[:number]))
        folders = _matching(before) if number > first else [before]
        if part == "**":
            folders += _matching(os.path.join(before, part, ""))  # noqa: PTH118
        for folder in folders:
            try:
                if glob.has_magic(part):
                    os.scandir(folder).close()
                else:
                    os.lstat(os.path.join(folder, part))  # noqa: PTH118
            except OSError as error:
                refuse_unlisted(error)


def _matching(pattern: str) -> list[str]:
    return glob.glob(pattern, recursive=True)  # noqa: PTH207  (pathlib's enters no "a/**")
