"""Runs on disk, each written when it is done, so that a stopped experiment resumes.

A folder holds ``manifest.json``, what all runs were made with (fingerprints of data, options), and
``cells/KEY.json``, one file a run. What a run counted is a msgspec ``Struct`` that its experiment
declares; the store knows nothing of documents or encoders. A folder has one process at a time, and
runs made with something else are refused, never mixed in.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from isogloss.errors import InputError
from isogloss.storage.files import (
    LOCK,
    atomic_file,
    damage_in_one_sentence,
    locked,
    read_json,
    refuse_unwritable,
    write_json,
)
from isogloss.storage.sealed import CHECKSUM, refuse_changed, sealed
from isogloss.storage.typed import typed, untyped

MANIFEST = "manifest.json"
ADVICE = "remove it, and it is made again"

Cell = TypeVar("Cell", bound=msgspec.Struct)


@dataclass(frozen=True)
class Experiment(Generic[Cell]):
    """A kind of experiment whose runs are kept."""

    what: str  # its name in sentences: "comparison"
    version: int  # of the format of its folder
    cell: type[Cell]  # what is kept of a run
    nouns: Mapping[str, str]  # names in `Runs.made_with` → what they are in sentences
    option: str = "--out"  # which names the folder, for sentences

    @property
    def other_place(self) -> str:
        """What to do about a folder that holds something else."""
        return f"name another {self.option}"

    def check_place(self, out: Path) -> None:
        """Refuse, before long work, a folder that cannot hold the runs, or in which one is made.

        Raises
        ------
        InputError
            When `out` holds something else, another process is at work there, or its parent folder
            is missing.
        """
        if str(out) == "-":
            raise InputError(
                f"standard output is no place for a folder; name one with {self.option}"
            )
        Runs(self, out, {}).kept_with()
        if (out / LOCK).exists():
            with locked(out, option=self.option, is_own=True):
                pass

    def to_read(self, folder: Path, *, advice: str) -> "Runs[Cell]":
        """Return the runs of a folder that nothing is written into.

        Raises
        ------
        InputError
            When it holds none, or is damaged; `advice` says what to do.
        """
        runs = Runs(self, folder, {})
        return replace(runs, made_with=runs.read_manifest(advice=advice))

    @contextmanager
    def held(self, out: Path, made_with: Mapping[str, Any]) -> Iterator["Runs[Cell]"]:
        """Hold a folder; one that still has no run at the end, of a refused fit, goes again.

        Raises
        ------
        InputError
            As `check_place`, and when it holds runs that were made with something else.
        """
        runs = Runs(self, out, made_with)
        runs.refuse_other()
        is_new = not out.exists()
        with locked(out, option=self.option, is_own=True):
            try:
                runs.refuse_other()  # left by a process that ended meanwhile
                yield runs
            finally:
                if not (out / MANIFEST).exists():
                    (out / LOCK).unlink(missing_ok=True)
                    if is_new:
                        with suppress(OSError):  # somebody has put something there
                            out.rmdir()


@dataclass(frozen=True)
class Runs(Generic[Cell]):
    """The runs in a folder that were made with the same data and options, as JSON holds these."""

    experiment: Experiment[Cell]
    out: Path
    made_with: Mapping[str, Any]

    def file(self, key: str) -> Path:
        """Return where a run is kept."""
        return self.out / "cells" / f"{key.replace(' ', '')}.json"

    def write(self, key: str, cell: Cell) -> None:
        """Write a run; before the first, what all are made with.

        Raises
        ------
        InputError
            When the folder holds other runs: on some network disks no lock holds.
        """
        manifest = self.out / MANIFEST
        if self.refuse_other() is None:
            content = {"format": self._format, "made_with": self.made_with}
            with atomic_file(manifest, overwrite=True) as temporary:
                write_json(temporary, sealed(content))
        self.file(key).parent.mkdir(exist_ok=True)
        facts = {"made_with": self._fingerprint} | untyped(cell)
        with atomic_file(self.file(key), overwrite=True) as temporary:
            write_json(temporary, sealed(facts))

    def read(self, key: str) -> Cell:
        """Read a run.

        Raises
        ------
        InputError
            When its file is missing or damaged, or was made with something else.
        """
        file, what = self.file(key), self.experiment.what
        if not file.exists():
            raise InputError(
                f"lacks {file.name}, a run; the command that made the folder makes it again",
                path=file.parent,
            )
        facts = read_json(file, what=f"a cell of a {what}", advice=ADVICE)
        refuse_changed(facts, file, advice=ADVICE)
        with damage_in_one_sentence(file, advice=ADVICE):
            del facts[CHECKSUM]
            if facts.pop("made_with") != self._fingerprint:
                raise InputError(f"is a cell of another {what}; {ADVICE}", path=file)
            return typed(facts, self.experiment.cell)

    def refuse_other(self) -> dict[str, Any] | None:
        """Return what `kept_with` does; raise `InputError` where it is something else."""
        kept, nouns = self.kept_with(), self.experiment.nouns
        other_place = self.experiment.other_place
        if kept is None:
            return None
        with damage_in_one_sentence(self.out / MANIFEST, advice=other_place):
            other = [nouns.get(name, name) for name in self.made_with
                     if kept[name] != self.made_with[name]]  # fmt: skip
        if other:
            what = f"holds a {self.experiment.what} that differs in {', '.join(other)}"
            raise InputError(f"{what}; {other_place}", path=self.out)
        return kept

    def kept_with(self) -> dict[str, Any] | None:
        """Return with what the runs in the folder were made; None where there is none yet."""
        out, manifest = self.out, self.out / MANIFEST
        other_place = self.experiment.other_place
        refuse_unwritable(manifest if out.is_dir() else out, option=self.experiment.option)
        if not out.exists():
            return None
        if out.is_dir() and not manifest.exists():
            if all(other.name == LOCK or other.suffix == ".part" for other in out.iterdir()):
                return None
            raise InputError(f"holds files of something else; {other_place}", path=out)
        return self.read_manifest(advice=other_place)

    def read_manifest(self, *, advice: str) -> dict[str, Any]:
        """Return with what the runs in the folder were made.

        Raises
        ------
        InputError
            When there is none, or it is damaged or of something else; `advice` says what to do.
        """
        manifest, what = self.out / MANIFEST, self.experiment.what
        facts = read_json(manifest, what=f"a {what}", advice=advice)
        if not isinstance(facts, dict) or facts.get("format") != self._format:
            raise InputError(
                f"is not a {what} of this version of isogloss; {advice}", path=self.out
            )
        refuse_changed(facts, manifest, advice=advice)
        with damage_in_one_sentence(manifest, advice=advice):
            return dict(facts["made_with"])

    @property
    def _format(self) -> str:
        return f"isogloss {self.experiment.what} {self.experiment.version}"

    @property
    def _fingerprint(self) -> str:
        return hashlib.sha256(json.dumps(self.made_with, sort_keys=True).encode()).hexdigest()
