"""How an encoder is found and known again by what was made with it: a model, an index."""

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from isogloss.storage.files import resolved


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
