"""A run over many parts: which are to be made, by whom, what failed, and the summary of all.

A run may end at any moment and be started again, in several places at once: what is true lies in
the parts, each of which is whole and says what it was made of.
"""

import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from isogloss.data.documents import FileFormat
from isogloss.errors import InputError, counted
from isogloss.parts import folder
from isogloss.parts.executors import Executor, TicketLostError
from isogloss.parts.finding import Part
from isogloss.parts.folder import FAILED, SUMMARY, Failure
from isogloss.parts.footer import PartFooter, RunFacts
from isogloss.parts.locks import clear_locks, part_lock
from isogloss.parts.work import Outcome, Ticket, WorkSettings, is_made
from isogloss.progress import logger, progress
from isogloss.storage.files import atomic_file, write_json

MOST_NOTES = 3  # of each kind that are said of a run; the summary counts all


@dataclass(frozen=True)
class PartsJob:
    """What a run makes of its parts.

    Parameters
    ----------
    module, task
        Where ``worker`` is, and what it takes beside `WorkSettings`: values of JSON. It gets both
        as ``{"task": …, "work": …}``.
    run
        What all parts have in common.
    format, lang, kept
        As `RowSource` has them.
    versions
        Of packages, for the footers.
    summary_of
        Makes the summary out of the footers of all parts, one at least, which it gets one by one.
    is_strict
        End at the first source that cannot be read, or of which something is left out.
    """

    module: str
    task: Any
    run: RunFacts
    format: FileFormat
    lang: str | None
    kept: tuple[str, ...]
    versions: dict[str, str]
    summary_of: Callable[[Iterable[PartFooter]], dict[str, Any]]
    is_strict: bool = False


@dataclass
class Notes:
    """What was said of parts: the first sentences that are to be said again, and their number."""

    first: list[str] = field(default_factory=list)
    n: int = 0

    def add(self, part: str, sentences: Sequence[str]) -> None:
        """Add what was said of a part."""
        more = sentences[: MOST_NOTES - len(self.first)]
        self.first += [f"{part}: {sentence}" for sentence in more]
        self.n += len(sentences)

    def say(self) -> None:
        """Say the first, and how many others there are."""
        for note in self.first:
            logger.info("%s", note)
        if self.n > len(self.first):
            logger.info("… and %d more such notes", self.n - len(self.first))


@dataclass
class RunReport:
    """What came of the parts of a run.

    Attributes
    ----------
    states
        State → number of parts.
    n_without_rows
        Of all parts that are in the folder.
    warnings, talk
        Of what was left out in a part, or is doubtful, and of all else.
    summary
        Of all parts that are in the folder; None: there is none.
    """

    states: dict[str, int] = field(default_factory=dict)
    n_without_rows: int = 0
    failures: list[Failure] = field(default_factory=list)
    warnings: Notes = field(default_factory=Notes)
    talk: Notes = field(default_factory=Notes)
    summary: dict[str, Any] | None = None

    def add(self, outcome: Outcome) -> None:
        """Count an outcome."""
        self.states[outcome.state] = self.states.get(outcome.state, 0) + 1
        self.warnings.add(outcome.name, outcome.warnings)
        self.talk.add(outcome.name, outcome.talk)
        if outcome.state == "failed":
            sentence = outcome.sentence or ""
            self.failures.append(Failure(outcome.name, outcome.row, sentence))

    @property
    def counts(self) -> dict[str, Any]:
        """What the summary counts, of parts whose facts are counts; nothing where it is of none."""
        return {} if self.summary is None else self.summary.get("counts", {})

    def refuse_failures(self, out: Path) -> None:
        """Raise `InputError` where a source could not be read."""
        if self.failures:
            n = counted(len(self.failures), "part")
            raise InputError(
                f"{n} could not be read, the others are done; all are in {out / FAILED}; the "
                f"first: {self.failures[0].sentence}"
            )


def run_parts(job: PartsJob, parts: Sequence[Part], out: Path, executor: Executor) -> RunReport:
    """Make the parts that are not made yet, and the summary of all that are in the folder.

    Raises
    ------
    InputError
        When `out` is of another run, cannot be written, or a process was killed; with `is_strict`
        also for the first source that cannot be read.
    """
    folder.begin(out, job.run)
    report = RunReport()
    settled: list[str] = []
    try:
        to_make = list(_not_made(job, parts, out, report, settled))
        held = _worked(job, to_make, out, executor, report, settled, waits=False)
        _worked(job, held, out, executor, report, settled, waits=True)
        folder.settle_failures(out, settled)
    finally:
        folder.clear_left_over(out)
    _summarise(job, out, report)
    report.talk.say()
    report.warnings.say()
    return report


