"""The group ``retrieve``, and its command ``evaluate``: how well an encoder finds translations."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer

from isogloss.arrays import Floats2d
from isogloss.cli import options
from isogloss.cli.encode import say_encoder
from isogloss.cli.groups import grouped
from isogloss.cli.output import console
from isogloss.cli.retrieve.index import index, search
from isogloss.encode import Encoder
from isogloss.errors import InputError
from isogloss.mine.pairs import mine_pairs
from isogloss.report.table import Table
from isogloss.retrieve.benchmarks import (
    Scored,
    evaluate_bucc,
    evaluate_sts,
    evaluate_tatoeba,
    evaluate_un,
)

app = typer.Typer(help="Search across languages, and how well it works.", no_args_is_help=True)


app.command()(index)
app.command()(search)


@app.command()
@grouped
def evaluate(
    encoder: options.EncoderOptions,
    output: options.Output,
    tatoeba: Annotated[
        Path | None, typer.Option(help="Folder of Tatoeba: tatoeba.XXX-eng.XXX and .eng.")
    ] = None,
    bucc: Annotated[
        Path | None, typer.Option(help="Folder of BUCC 2018: XX-en.SPLIT.XX, .en and .gold.")
    ] = None,
    un: Annotated[
        Path | None, typer.Option(help="Folder of the UN corpus's test set: UNv1.0.testset.LANG.")
    ] = None,
    sts: Annotated[
        Path | None, typer.Option(help="Folder of SemEval's STS: YEAR/PART.test.tsv.")
    ] = None,
) -> None:
    """Measure how well translations are found, and how cosines follow judged likeness."""
    if all(folder is None for folder in (tatoeba, bucc, un, sts)):
        raise InputError("nothing to measure on; give --tatoeba, --bucc, --un or --sts")
    model = encoder.load(**encoder.reading)
    say_encoder(model)
    vectors = _unit(model)
    measures: dict[str, tuple[Path | None, Callable[[Path], Scored]]] = {
        "tatoeba": (tatoeba, lambda folder: evaluate_tatoeba(folder, vectors)),
        "bucc": (bucc, lambda folder: evaluate_bucc(folder, _mine(vectors))),
        "un": (un, lambda folder: evaluate_un(folder, vectors)),
        "sts": (sts, lambda folder: evaluate_sts(folder, vectors)),
    }
    found = {
        name: measure(folder) for name, (folder, measure) in measures.items() if folder is not None
    }
    if output.as_json:
        document = {
            name: {"rows": _json(one.rows), "means": _json(one.means)}
            for name, one in found.items()
        }
        typer.echo(json.dumps(document, ensure_ascii=False, indent=2, allow_nan=False))
        return
    for name, one in found.items():
        Table(one.rows, caption=name).render(console())
        if one.means:
            Table(one.means).render(console())


def _json(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return Table(rows).rows


def _unit(encoder: Encoder) -> Callable[[list[str]], Floats2d]:
    def vectors(texts: list[str]) -> Floats2d:
        return encoder.encode(texts, normalize=True)  # type: ignore[return-value]

    return vectors


def _mine(vectors: Callable[[list[str]], Floats2d]) -> Callable[..., tuple[Any, Any, Any]]:
    def mine(firsts: list[str], seconds: list[str]) -> tuple[Any, Any, Any]:
        found = mine_pairs(vectors(firsts), vectors(seconds))
        return found.sources, found.targets, found.scores

    return mine
