"""``isogloss retrieve evaluate``: benchmarks, published figures beside, a report."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.align.export.record import Record
from isogloss.arrays import Floats2d
from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.mine.pairs import mine_pairs
from isogloss.report.retrieval import write_retrieval_report
from isogloss.report.table import Table
from isogloss.retrieve.benchmark_files import refuse_without_files
from isogloss.retrieve.benchmarks import (
    evaluate_bucc,
    evaluate_sts,
    evaluate_tatoeba,
    evaluate_un,
)
from isogloss.retrieve.published import SEEN, sources
from isogloss.retrieve.scored import Scored
from isogloss.text.languages import parse_language

Vectors = Callable[[list[str]], Floats2d]
_MINOR = ("LaBSE (published, paper)", "multilingual-e5-small (published)", "from_en")


@dataclass(frozen=True, kw_only=True)
class Benchmarks:
    """What is measured on."""

    tatoeba: Annotated[
        Path | None, typer.Option(help="Folder of Tatoeba: tatoeba.XXX-eng.XXX and .eng.")
    ] = None
    bucc: Annotated[
        Path | None, typer.Option(help="Folder of BUCC 2018: XX-en.SPLIT.XX, .en and .gold.")
    ] = None
    un: Annotated[
        Path | None, typer.Option(help="Folder of the UN corpus's test set: UNv1.0.testset.LANG.")
    ] = None
    sts: Annotated[
        Path | None, typer.Option(help="Folder of SemEval's STS: YEAR/PART.test.tsv.")
    ] = None
    seen: Annotated[
        str | None,
        typer.Option(
            help="Languages that the encoder was trained on, as en,sw,zh: Tatoeba's others are "
            "zero-shot (default: those of the bundled encoder, and of what was made from it).",
            metavar="LANGS",
        ),
        OnlyWith("tatoeba", why="is for --tatoeba; give that too"),
    ] = None

    def seen_by(self, encoder: str) -> frozenset[str] | None:
        """Return the languages that an encoder was trained on; None where it is not known."""
        if self.seen is not None:
            return frozenset(map(parse_language, filter(None, self.seen.split(","))))
        record = Record.of(encoder)
        known = SEEN.get(record.base)
        return None if known is None else known | set(record.langs)

    def measure(self, vectors: Vectors, *, seen: frozenset[str] | None) -> dict[str, Scored]:
        """Return the scores of each benchmark that was given."""
        measures: dict[str, Callable[[Path], Scored]] = {
            "tatoeba": lambda folder: evaluate_tatoeba(folder, vectors, seen=seen),
            "bucc": lambda folder: evaluate_bucc(folder, _mine(vectors)),
            "un": lambda folder: evaluate_un(folder, vectors),
            "sts": lambda folder: evaluate_sts(folder, vectors),
        }
        given = {name: getattr(self, name) for name in measures}
        return {
            name: measures[name](folder) for name, folder in given.items() if folder is not None
        }


@dataclass(frozen=True, kw_only=True)
class ReportFile:
    """The report that is made."""

    report: Annotated[
        Path | None, typer.Option(help="HTML report to make, with a chart of Tatoeba's languages.")
    ] = None
    overwrite: options.OverwriteReport = False


@grouped
def evaluate_command(
    encoder: options.EncoderOptions,
    benchmarks: Benchmarks,
    made: ReportFile,
    output: options.Output,
) -> None:
    """Measure how well translations are found, and how cosines follow judged likeness."""
    folders = (benchmarks.tatoeba, benchmarks.bucc, benchmarks.un, benchmarks.sts)
    if all(folder is None for folder in folders):
        raise InputError("nothing to measure on; give --tatoeba, --bucc, --un or --sts")
    if made.report is not None:
        refuse_place(
            made.report, *folders, encoder.encoder, overwrite=made.overwrite, makes="file",
            option="--report",
        )  # fmt: skip
        refuse_inside(made.report, option="--report", cache=encoder.cache)
    seen = benchmarks.seen_by(encoder.encoder)
    refuse_without_files(
        tatoeba=benchmarks.tatoeba, bucc=benchmarks.bucc, un=benchmarks.un, sts=benchmarks.sts
    )
    model = encoder.load(**encoder.reading)
    say_encoder(model)
    found = benchmarks.measure(_unit(model), seen=seen)
    tables = {
        name: [Table(one.rows, caption=name, minor=_MINOR), Table(one.means, minor=_MINOR)]
        for name, one in found.items()
    }
    notes = sources(row for one in found.values() for row in (*one.rows, *one.means))
    if output.as_json:
        document: dict[str, Any] = {
            name: {"rows": rows.rows, "means": means.rows} for name, (rows, means) in tables.items()
        }
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
    else:
        for rows, means in tables.values():
            rows.render(console())
            if means.rows:
                means.render(console())
        for note in notes:
            typer.echo(f"isogloss: {note}", err=True)
    if made.report is not None:
        write_retrieval_report(
            made.report, title=f"Retrieval by {encoder.encoder}", tables=tables, notes=notes,
            overwrite=made.overwrite,
        )  # fmt: skip
        typer.echo(f"isogloss: report → {made.report}", err=True)


def _unit(encoder: Encoder) -> Vectors:
    def vectors(texts: list[str]) -> Floats2d:
        return encoder.encode(texts, normalize=True)  # type: ignore[return-value]

    return vectors


def _mine(vectors: Vectors) -> Callable[..., tuple[Any, Any, Any]]:
    def mine(firsts: list[str], seconds: list[str]) -> tuple[Any, Any, Any]:
        found = mine_pairs(vectors(firsts), vectors(seconds))
        return found.sources, found.targets, found.scores

    return mine