def _summarise(job: PartsJob, out: Path, report: RunReport) -> None:
    """Write the summary of all parts that are in the folder, where there is one."""

    def counted_footers(found: Iterable[PartFooter]) -> Iterator[PartFooter]:
        for footer in found:
            report.n_without_rows += not footer.n_rows
            yield footer

    with folder.alone_at_summary(out):
        found = counted_footers(folder.footers(out, job.run))
        first = next(found, None)
        if first is not None:
            report.summary = job.summary_of(chain([first], found))
            with atomic_file(out / SUMMARY, overwrite=True) as made:
                write_json(made, report.summary)
    clear_locks(out)


def _not_made(
    job: PartsJob, parts: Sequence[Part], out: Path, report: RunReport, settled: list[str]
) -> Iterator[Part]:
    """Yield the parts that are to be made; of the others nothing is loaded."""
    targets: dict[str, str] = {}
    for part in parts:
        first = targets.setdefault(part.target, part.name)
        clash = f"would be written to {part.target}, as {first} is; rename one"
        fault = part.fault_of_name or (clash if first != part.name else "")
        if fault:
            sentence = str(InputError(fault, path=part.path))
            outcome = Outcome(part.name, "failed", sentence=sentence)
            _settle(job, outcome, out, report, settled)
        elif _is_kept(part, out / part.target, job):
            report.add(Outcome(part.name, "kept"))
            settled.append(part.name)
        else:
            yield part


def _is_kept(part: Part, target: Path, job: PartsJob) -> bool:
    try:
        return is_made(target, part.path, part.name, job.run)
    except InputError as error:
        if error.path == str(part.path):  # told where it is to be made
            return False
        raise


def _worked(
    job: PartsJob, parts: Sequence[Part], out: Path, executor: Executor, report: RunReport,
    settled: list[str], *, waits: bool,
) -> list[Part]:  # fmt: skip
    """Make parts; return those that another run is making."""
    if not parts:
        return []
    place = Path.absolute if executor.is_elsewhere else Path
    tickets = [Ticket(str(place(part.path)), part.name, part.target, waits) for part in parts]
    encoded = map(msgspec.json.encode, tickets)
    held = []
    with ExitStack() as stack:
        lock = stack.enter_context(_held_for(out)) if executor.is_elsewhere else None
        work = WorkSettings(
            str(place(out)), job.run, job.format, job.lang, list(job.kept), job.versions,
            job.is_strict, lock,
        )  # fmt: skip
        settings = {"task": job.task, "work": msgspec.to_builtins(work)}
        outcomes = stack.enter_context(closing(executor.outcomes(job.module, settings, encoded)))
        advance = stack.enter_context(progress(job.run.command, len(parts), "parts"))
        for part, outcome in zip(parts, _decoded(outcomes), strict=True):
            advance(1)
            if outcome.state == "held":
                held.append(part)
            else:
                _settle(job, outcome, out, report, settled)
    return held


@contextmanager
def _held_for(out: Path) -> Iterator[str]:
    """Hold a lock in the folder, by which processes elsewhere know it again; yield its name."""
    name = f"run {secrets.token_hex(16)}"
    with part_lock(out, name, waits=True):
        yield name


def _decoded(outcomes: Iterator[bytes]) -> Iterator[Outcome]:
    try:
        for encoded in outcomes:
            yield msgspec.json.decode(encoded, type=Outcome)
    except TicketLostError as error:
        lost = msgspec.json.decode(error.ticket, type=Ticket)
        raise InputError(str(error), path=lost.path) from error


def _settle(
    job: PartsJob, outcome: Outcome, out: Path, report: RunReport, settled: list[str]
) -> None:
    """Count an outcome, and note it where the source could not be read.

    Failures are noted at once, to outlive a kill; what is settled at the end, in one go: a part
    that is there is found to be so by the next run.
    """
    report.add(outcome)
    if outcome.state == "failed":
        folder.note_failure(out, report.failures[-1])
        if job.is_strict:
            raise InputError(f"{outcome.sentence} (the run ends here under --strict)")
        logger.warning("%s", outcome.sentence)
        return
    settled.append(outcome.name)
    if outcome.state == "remade":
        logger.info("%s: its source has changed, it was made again", outcome.name)
