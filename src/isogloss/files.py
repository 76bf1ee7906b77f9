"""Safe files: written to a temporary name, synced, renamed; read with errors that name the file.

What is made appears whole or not at all. Every artefact of isogloss (knowledge base, model,
vectors, report) is written through this module.
"""

import errno
import hashlib
import json
import math
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from safetensors import SafetensorError

from isogloss.errors import InputError

Kind = Literal["file", "folder"]
# A demo holds a model; a damaged manifest is not replaced either, the user removes it by hand.
MANIFESTS = ("manifest.json", "model.json", "model/model.json")
LOCK = "lock"  # name of the file by which one run holds a folder


def refuse_existing(path: Path, *, overwrite: bool, makes: Kind, option: str = "--out") -> None:
    """Raise `InputError` when `path` may not be replaced, or cannot be made: before long work.

    A folder that isogloss did not make, a device, a link, and what is of another kind than what is
    made are never replaced, whatever `overwrite` says.

    Parameters
    ----------
    option
        What chooses the path, for the sentence.
    """
    _refuse_taken(path, overwrite=overwrite, makes=makes, option=option)
    refuse_unwritable(path, makes=makes, option=option)


def refuse_unwritable(path: Path, *, makes: Kind, option: str = "--out") -> None:
    """Make something beside `path` and remove it: permissions alone do not say whether it works.

    Raises
    ------
    InputError
        When nothing can be made there: no permission, a disk that is read only, ``/proc``; when
        there is no such folder.
    """
    _refuse_parent(path, option=option)
    try:
        if makes == "folder":
            _temporary_folder(path).rmdir()
        else:
            _temporary_file(path).unlink()
    except OSError as error:
        raise InputError(
            f"the folder {path.parent} is not writable ({error.strerror}); choose another {option}",
            path=path,
        ) from error


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


@contextmanager
def atomic_directory(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield an empty temporary folder that becomes `path` when the block ends well.

    A failure, Ctrl-C included, removes the temporary folder and leaves what was there before.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or its parent is missing or not writable.
    """
    path = Path(path)
    _refuse_taken(path, overwrite=overwrite, makes="folder")
    with _faults_in_one_sentence(path):
        temporary = _temporary_folder(path)
        try:
            temporary.chmod(0o755)
            yield temporary
            for file in sorted(temporary.rglob("*")):
                if file.is_file():
                    file.chmod(0o644)  # safetensors writes files that their owner alone can read
                    _sync(file)
            _swap(temporary, path)
            _sync(path.parent)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


@contextmanager
def atomic_file(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Yield a temporary file name beside `path` that is renamed to it when the block ends well.

    Raises
    ------
    InputError
        When `path` exists and `overwrite` is false, or its parent is missing or not writable.
    """
    path = Path(path)
    _refuse_taken(path, overwrite=overwrite, makes="file")
    with _faults_in_one_sentence(path):
        temporary = _temporary_file(path)
        try:
            yield temporary
            temporary.chmod(0o644)  # afterwards: safetensors puts a new file in its place
            _sync(temporary)
            temporary.replace(path)
            _sync(path.parent)
        finally:
            temporary.unlink(missing_ok=True)


@contextmanager
def locked(folder: Path, *, option: str = "--work") -> Iterator[None]:
    """Hold a work folder, made if it is missing; the system lets it go when the process dies.

    Parameters
    ----------
    folder
        What ``--work`` names, or the folder that stands for it.
    option
        The option that chooses the folder, for the sentence.

    Raises
    ------
    InputError
        When another run holds it.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> with locked(folder):
    ...     (folder / LOCK).exists()
    True
    """
    from filelock import FileLock, Timeout

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK, timeout=0)
    try:
        lock.acquire()
    except Timeout as error:
        raise InputError(
            f"is in use by another run; wait for its end, or give another {option}", path=folder
        ) from error
    try:
        yield
    finally:
        lock.release()


@contextmanager
def damage_in_one_sentence(path: Path, *, advice: str) -> Iterator[None]:
    """Turn what breaks while values read from our own file are taken apart into an `InputError`.

    Parameters
    ----------
    advice
        What to do: ``"fit the model again"``.
    """
    try:
        yield
    except InputError:
        raise
    except KeyError as error:
        raise InputError(f"damaged: it lacks {error}; {advice}", path=path) from error
    except (TypeError, ValueError, AttributeError, IndexError, OverflowError) as error:
        raise InputError(f"damaged ({error}); {advice}", path=path) from error


