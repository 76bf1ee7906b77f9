"""Cells: what one run measured, kept as a line of JSON the moment it is done.

A file of cells only grows. A process that was killed may leave its last line torn: that line is
dropped and said, and its cell runs again. Cells of another encoder, other settings or other data
have other keys and stay beside.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from isogloss.errors import InputError, warn_omitted
from isogloss.storage.files import (
    LOCK,
    damage_in_one_sentence,
    locked,
    open_regular,
    parse_json,
    refuse_unwritable,
)
from isogloss.storage.json_files import LARGEST_JSON
from isogloss.storage.sealed import CHECKSUM, checksum_of, refuse_changed, sealed
from isogloss.storage.typed import typed, untyped

CELLS = "cells.jsonl"
Record = TypeVar("Record")
_ADVICE = "remove this line, and its cell runs again"


class CellKey(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """What makes a cell the one it is.

    Attributes
    ----------
    langs
        Languages: ``"en → de"``, ``"af"``.
    settings
        All that the result depends on beside the data and the encoder, as JSON has it.
    encoder, data
        Fingerprints of the encoder, and of the files that are read.
    """

    paper: str
    task: str
    langs: str
    settings: dict[str, Any]
    seed: int
    encoder: str
    data: str

    @cached_property
    def digest(self) -> str:
        """The key as one word."""
        return checksum_of(msgspec.to_builtins(self))


class KeptCell(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A cell with what it found.

    Attributes
    ----------
    name
        Of the encoder, as it was given.
    found
        What its task keeps of it, as JSON has it.
    seconds
        Of the cell; what several cells share, as a fit, counts for the first of them.
    omissions
        What was said to be left out.
    version
        Of isogloss.
    """

    key: CellKey
    name: str
    found: dict[str, Any]
    seconds: float
    omissions: list[str]
    version: str


class CellFile:
    """The cells in a folder; `opened` holds it against other processes."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / CELLS
        self._cells: dict[str, KeptCell] = {}
        self._n_whole = 0  # bytes of whole lines
        if self.path.exists():
            self._read()

    def __contains__(self, key: CellKey) -> bool:
        return key.digest in self._cells

    def __getitem__(self, key: CellKey) -> KeptCell:
        return self._cells[key.digest]

    def __len__(self) -> int:
        return len(self._cells)

    def record(self, key: CellKey, kind: type[Record]) -> Record:
        """Return what a cell found as a record of its task.

        Raises
        ------
        InputError
            When it is none, as where another version of isogloss kept other fields.
        """
        cell = self[key]
        advice = (
            f"isogloss {cell.version} kept what {key.task}, {key.langs}, seed {key.seed} found; "
            "name a new folder with --out"
        )
        with damage_in_one_sentence(self.path, advice=advice):
            return typed(cell.found, kind)

    def has_like(self, key: CellKey) -> bool:
        """Whether there is a cell that differs from another in its data alone."""
        return _without_data(key) in {_without_data(cell.key) for cell in self._cells.values()}

    def all_of(self, task: str) -> list[KeptCell]:
        """Return all cells of a task, whatever their settings."""
        return [cell for cell in self._cells.values() if cell.key.task == task]

    def add(self, cell: KeptCell) -> None:
        """Write a cell at the end of the file, where it stays whatever happens next.

        Raises
        ------
        ValueError
            When there is one with the same key.
        """
        if cell.key in self:
            raise ValueError(f"cell {cell.key.digest[:12]} is there already")
        line = json.dumps(sealed(untyped(cell)), ensure_ascii=False, allow_nan=False) + "\n"
        with self.path.open("ab") as file:
            file.truncate(self._n_whole)  # a torn last line
            file.write(line.encode("utf-8", "backslashreplace"))
            file.flush()
            os.fsync(file.fileno())
            self._n_whole = file.tell()
        self._cells[cell.key.digest] = cell

    def _read(self) -> None:
        with open_regular(self.path) as file:
            for number, line in enumerate(iter(lambda: file.readline(LARGEST_JSON), b""), 1):
                if len(line) == LARGEST_JSON and not line.endswith(b"\n"):
                    raise InputError(
                        f"is longer than {LARGEST_JSON:,} bytes, which no cell is; {_ADVICE}",
                        path=self.path, line=number,
                    )  # fmt: skip
                if not line.endswith(b"\n"):
                    warn_omitted(
                        f"{self.path}: line {number} is torn, as a killed run leaves its last; it "
                        "is dropped, and its cell runs again"
                    )
                    return
                self._n_whole += len(line)
                cell = self._cell_of(line, number)
                self._cells.setdefault(cell.key.digest, cell)

    def _cell_of(self, line: bytes, number: int) -> KeptCell:
        place = Path(f"{self.path}:{number}")
        try:
            content = parse_json(line)
        except ValueError as error:
            raise InputError(f"is not JSON ({error}); {_ADVICE}", path=place) from error
        refuse_changed(content, place, advice=_ADVICE)
        with damage_in_one_sentence(place, advice=_ADVICE):
            del content[CHECKSUM]
            return typed(content, KeptCell)


def _without_data(key: CellKey) -> str:
    return msgspec.structs.replace(key, data="").digest


def check_place(folder: Path) -> None:
    """Refuse, before long work, a folder that cannot hold cells.

    Raises
    ------
    InputError
        When it is no folder, holds something else, or cannot be written.
    """
    if str(folder) == "-":
        raise InputError("standard output is no place for a folder; name one with --out")
    kept = folder / CELLS
    refuse_unwritable(kept if folder.is_dir() else folder, option="--out")
    if folder.exists() and not kept.exists():
        is_ours = folder.is_dir() and all(
            other.name == LOCK or other.name.startswith(".") for other in folder.iterdir()
        )
        if not is_ours:
            raise InputError("holds files of something else; name another --out", path=folder)


@contextmanager
def opened(folder: Path) -> Iterator[CellFile]:
    """Hold a folder of cells, made when missing; a run that keeps none leaves none behind.

    Raises
    ------
    InputError
        As `check_place`; when another process is at work there, or a line is damaged.
    """
    check_place(folder)
    is_new = not folder.exists()
    with locked(folder, option="--out", is_own=True):
        kept = CellFile(folder)
        try:
            yield kept
        finally:
            if not kept.path.exists():
                (folder / LOCK).unlink(missing_ok=True)
                if is_new and not any(folder.iterdir()):
                    folder.rmdir()
