"""Options of a run over many parts, and what the commands that make parts have in common."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
import typer

from isogloss.cli.groups import OnlyWith, count
from isogloss.cli.options import TextFile, TextsInLanguages, listed
from isogloss.cli.places import places_read, refuse_inside
from isogloss.cores import MAX_THREADS
from isogloss.data.lines import COMPRESSED
from isogloss.data.records import ENDINGS
from isogloss.errors import InputError, counted
from isogloss.parts.executors import Executor, executor_of
from isogloss.parts.finding import FoundParts, Part, Shard, find_parts
from isogloss.parts.folder import refuse_folder
from isogloss.parts.footer import RunFacts
from isogloss.parts.on_ray import Ray
from isogloss.parts.ray_session import refuse_without_ray
from isogloss.parts.run import PartsJob, RunReport, run_parts
from isogloss.parts.summary import versions
from isogloss.parts.work import TaskOptions
from isogloss.progress import logger
from isogloss.storage.files import refuse_read

OVERWRITES_ONE = "is for one file; a folder of parts is continued, or named anew with --out"
_FILES = (*ENDINGS, ".xls", ".npy")
_FOR_PARTS = OnlyWith("@parts", why="is for a folder or a glob of parts, and FILE is one file")


SummaryOf = Callable[..., dict[str, Any]]


@dataclass(frozen=True, kw_only=True)
class PartsOptions:
    """How a folder or glob of parts is worked on."""

    keep: Annotated[
        str | None,
        typer.Option(
            help="Of parts: columns that go along, beside ids and the language; the text too only "
            "when it is named.",
            metavar="NAMES",
        ),
        _FOR_PARTS,
    ] = None
    shard: Annotated[
        str | None,
        typer.Option(
            help="Of parts: share to make, 2/8 for the second of eight; each part is in one share.",
            metavar="I/N",
        ),
        _FOR_PARTS,
    ] = None
    workers: Annotated[
        int,
        count("Of parts: number of processes, each with its own model.", most=MAX_THREADS),
        _FOR_PARTS,
    ] = 1
    executor: Annotated[
        Literal["processes", "ray"],
        typer.Option(help="Of parts: what they are made by, processes here or actors of Ray."),
        _FOR_PARTS,
    ] = "processes"
    address: Annotated[
        str | None,
        typer.Option(
            help="Of parts, with --executor ray: cluster (default: one of this machine alone, "
            "started and ended with the command).",
            metavar="HOST:PORT",
        ),
        _FOR_PARTS,
        OnlyWith("executor=ray", why="is for a Ray cluster; give --executor ray too"),
    ] = None

    @property
    def kept(self) -> tuple[str, ...]:
        """The columns to keep."""
        return () if self.keep is None else tuple(listed(self.keep, "--keep"))

    def made_by(self, threads: int | None = None) -> Executor:
        """Return who makes the parts; `threads` are those of all processes together.

        Raises
        ------
        InputError
            Where Ray is not installed, or no cluster takes this machine.
        """
        if self.executor == "ray":
            refuse_without_ray(self.address)
            return Ray(self.workers, self.address, threads)
        return executor_of(self.workers, threads)

    def share_of(self, found: FoundParts) -> list[Part]:
        """Return the parts to make."""
        if self.shard is None:
            return found.parts
        shard = _shard(self.shard)
        return [part for part in found.parts if part in shard]


def found_parts(
    texts: TextFile, out: Path | None, *reads: object, cache: Path | None = None, advice: str = ""
) -> FoundParts:
    """Find parts, and refuse a place for what is made of them that the command reads.

    Raises
    ------
    InputError
        Also where no place is named, or one that is not there and has the name of a file; and for
        a sheet: a workbook is no part.
    """
    if out is None:
        raise InputError("FILE is a folder or a glob of parts; name a folder with --out")
    if str(out) == "-":
        raise InputError("standard output is no place for parts; name a folder with --out")
    bare = out.with_suffix("") if out.suffix.lower() in COMPRESSED else out
    if bare.suffix.lower() in _FILES and not out.is_dir():
        raise InputError(
            "is named as one file, but of FILE, a folder or a glob of parts, a folder of Parquet "
            f"files is made; name a folder with --out, such as {bare.with_suffix('')}",
            path=out,
        )
    if texts.sheet is not None:
        raise InputError("--sheet is for .xlsx, which is no part; leave it out")
    refuse_read(out, places_read(reads))
    refuse_inside(out, cache=cache)
    return find_parts(texts.file, out, advice=advice)


def texts_settings(texts: TextFile, parts: PartsOptions) -> dict[str, Any]:
    """Return how texts are read, and what goes along: settings that all parts have in common."""
    settings: dict[str, Any] = {"text": texts.text}
    if isinstance(texts, TextsInLanguages):
        settings |= {"lang": texts.lang, "lang_column": texts.lang_column}
    return settings | {
        "keep": list(parts.kept), "quoting": texts.quoting, "encoding": texts.encoding,
    }  # fmt: skip


def job_of(
    module: str, task: TaskOptions, run: RunFacts, texts: TextFile, parts: PartsOptions, *,
    found: FoundParts, made_by: Executor, is_strict: bool,
    summary_of: SummaryOf,
) -> PartsJob:  # fmt: skip
    """Return what a run makes of its parts; `summary_of` takes the name of the corpus too."""
    lang = texts.lang if isinstance(texts, TextsInLanguages) else None
    if made_by.is_elsewhere:
        task = task.absolute()
    return PartsJob(
        module, msgspec.to_builtins(task), run, texts.format(), lang, parts.kept, versions(),
        partial(summary_of, name=found.root.resolve().name), is_strict,
    )  # fmt: skip


def make_parts(
    job: PartsJob, found: FoundParts, out: Path, options: PartsOptions, made_by: Executor
) -> RunReport:
    """Make the parts of a run, and say on standard error what came of them."""
    refuse_folder(out, job.run)
    for one in found.passed_over:
        logger.info("passed over: %s", one)
    parts = options.share_of(found)
    report = run_parts(job, parts, out, made_by)
    words = {"made": "made", "remade": "made again", "kept": "there already", "failed": "not read"}
    said = [f"{report.states[state]} {word}" for state, word in words.items()
            if state in report.states]  # fmt: skip
    if report.n_without_rows:
        said.append(f"{report.n_without_rows} of all without rows")
    of = "" if len(parts) == len(found.parts) else f" of {len(found.parts):,}"
    typer.echo(f"isogloss: {counted(len(parts), 'part')}{of}: {', '.join(said) or 'none'}",
               err=True)  # fmt: skip
    return report


def _shard(value: str) -> Shard:
    number, slash, of = value.partition("/")
    are_numbers = all(one.isdecimal() and len(one) < 10 for one in (number, of))
    if slash and are_numbers and 1 <= int(number) <= int(of):
        return Shard(int(number), int(of))
    raise InputError(f"--shard is '{value:.20}'; write it as 2/8, from 1/8 to 8/8")
