"""A package that isogloss needs or an extra brings: its version, and why it cannot be used."""

import importlib.metadata
import re
from functools import cache
from typing import NamedTuple

from isogloss.cli.diagnosing.findings import shown
from isogloss.compat import import_package

ABSENT = "not installed"
# What the import of a package raises that lacks parts, or was built for others than are there.
UNFIT = (ImportError, OSError, AttributeError, RuntimeError, TypeError, ValueError)


class Package(NamedTuple):
    """A package: what pip installs, and what Python imports."""

    distribution: str
    module: str

    @property
    def version(self) -> str:
        """The version that is installed, or words that say there is none."""
        try:
            return importlib.metadata.version(self.distribution)
        except importlib.metadata.PackageNotFoundError:
            return "no version"

    @property
    def requirement(self) -> str:
        """What is written after ``pip install``."""
        wanted = self._wanted
        return f"{self.distribution}{wanted}" if wanted.startswith("==") else self.distribution

    def fault(self) -> str | None:
        """Import it, and say why it cannot be used: absent, broken, too old; None: it can."""
        try:
            import_package(self.module)
        except UNFIT as error:
            if isinstance(error, ModuleNotFoundError) and error.name is not None:
                lacking = error.name.partition(".")[0]
                absent = f"but '{lacking}', which it needs, is {ABSENT}"
                return ABSENT if lacking == self.module else f"{self.version}, {absent}"
            said = shown(" ".join(str(error).split()))
            return f"{self.version}, which cannot be imported ({said:.200})"
        if not meets(self.version, self._wanted):
            return f"{self.version}, and isogloss needs {self._wanted}"
        return None

    @property
    def _wanted(self) -> str:
        return _required().get(_key(self.distribution), "")


def meets(version: str, wanted: str) -> bool:
    """Say whether a version is the one wanted, or a later one where the least is.

    Examples
    --------
    >>> meets("2.13.0+cpu", ">=2.5"), meets("2.4.1", ">=2.5"), meets("0.3.0", "==0.3.0")
    (True, False, True)
    """
    if not wanted or not version[:1].isdigit():
        return True
    has, asked = _numbers(version), _numbers(wanted[2:])
    return has >= asked if wanted.startswith(">=") else has[: len(asked)] == asked


@cache
def _required() -> dict[str, str]:
    """Return the version that isogloss needs of each package, as ``>=2.5``."""
    try:
        lines = importlib.metadata.requires("isogloss") or []
    except importlib.metadata.PackageNotFoundError:  # it runs from its source
        lines = []
    found = [re.match(r"([\w.-]+)\s*([=>]=[\d.]+)", line) for line in lines]
    return {_key(one[1]): one[2] for one in found if one}


def _key(distribution: str) -> str:
    return distribution.lower().replace("_", "-")


def _numbers(version: str) -> list[int]:
    release = re.match(r"\d+(\.\d+)*", version)
    return [int(number) for number in release[0].split(".")] if release else []
