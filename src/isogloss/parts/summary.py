"""The summary of a run over parts, merged from their footers."""

import importlib.metadata
import platform
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec import Struct

from isogloss.parts.footer import PartFooter, RunFacts
from isogloss.storage.files import damage_in_one_sentence
from isogloss.storage.sealed import checksum_of, sealed
from isogloss.storage.typed import typed

FORMAT, VERSION = "isogloss summary of parts", 1
Facts = TypeVar("Facts")
_PACKAGES = ("isogloss", "torch", "transformers", "numpy")


def versions() -> dict[str, str]:
    """Return the versions that rows may depend on."""
    found = {name: importlib.metadata.version(name) for name in _PACKAGES}
    return found | {"python": platform.python_version()}


@dataclass
class FooterTotals:
    """What footers have beside their facts, added up one by one.

    Of each part only the name and hash of its source stay in memory: those of 100,000 parts take
    some 30 MB, where their footers would take as much for each thousand.

    Attributes
    ----------
    n_without_rows
        Parts of sources without rows.
    """

    n_parts: int = 0
    n_without_rows: int = 0
    n_rows: int = 0
    seconds: float = 0.0
    _run: RunFacts | None = None
    _versions: dict[str, dict[str, None]] = field(default_factory=dict)
    _sources: dict[str, str] = field(default_factory=dict)

    def through(self, footers: Iterable[PartFooter]) -> Iterator[PartFooter]:
        """Yield each footer when it is added."""
        for footer in footers:
            self._run = self._run or footer.run
            self.n_parts += 1
            self.n_without_rows += not footer.n_rows
            self.n_rows += footer.n_rows
            self.seconds += footer.seconds
            self._sources[footer.source.name] = footer.source.sha256
            for package, version in footer.versions.items():
                self._versions.setdefault(package, {})[version] = None
            yield footer

    @property
    def run(self) -> RunFacts:
        """What all parts have in common; there is one at least."""
        assert self._run is not None
        return self._run

    @property
    def versions(self) -> dict[str, str]:
        """The versions of each package that made parts, joined where there are several."""
        return {package: ", ".join(versions) for package, versions in self._versions.items()}

    @property
    def sources_hash(self) -> str:
        """The SHA-256 of the names and hashes of all sources."""
        return checksum_of(self._sources)


def summed(facts: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
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


def facts_of(footer: PartFooter, kind: type[Facts]) -> Facts:
    """Return the facts of a part as the record that its command reads.

    Raises
    ------
    InputError
        When another version of isogloss counted other things.
    """
    made_by = footer.versions.get("isogloss", "of another version")
    advice = f"isogloss {made_by} made its part; name a new folder with --out"
    with damage_in_one_sentence(Path(footer.source.name), advice=advice):
        return typed(footer.facts, kind)


def summary_document(
    footers: Iterable[PartFooter], *, name: str, counts: type[Struct]
) -> dict[str, Any]:
    """Return the summary of parts whose facts are counts.

    Parameters
    ----------
    footers
        One at least.
    name
        Of the corpus.
    counts
        What the facts of each part are.

    Raises
    ------
    InputError
        As `facts_of`.
    """
    totals = FooterTotals()
    found = (facts_of(one, counts) for one in totals.through(footers))
    counted = summed(map(msgspec.to_builtins, found))
    run = totals.run
    return sealed(
        {
            "format": FORMAT,
            "version": VERSION,
            "command": run.command,
            "made_by": {"name": run.made_by, "fingerprint": run.fingerprint},
            "versions": totals.versions,
            "data": {
                "name": name,
                "sha256": totals.sources_hash,
                "n_parts": totals.n_parts,
                "n_parts_without_rows": totals.n_without_rows,
                "n_rows": totals.n_rows,
            },
            "settings": run.settings,
            "seconds": round(totals.seconds, 3),
            "counts": counted,
        }
    )
