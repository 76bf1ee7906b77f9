"""The output folder of a run over parts: what it is of, what failed, and the summary of all.

===============  ===================================================================
``NAME.parquet``  a part for each source, below the same folders
``_run.json``    what all parts have in common: command, model, settings
``_failed.jsonl`` part, row and sentence of each source that could not be read
``_summary.json`` merged from the footers of the parts
``_locks/``      while a run is at work
===============  ===================================================================
"""

import json
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import msgspec
from msgspec import Struct

from isogloss.errors import InputError
from isogloss.parts.finding import Part
from isogloss.parts.footer import PartFooter, RunFacts, read_footer
from isogloss.parts.listing import refuse_unlisted
from isogloss.parts.locks import FOR_ALL, LOCKS, clear_locks, part_lock
from isogloss.storage.files import (
    atomic_file,
    clear_all,
    damage_in_one_sentence,
    open_regular,
    parse_json,
    read_json,
    refuse_unwritable,
    write_json,
)
from isogloss.storage.json_files import LARGEST_JSON
from isogloss.storage.sealed import refuse_changed, refuse_other_version, sealed
from isogloss.storage.typed import typed

RUN, FAILED, SUMMARY = "_run.json", "_failed.jsonl", "_summary.json"
FORMAT, VERSION = "isogloss parts", 1
_NEW = "name a new folder with --out"


class Failure(Struct, frozen=True):
    """A source that could not be read."""

    part: str
    row: int | None
    sentence: str


def refuse_folder(out: Path, run: RunFacts | None = None) -> None:
    """Raise `InputError` where parts of a run cannot be made in a folder: it is of another run.

    A folder that is not there yet is fine where it can be made. None: the run is not known yet.
    """
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InputError(f"is no folder, and parts are made in one; {_NEW}", path=out)
    refuse_unwritable(out / RUN if out.exists() else out)
    if not out.exists():
        return
    if not (out / RUN).exists():
        if any(not _is_passing(name) for name in os.listdir(out)):  # noqa: PTH208
            raise InputError(f"holds files that isogloss did not make; {_NEW}", path=out)
        return
    difference = "" if run is None else _read_run(out).difference(run)
    if difference and any(out.rglob("*.parquet")):
        raise InputError(f"holds parts of another run ({difference}); {_NEW}", path=out)
    if difference:
        raise InputError(
            f"another run was begun in it ({difference}), which has no part yet; remove it, or "
            f"{_NEW}", path=out,
        )  # fmt: skip


def begin(out: Path, run: RunFacts) -> None:
    """Make the folder, or look again at one that another run has made meanwhile."""
    out.mkdir(exist_ok=True)
    try:
        with part_lock(out, FOR_ALL, waits=True):
            refuse_folder(out, run)
            if not (out / RUN).exists():
                document = {"format": FORMAT, "version": VERSION} | msgspec.to_builtins(run)
                with atomic_file(out / RUN) as made:
                    write_json(made, sealed(document))
    finally:
        clear_locks(out)
    clear_left_over(out)


def clear_left_over(out: Path) -> None:
    """Remove what killed runs left: unfinished files, and locks that nobody holds."""
    for folder, _, _ in os.walk(out):
        clear_all(Path(folder), "*")
    clear_locks(out)


def note_failure(out: Path, failure: Failure) -> None:
    """Add a failure behind those that are noted, where it outlives a kill.

    Other runs may note theirs at the same time. Raises `InputError` where it cannot be written.
    """
    path = out / FAILED
    with part_lock(out, FOR_ALL, waits=True):
        try:
            with path.open("ab+") as file:
                n_whole = _n_whole(file)
                file.truncate(n_whole)
                try:
                    file.write(_line(failure))
                    file.flush()
                except OSError:
                    os.ftruncate(file.fileno(), n_whole)
                    raise
        except OSError as error:
            reason = error.strerror or error
            raise InputError(f"could not be written: {reason}", path=path) from error


