"""JSON files of our own: written as UTF-8, read only from a regular file of bounded size.

A manifest that is a pipe would be waited for without end, one that is a link to ``/dev/zero`` read
until memory ends: `open_regular` opens neither.
"""

import io
import json
import os
import stat
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.storage.left_over import restore

LARGEST_JSON = 1 << 28  # bytes; the manifest of a knowledge base of 300 languages has one million


def open_regular(path: Path, *, held: tuple[int, str] | None = None) -> io.BufferedReader:
    """Open a file of ours to read its bytes; never waits.

    Parameters
    ----------
    held
        Descriptor of a folder, which may have been replaced since, and the path within it.

    Raises
    ------
    InputError
        When it is a pipe, a device or a socket.
    OSError
        When it cannot be opened.
    """
    with_no_wait = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        folder, name = held or (None, path)
        handle = os.open(name, os.O_RDONLY | with_no_wait, dir_fd=folder)
    except OSError:
        if path.is_socket():
            raise _not_regular(path) from None
        raise
    if stat.S_ISREG(os.fstat(handle).st_mode):
        return os.fdopen(handle, "rb")
    is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
    os.close(handle)
    raise InputError("is a folder, not a file", path=path) if is_folder else _not_regular(path)


def write_json(path: Path, value: Any) -> None:
    """Write `value` as indented UTF-8 JSON, its keys in their order, lone surrogates escaped."""
    text = json.dumps(value, ensure_ascii=False, indent=2) + "\n"
    path.write_bytes(text.encode("utf-8", "backslashreplace"))


def parse_json(text: str | bytes) -> Any:
    """Return what JSON holds; all that breaks in the parser is a `ValueError`.

    Raises
    ------
    ValueError
        When it is not JSON or not UTF-8, has a key twice in one object, of which others would take
        the last, has a number of thousands of digits, or is nested deeper than Python recurses:
        ten thousand brackets are no more than a damaged file.
    """
    try:
        return json.loads(text, object_pairs_hook=_object)
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
        When the file is missing, is no regular file, or is not JSON.
    """
    advice = advice or f"make {what} again"
    restore(path.parent)
    try:
        with open_regular(path) as file:
            text = file.read(LARGEST_JSON + 1)
        if len(text) > LARGEST_JSON:
            raise InputError(f"damaged: larger than any file of its kind; {advice}", path=path)
        return parse_json(text.decode("utf-8"))
    except FileNotFoundError as error:
        if not path.parent.name:  # "." and "/" are no places that a sentence can begin with
            raise InputError(f"no such file to read {what} from", path=path) from error
        raise InputError(f"not {what}: it has no {path.name}", path=path.parent) from error
    except NotADirectoryError as error:
        raise InputError(f"is a file, not a folder that holds {what}", path=path.parent) from error
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"damaged: not JSON ({error}); {advice}", path=path) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in made if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r:.40} stands twice in one object")
    return made


def _not_regular(path: Path) -> InputError:
    return InputError("is a pipe, a device or a socket, not a file", path=path)
