"""``isogloss reproduce``: a paper's tables measured again, beside the published figures."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import Given, OnlyWith, count, grouped
from isogloss.cli.output import console
from isogloss.cli.places import places_read, refuse_inside
from isogloss.cli.tuning import ONLY_TUNED, Schedule, TuneName
from isogloss.encode import Encoder
from isogloss.errors import InputError, counted
from isogloss.report.table import Table
from isogloss.reproduce.cells import CellFile, check_place, opened
from isogloss.reproduce.data import Paper as PaperName
from isogloss.reproduce.lines import Line, facts_of, table_of
from isogloss.reproduce.planning import needed, planned, spelt
from isogloss.reproduce.running import make_missing
from isogloss.reproduce.tasks import Asked, Paper, Task
from isogloss.storage.files import atomic_file, refuse_read


@dataclass(frozen=True, kw_only=True)
class Reproduced:
    """What is measured again, on what, and where it is kept."""

    paper: Annotated[PaperName, typer.Argument(help="Paper to measure again.")]
    data: Annotated[
        Path, typer.Option(help="Folder of the data sets; --plan says which, and where each goes.")
    ]
    out: Annotated[
        Path | None,
        typer.Option(
            help="Folder of the cells and the table; the same command goes on there (default: "
            "reproduce-PAPER)."
        ),
    ] = None
    plan: Annotated[
        bool, typer.Option("--plan", help="Say what is needed, found, and would run; run nothing.")
    ] = False

    @property
    def folder(self) -> Path:
        """Where it is kept."""
        return self.out or Path(f"reproduce-{self.paper}")


@dataclass(frozen=True, kw_only=True)
class Learned:
    """What models are learned with, in the papers that learn some."""

    kb: Annotated[
        Path | None,
        typer.Option(help="Knowledge base of the rows with entities."),
        OnlyWith("@boe", why="is for boe, whose models have entities; leave it out"),
    ] = None
    seeds: Annotated[
        int | None,
        count("Number of random seeds (default: pires 1, boe 10, as in the paper).", most=100),
        OnlyWith("@fits", why="is for pires and boe, which learn models; leave it out"),
    ] = None


@grouped
def reproduce(
    given: Given,
    asked: Reproduced,
    learned: Learned,
    schedule: Annotated[Schedule, ONLY_TUNED],
    encoder: options.EncoderOptions,
    output: options.Output,
    tune: Annotated[TuneName, OnlyWith("@fits", why="is for pires and boe; leave it out")] = "head",
) -> None:
    """Measure the tables of a paper again, beside the published figures: what is missing runs."""
    from isogloss.reproduce.papers import PAPERS

    paper, out = PAPERS[asked.paper], asked.folder
    given.refuse_useless({"@boe": asked.paper == "boe", "@fits": paper.fits})
    refuse_read(out, places_read([asked.data, encoder.encoder, learned.kb]))
    refuse_inside(out, cache=encoder.cache)
    check_place(out)
    sets = needed(asked.paper, asked.data)
    model = encoder.load(encoder_half=True, **encoder.reading)
    say_encoder(model)
    tasks = paper.tasks(
        Asked(
            asked.paper, model, asked.data, kb=learned.kb, seeds=learned.seeds, tune=tune,
            training=schedule.options(tune) or {}, is_plan=asked.plan,
        )
    )  # fmt: skip
    if asked.plan:
        _show_plan(paper, tasks, sets, out, model, as_json=output.as_json)
        return
    _refuse_nothing(tasks, asked.data)
    with opened(out) as kept:
        outcome = make_missing(tasks, kept, encoder=encoder.encoder)
        lines = [line for task in tasks for line in task.lines(kept)]
    if lines:
        _write(out, asked.paper, paper, tasks, lines)
    _show(paper, tasks, lines, as_json=output.as_json)
    typer.echo(
        f"isogloss: {counted(outcome.n_made, 'cell')} made, {outcome.n_kept:,} kept from before; "
        f"tables → {out}", err=True,
    )  # fmt: skip
    for failure in outcome.failures:
        typer.echo(f"isogloss: {failure}", err=True)
    if outcome.failures:
        raise InputError(
            f"{counted(len(outcome.failures), 'fault')} above; mend the data, and the same command "
            "runs what is missing"
        )


def _refuse_nothing(tasks: list[Task], data: Path) -> None:
    """Refuse data of which nothing can be measured.

    Raises
    ------
    InputError
        With what is wrong with the first of it.
    """
    if not any(task.cells for task in tasks):
        reasons = [one for task in tasks for one in (*task.failures, task.absent) if one]
        raise InputError(f"nothing can run: {reasons[0]}; --plan says what goes where", path=data)


def _show_plan(
    paper: Paper,
    tasks: list[Task],
    sets: list[dict[str, Any]],
    out: Path,
    encoder: Encoder,
    *,
    as_json: bool,
) -> None:
    plan = planned(tasks, CellFile(out) if out.is_dir() else None, encoder)
    failures = [f"{task.name}: {one}" for task in tasks for one in task.failures]
    if as_json:
        facts = {"data": sets, "tasks": plan.table.rows, "notes": plan.notes,
                 "not_built": [*paper.not_built], "failures": failures}  # fmt: skip
        typer.echo(json.dumps(facts, ensure_ascii=False, indent=2))
        return
    for row in sets:
        typer.echo(spelt(row))
    plan.table.render(console())
    for sentence in (*plan.notes, *_absent(tasks), *paper.not_built, *failures):
        typer.echo(sentence)


def _show(paper: Paper, tasks: list[Task], lines: list[Line], *, as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps(_document(paper, tasks, lines), ensure_ascii=False, indent=2))
        return
    if lines:
        table_of(lines).render(console())
    for sentence in (*_settings(tasks), *_absent(tasks), *paper.not_built):
        typer.echo(sentence)


def _write(out: Path, name: str, paper: Paper, tasks: list[Task], lines: list[Line]) -> None:
    """Write the table as Markdown and JSON, over that of a run before."""
    table = table_of(lines)
    said = "".join(f"- {one}\n" for one in (*_settings(tasks), *_absent(tasks), *paper.not_built))
    text = f"# {paper.title}\n\n{table.to_markdown()}\n{said}"
    document = json.dumps(_document(paper, tasks, lines), ensure_ascii=False, indent=2) + "\n"
    for ending, content in (("md", text), ("json", document)):
        with atomic_file(out / f"{name}.{ending}", overwrite=True) as file:
            file.write_text(content, encoding="utf-8")


def _document(paper: Paper, tasks: list[Task], lines: list[Line]) -> dict[str, Any]:
    rows = Table(facts_of(lines)).rows
    settings = {task.name: dict(task.settings) for task in tasks}
    return {"paper": paper.title, "rows": rows, "settings": settings,
            "not_built": [*paper.not_built]}  # fmt: skip


def _settings(tasks: list[Task]) -> list[str]:
    return [f"settings of {task.name}: {_spelt(task.settings)}" for task in tasks if task.settings]


def _absent(tasks: list[Task]) -> list[str]:
    said = {True: "not all is measured", False: "not measured"}
    return [
        f"{task.name}: {said[bool(task.cells)]}: {task.absent}" for task in tasks if task.absent
    ]


def _spelt(settings: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {value}" for name, value in settings.items())
