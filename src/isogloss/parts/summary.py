"""The summary of a run over parts, merged from their footers."""

import importlib.metadata
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from isogloss.parts.footer import PartFooter
from isogloss.storage.sealed import checksum_of, sealed

FORMAT, VERSION = "isogloss summary of parts", 1
_PACKAGES = ("isogloss", "torch", "transformers", "numpy")


def versions() -> dict[str, str]:
    """Return the versions that rows may depend on."""
    found = {name: importlib.metadata.version(name) for name in _PACKAGES}
    return found | {"python": platform.python_version()}


def versions_of(footers: Sequence[PartFooter]) -> dict[str, str]:
    """Return the versions of each package that made parts, joined where there are several."""
    found: dict[str, dict[str, None]] = {}
    for footer in footers:
        for package, version in footer.versions.items():
            found.setdefault(package, {})[version] = None
    return {package: ", ".join(versions) for package, versions in found.items()}


def sources_hash(footers: Sequence[PartFooter]) -> str:
    """Return the SHA-256 of the names and hashes of all sources."""
    return checksum_of({one.source.name: one.source.sha256 for one in footers})


def parts_without_rows(footers: Sequence[PartFooter]) -> int:
    """Return how many parts are of sources without rows."""
    return sum(not one.n_rows for one in footers)


def summed(facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Add up numbers of the same name, also within.

    Examples
    --------
    >>> summed([{"n": 1, "de": {"linked": 2}}, {"n": 3, "de": {"linked": 4, "cut": 1}}])
    {'n': 4, 'de': {'linked': 6, 'cut': 1}}
    """
    total: dict[str, Any] = {}
    for one in facts:
        for name, value in one.items():
            if isinstance(value, Mapping):
                total[name] = summed([total.get(name, {}), value])
            else:
                total[name] = total.get(name, 0) + value
    return total


def summary_document(footers: Sequence[PartFooter], *, name: str) -> dict[str, Any]:
    """Return the summary of parts whose facts are counts.

    Parameters
    ----------
    name
        Of the corpus.
    """
    run = footers[0].run
    return sealed(
        {
            "format": FORMAT,
            "version": VERSION,
            "command": run.command,
            "made_by": {"name": run.made_by, "fingerprint": run.fingerprint},
            "versions": versions_of(footers),
            "data": {
                "name": name,
                "sha256": sources_hash(footers),
                "n_parts": len(footers),
                "n_parts_without_rows": parts_without_rows(footers),
                "n_rows": sum(one.n_rows for one in footers),
            },
            "settings": run.settings,
            "seconds": round(sum(one.seconds for one in footers), 3),
            "counts": summed([one.facts for one in footers]),
        }
    )
