"""``isogloss data``: data sets as published → files that the other commands read."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.data.shinra import join_shinra
from isogloss.errors import counted

app = typer.Typer(help="Data sets as published → files of labelled texts.", no_args_is_help=True)


@app.callback()
def _group() -> None:
    """Keep ``shinra`` a command of a group, though it is the only one."""


@app.command()
def shinra(
    labels: Annotated[Path, typer.Option(help="Training data of a language, as published.")],
    texts: Annotated[Path, typer.Option(help="CirrusSearch dump of the same Wikipedia.")],
    out: Annotated[Path, typer.Option(help="JSON Lines to make.")],
    field: Annotated[
        str, typer.Option(help="Field of the dump with the text; 'opening_text' is the beginning.")
    ] = "text",
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Join the labels of SHINRA2020-ML with the texts of their pages, by page id."""
    counts = join_shinra(labels, texts, out, field=field, overwrite=overwrite)
    typer.echo(
        f"isogloss: {counted(counts.n_written, 'page')} → {out}; "
        f"{counted(counts.n_unlabelled, 'page')} of the dump without labels",
        err=True,
    )
