"""What the commands of `probe` share: which encoders, where tables go, how they are printed."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import OnlyWith
from isogloss.cli.output import console
from isogloss.probe.result import ProbeResult
from isogloss.report.table import Table

OUT = typer.Option(help="Folder to make: all tables, and curves over the layers.")
Encoders = Annotated[
    list[str],
    typer.Option(
        help="Encoder: 'bundled', a directory, or a name on the Hugging Face hub; may be repeated."
    ),
]
OverwriteOut = Annotated[options.Overwrite, OnlyWith("out", why="is for --out; give that too")]


def say_written(out: Path) -> None:
    """Say on standard error where the tables are."""
    typer.echo(f"isogloss: tables and curves → {out}", err=True)


def print_result(result: ProbeResult, tables: Sequence[Table], *, as_json: bool) -> None:
    """Print tables and notes, or all as one JSON document."""
    if as_json:
        typer.echo(json.dumps(result.to_json(), ensure_ascii=False, indent=2, allow_nan=False))
        return
    for note in result.notes:
        typer.echo(f"isogloss: {note}", err=True)
    for table in tables:
        table.render(console())