def saved_number(
    facts: Mapping[str, Any], name: str, *, positive: bool = False, whole: bool = False
) -> Any:
    """Return a finite number of our own file that is 0 or more, or above 0.

    Raises
    ------
    ValueError, KeyError
        When it is missing or something else; for `damage_in_one_sentence`.
    """
    value = facts[name]
    is_number = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
    if is_number and math.isfinite(value) and (value > 0 or (value == 0 and not positive)):
        return value
    kind = f"a {'whole ' if whole else ''}number {'above 0' if positive else 'of 0 or more'}"
    raise ValueError(f"{name} is {value!r:.40}, not {kind}")


def saved_text(facts: Mapping[str, Any], name: str, allowed: Iterable[str] | None = None) -> Any:
    """Return a string of our own file, one of those allowed; raises as `saved_number` does."""
    value = facts[name]
    if not isinstance(value, str) or (allowed is not None and value not in [*allowed]):
        raise ValueError(f"{name} is {value!r:.40}")
    return value


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_package(*endings: str) -> str:
    """Return the SHA-256 of the files of isogloss itself that end so: its code, or its rules."""
    folder = Path(__file__).parent
    whole = hashlib.sha256()
    for file in sorted(
        file for ending in endings for file in folder.rglob("*") if str(file).endswith(ending)
    ):
        whole.update(f"{file.relative_to(folder)} {sha256_of(file)}\n".encode())
    return whole.hexdigest()


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented UTF-8 JSON, its keys in their order, lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def parse_json(text: str | bytes) -> Any:
    """Return what JSON holds; all that breaks in the parser is a `ValueError`.

    Raises
    ------
    ValueError
        When it is not JSON or not UTF-8, has a number of thousands of digits, or is nested deeper
        than Python recurses: ten thousand brackets are no more than a damaged file.
    """
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def read_json(path: Path, *, what: str, advice: str | None = None) -> Any:
    """Read a JSON file of ours.

    Parameters
    ----------
    what
        What the folder should be, for the error sentence: ``"a knowledge base"``.
    advice
        What to do with a damaged one; to make `what` again when None.

    Raises
    ------
    InputError
        When the file is missing or is not JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise InputError(f"not {what}: it has no {path.name}", path=path.parent) from error
    except NotADirectoryError as error:
        raise InputError(f"is a file, not a folder that holds {what}", path=path.parent) from error
    except ValueError as error:
        advice = advice or f"make {what} again"
        raise InputError(f"damaged: not JSON ({error}); {advice}", path=path) from error


def _refuse_taken(path: Path, *, overwrite: bool, makes: Kind, option: str = "--out") -> None:
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


def _temporary_folder(path: Path) -> Path:
    return Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent))


def _temporary_file(path: Path) -> Path:
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    os.close(handle)
    return Path(name)


def _swap(temporary: Path, path: Path) -> None:
    if not path.exists():
        temporary.rename(path)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{path.name}.", suffix=".old", dir=path.parent))
    try:
        path.rename(old / "old")
        temporary.rename(path)
    finally:  # whatever happened, Ctrl-C too: the new one stands there, or the old one again
        if not path.exists():
            (old / "old").rename(path)
        shutil.rmtree(old, ignore_errors=True)


def _is_ours(folder: Path) -> bool:
    """Whether a folder is empty, or a model, knowledge base or demo of isogloss."""
    if not any(folder.iterdir()):
        return True
    for name in MANIFESTS:
        try:
            manifest = parse_json((folder / name).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            continue
        if isinstance(manifest, dict) and str(manifest.get("format")).startswith("isogloss"):
            return True
    return False


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def _faults_in_one_sentence(path: Path) -> Iterator[None]:
    """Turn what the disk refuses while `path` is written into an `InputError`."""
    try:
        yield
    except BrokenPipeError:  # of standard output, not of the disk: the reader has enough
        raise
    except (OSError, SafetensorError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or error
        raise InputError(f"could not be written: {reason}; nothing was kept", path=path) from error
