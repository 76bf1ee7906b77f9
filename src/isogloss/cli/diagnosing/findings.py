"""What the doctor found, a line each, fit to be sent to strangers: no value of a variable."""

import os
import re
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# Variables of the environment that change what isogloss does; whether they are set is told.
VARIABLES = (
    "XDG_CACHE_HOME", "HF_HOME", "HF_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN", "OMP_NUM_THREADS",
    "MKL_NUM_THREADS", "NUMBA_CACHE_DIR", "NUMBA_NUM_THREADS", "CUDA_VISIBLE_DEVICES",
    "TOKENIZERS_PARALLELISM", "PYTHONPATH", "RANK",
)  # fmt: skip
_OF_PLACES = ("HF_HUB_CACHE", "HF_HOME", "NUMBA_CACHE_DIR", "XDG_CACHE_HOME")


@dataclass(frozen=True)
class Finding:
    """One line of the report.

    Attributes
    ----------
    section, name, said
        Where it stands, what was looked at, and what was found.
    is_broken
        Whether something cannot work.
    """

    section: str
    name: str
    said: str
    is_broken: bool = False

    def as_json(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return asdict(self)


def shown(text: str | Path) -> str:
    r"""Return a path, or a sentence with paths, without the home folder and values of variables.

    Examples
    --------
    >>> shown(Path.home() / "model").replace("\\", "/")
    '~/model'
    """
    said = str(text)
    values = [(name, os.environ.get(name, "")) for name in _OF_PLACES]
    known = [(value, f"${name}") for name, value in values if Path(value).is_absolute()]
    known.append((str(Path.home()), "~"))
    for value, instead in sorted(known, key=lambda one: -len(one[0])):
        if Path(value) != Path(value).parent:  # the root stands for nothing
            said = re.sub(rf"{re.escape(value.rstrip('/'))}(?![\w.-])", instead, said)
    return said


def size(n_bytes: int) -> str:
    """Return a number of bytes as people read it.

    Examples
    --------
    >>> size(113_400_000), size(12)
    ('113 MB', '0 MB')
    """
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"
