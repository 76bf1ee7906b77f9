"""What our own files hold, checked: numbers, texts, checksums; and the lock of a folder.

Writing is `atomic`, what may be written `refusals`, JSON `json_files`; their names are found here
too.
"""

import hashlib
import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.storage.atomic import atomic_directory, atomic_file
from isogloss.storage.json_files import open_regular, parse_json, read_json, write_json
from isogloss.storage.left_over import clear_all, is_there
from isogloss.storage.refusals import (
    Kind,
    refuse_existing,
    refuse_read,
    refuse_unwritable,
    resolved,
)

__all__ = [
    "LOCK", "Kind", "atomic_directory", "atomic_file", "clear_all", "damage_in_one_sentence",
    "is_there", "locked", "open_regular", "parse_json", "read_json", "refuse_artefact",
    "refuse_existing", "refuse_read", "refuse_unwritable", "resolved", "saved_number", "saved_text",
    "sha256_of", "sha256_of_package", "write_json",
]  # fmt: skip

LOCK = "lock"  # name of the file by which one run holds a folder
_MARKS = ("model.json", "manifest.json", "modules.json", "config.json")


def refuse_artefact(folder: Path, *, option: str) -> None:
    """Refuse a folder that is an artefact: files of a run or a cache do not belong in it.

    Raises
    ------
    InputError
        When it holds what marks a classifier, a knowledge base, or an encoder.
    """
    found = next((name for name in _MARKS if (folder / name).is_file()), None)
    if found is not None:
        raise InputError(
            f"holds {found}, so it is a model, a knowledge base or an encoder; give another "
            f"{option}",
            path=folder,
        )


@contextmanager
def locked(folder: Path, *, option: str = "--work", is_own: bool = False) -> Iterator[None]:
    """Hold a work folder, made if it is missing; the system lets it go when the process dies.

    Parameters
    ----------
    folder
        What ``--work`` names, or the folder used in its place.
    option
        The option that chooses the folder, for the sentence.
    is_own
        Whether it was looked at: what it holds belongs there, also a manifest.

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

    if option != "--out" and not is_own:
        refuse_artefact(folder, option=option)
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
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def sha256_of_package(*endings: str) -> str:
    """Return the SHA-256 of the files of isogloss itself that end so: its code, or its rules."""
    folder = Path(__file__).parents[1]
    whole = hashlib.sha256()
    for file in sorted(
        file for ending in endings for file in folder.rglob("*") if str(file).endswith(ending)
    ):
        whole.update(f"{file.relative_to(folder)} {sha256_of(file)}\n".encode())
    return whole.hexdigest()
