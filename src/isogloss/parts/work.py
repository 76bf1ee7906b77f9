"""One part after the other in a process that holds a task: tickets in, outcomes out.

Both are bytes of JSON, so that any `Executor` can carry them. All that makes a part right is here
(its lock, what is there already, its footer), so it does not matter who asks, or how often.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import msgspec
from msgspec import Struct

from isogloss.data.documents import FileFormat
from isogloss.data.row_files.writing import RowTarget
from isogloss.errors import InputError, OmissionWarning
from isogloss.parts.footer import PartFooter, RunFacts, SourceFacts, read_footer
from isogloss.parts.locks import lock_file, part_lock
from isogloss.parts.part import PartMade, PartTask, run_part
from isogloss.parts.source import RowSource
from isogloss.progress import silent_parts, talk_noted
from isogloss.storage.files import sha256_of
from isogloss.totals import told_with_totals

State = Literal["made", "remade", "kept", "held", "failed"]
Work = Callable[[bytes], bytes]
_SHARE = "give folders that all machines share, under the same path"


class TaskOptions(Struct, frozen=True, kw_only=True):
    """What a task is made of; as JSON it goes to each process.

    Attributes
    ----------
    places
        Those of its attributes that name a file or folder, or may.
    """

    places: ClassVar[tuple[str, ...]] = ()

    def absolute(self) -> Self:
        """Return the same for processes with another working folder."""
        given = {name: getattr(self, name) for name in self.places}
        return msgspec.structs.replace(self, **{
            name: str(Path(value).absolute()) for name, value in given.items()
            if value is not None and (Path(value).exists() or name == "cache")
        })  # fmt: skip


class Ticket(Struct, frozen=True):
    """A part to make.

    Attributes
    ----------
    waits
        Wait where another run is at it; else its outcome is ``held``.
    """

    path: str
    name: str
    target: str
    waits: bool = False


class Outcome(Struct, frozen=True):
    """What came of a ticket.

    Attributes
    ----------
    state
        ``made``; ``remade``, since the source has changed; ``kept``, as it was made before;
        ``held`` by another run; ``failed``, as the source cannot be read.
    row, sentence
        Of a source that cannot be read: where, and what is wrong.
    warnings, talk
        What was said of the part: warnings, and lines at the level of information.
    seconds
        Of all of it.
    """

    name: str
    state: State
    row: int | None = None
    sentence: str | None = None
    warnings: list[str] = []
    talk: list[str] = []
    seconds: float = 0.0


class WorkSettings(Struct, frozen=True):
    """What all tickets of a run have in common; as JSON it goes to each process.

    Attributes
    ----------
    out
        Folder of the parts.
    format, lang, kept
        As `RowSource` has them.
    is_strict
        What is left out is an error.
    held
        For processes elsewhere: name of a lock that the run holds while they work; by it they see
        that `out` is the same folder there.
    """

    out: str
    run: RunFacts
    format: FileFormat
    lang: str | None
    kept: list[str]
    versions: dict[str, str]
    is_strict: bool = False
    held: str | None = None


def working(task: PartTask, settings: Any) -> Work:
    """Return the function from tickets to outcomes.

    Parameters
    ----------
    settings
        `WorkSettings` as JSON has it.

    Raises
    ------
    InputError
        When this process does not see the folder of the parts.
    """
    common = msgspec.convert(settings, WorkSettings)
    if common.held is not None and not lock_file(Path(common.out), common.held).exists():
        raise InputError(f"is another folder here, or none; {_SHARE}", path=common.out)

    def work(ticket: bytes) -> bytes:
        start = time.monotonic()
        outcome = _Maker(task, common, msgspec.json.decode(ticket, type=Ticket)).outcome()
        seconds = round(time.monotonic() - start, 3)
        return msgspec.json.encode(msgspec.structs.replace(outcome, seconds=seconds))

    return work


def is_made(target: Path, path: Path, name: str, run: RunFacts) -> bool:
    """Whether a part is there, of the source at `path` as it is now.

    Parameters
    ----------
    name
        Of the source in its corpus.

    Raises
    ------
    InputError
        When what is there is no part, or one of another run, or the source cannot be read.
    """
    footer = read_footer(target)
    if footer is None:
        return False
    difference = footer.run.difference(run)
    if difference:
        raise InputError(f"is of another run ({difference}); name a new --out", path=target)
    try:
        n_bytes = path.stat().st_size
        if (name, n_bytes) != (footer.source.name, footer.source.n_bytes):
            return False  # without reading all of it
        return sha256_of(path) == footer.source.sha256
    except OSError as error:
        raise _unread(path, error) from error


def _unread(path: Path, error: OSError) -> InputError:
    if isinstance(error, FileNotFoundError) and not path.is_symlink():
        return InputError(
            "was there when the run began and is gone; put it back, and run the same command again",
            path=path,
        )
    return InputError(f"cannot be read: {error.strerror or error}; check it", path=path)


def _warnings(caught: Sequence[warnings.WarningMessage]) -> list[str]:
    """Return what was warned of: first what is for users, then of the others their kind too."""
    ours = [str(one.message) for one in caught if issubclass(one.category, UserWarning)]
    others = [one for one in caught if not issubclass(one.category, UserWarning)]
    return ours + [f"{one.category.__name__}: {one.message}" for one in others]


class _Maker:
    """One part on its way."""

    def __init__(self, task: PartTask, common: WorkSettings, ticket: Ticket) -> None:
        self._task, self._common, self._ticket = task, common, ticket
        self._path = Path(ticket.path)
        self._out = Path(common.out)
        self._target = self._out / ticket.target

    def outcome(self) -> Outcome:
        name = self._ticket.name
        with part_lock(self._out, self._ticket.target, waits=self._ticket.waits) as is_held:
            if not is_held:
                return Outcome(name, "held")
            with warnings.catch_warnings(record=True) as caught, talk_noted() as talk:
                warnings.simplefilter("error" if self._common.is_strict else "always",
                                      OmissionWarning)  # fmt: skip
                try:
                    found = self._made()
                except OmissionWarning as omission:
                    return Outcome(name, "failed", sentence=f"{self._path}: {omission}")
                except InputError as error:
                    if error.path != str(self._path):  # of the disk, the model, or an option
                        raise
                    return Outcome(name, "failed", row=error.line, sentence=str(error))
                except OSError as error:  # it was there a moment ago
                    if error.filename != str(self._path):
                        raise
                    return Outcome(name, "failed", sentence=str(_unread(self._path, error)))
            return msgspec.structs.replace(
                found, warnings=_warnings(caught), talk=list(dict.fromkeys(talk))
            )

    def _made(self) -> Outcome:
        name, common = self._ticket.name, self._common
        if common.held is not None and not self._path.parent.is_dir():
            raise InputError(f"is no folder here; {_SHARE}", path=self._path.parent)
        self._path.lstat()  # whose error is that it is gone; a link to nothing is there
        if self._path.exists() and not self._path.is_file():  # its end may never come
            raise InputError("is a pipe or device; a part is a file", path=self._path)
        was_there = self._target.exists()
        if is_made(self._target, self._path, name, common.run):
            return Outcome(name, "kept")
        self._refuse_linked_folder()
        self._target.parent.mkdir(parents=True, exist_ok=True)
        source = RowSource(self._path, common.format, common.lang, tuple(common.kept))
        with silent_parts(), told_with_totals():
            run_part(
                self._task, source, RowTarget(self._target), overwrite=True, footer=self._footer
            )
        return Outcome(name, "remade" if was_there else "made")

    def _refuse_linked_folder(self) -> None:
        """Refuse a link among the folders of a part: the summary would not find the part there."""
        inner = self._target.relative_to(self._out).parents
        linked = next((one for one in inner if (self._out / one).is_symlink()), None)
        if linked is not None and linked != Path():
            raise InputError(
                "is a link, and parts are made in folders of --out; remove it",
                path=self._out / linked,
            )

    def _footer(self, part: PartMade) -> dict[str, str]:
        assert part.sha256 is not None  # of a file both are known
        assert part.n_bytes is not None
        run = self._common.run
        return PartFooter(
            SourceFacts(self._ticket.name, part.n_bytes, part.sha256), run, run.settings_hash,
            self._common.versions, part.n_rows, part.seconds, part.facts,
        ).entries()  # fmt: skip