def settle_failures(out: Path, settled: Iterable[str]) -> None:
    """Leave each failure that is noted once, in order, and none of a part that is settled."""
    path = out / FAILED
    if not path.exists():
        return
    with part_lock(out, FOR_ALL, waits=True):
        if not path.exists():
            return
        gone = set(settled)
        lines = b"".join(_line(one) for one in read_failures(out) if one.part not in gone)
        if not lines:
            path.unlink()
        elif lines != path.read_bytes():
            with atomic_file(path, overwrite=True) as made:
                made.write_bytes(lines)


def read_failures(out: Path) -> list[Failure]:
    """Return the failures that are noted, the last of each part, in the order of the parts.

    A last line that is torn, as by a power cut, is none: its part is tried again anyway.

    Raises
    ------
    InputError
        When they cannot be read.
    """
    path = out / FAILED
    if not path.exists():
        return []
    with damage_in_one_sentence(path, advice="remove it"):
        with open_regular(path) as file:  # a pipe would be waited for, /dev/zero read without end
            content = file.read(LARGEST_JSON + 1)
        if len(content) > LARGEST_JSON:
            raise ValueError("larger than any file of its kind")
        whole = content.rpartition(b"\n")[0]
        found = [typed(parse_json(line), Failure) for line in whole.splitlines()]
    last = {one.part: one for one in found}
    return [last[part] for part in sorted(last)]


def _line(failure: Failure) -> bytes:
    return json.dumps(msgspec.to_builtins(failure)).encode() + b"\n"


def _n_whole(file: BinaryIO) -> int:
    """Return the bytes up to the end of the last whole line; most often that is all of them."""
    n_bytes = file.seek(0, os.SEEK_END)
    if not n_bytes:
        return 0
    file.seek(-1, os.SEEK_END)
    if file.read(1) == b"\n":
        return n_bytes
    file.seek(0)
    return file.read().rfind(b"\n") + 1


def footers(out: Path, run: RunFacts) -> Iterator[PartFooter]:
    """Yield the footers of the parts of a run, in the order of their names.

    Raises
    ------
    InputError
        When a part is damaged, or of another run: nobody could tell its rows from those of this;
        when it is a copy under another name, whose rows would count twice; when a folder of
        parts cannot be listed.
    """
    paths = []
    for at, folders, files in os.walk(out, onerror=refuse_unlisted):
        folders[:] = [name for name in folders if not name.startswith((".", "_"))]
        paths += [Path(at, name) for name in files if name.endswith(".parquet")]
    for path in sorted(paths):
        footer = read_footer(path)
        if footer is None:
            continue
        difference = footer.run.difference(run)
        if difference:
            raise InputError(
                f"is of another run ({difference}); move it elsewhere, and run the same command "
                "again",
                path=path,
            )
        if Part(path, footer.source.name).target != path.relative_to(out).as_posix():
            raise InputError(
                f"is the part of {footer.source.name:.200}, under another name; move it elsewhere, "
                "and run the same command again",
                path=path,
            )
        yield footer


@contextmanager
def alone_at_summary(out: Path) -> Iterator[None]:
    """Keep other runs from summing up while the block runs.

    Footers are to be read within: of two runs that end together, the one that read them first
    might write last, and the parts of the other would not be counted.
    """
    with part_lock(out, SUMMARY, waits=True):  # its own: failures can be noted meanwhile
        yield


def _read_run(out: Path) -> RunFacts:
    path, advice = out / RUN, _NEW
    content: Any = read_json(path, what="what parts have in common", advice=advice)
    refuse_changed(content, path, advice=advice)
    with damage_in_one_sentence(path, advice=advice):
        if content["format"] != FORMAT:
            raise ValueError(f"its format is {content['format']!r:.40}")
        refuse_other_version(content, VERSION, path, advice=advice)
        return typed(content, RunFacts)


def _is_passing(name: str) -> bool:
    """Whether a file is of a run that was stopped before its first part."""
    return name == LOCKS or name.startswith(f".{RUN}.isogloss-")
