"""Work folders: which of them a stopped run leaves, and of what file the work in them is."""

import hashlib
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isogloss.errors import InputError, OmissionWarning
from isogloss.progress import logger
from isogloss.storage.files import LOCK

_COMPARED = 1 << 20  # bytes at either end of a file
_N_SAMPLES, _SAMPLED = 64, 1 << 16  # blocks between the ends, and bytes of each


@contextmanager
def kept_folders_said(folders: Sequence[Path]) -> Iterator[None]:
    """Name the hidden folders that stay when a run is stopped; one without any work is removed."""
    try:
        yield
    except (InputError, OmissionWarning, OSError, KeyboardInterrupt):
        for folder in folders:
            if folder.exists() and all(file.name == LOCK for file in folder.iterdir()):
                shutil.rmtree(folder)
            elif folder.exists():
                logger.info(
                    "%s keeps what was read: a run with the same --out resumes from it; remove it, "
                    "if there will be none", folder,
                )  # fmt: skip
        raise


def facts_of_file(path: Path) -> dict[str, Any]:
    """Return by what a file is known again: its size, and a hash of its ends and of blocks between.

    Of a dump of gigabytes they are read at once; a copy of it has the same.
    """
    n_bytes = path.stat().st_size
    with path.open("rb") as file:
        whole = hashlib.sha256(file.read(_COMPARED))
        file.seek(max(n_bytes - _COMPARED, 0))
        whole.update(file.read(_COMPARED))
        for number in range(_N_SAMPLES):
            file.seek(n_bytes * number // _N_SAMPLES)
            whole.update(file.read(_SAMPLED))
    return {"n_bytes": n_bytes, "sha256_of_samples": whole.hexdigest()}
