"""``isogloss tag export``: a model as a directory of transformers."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import grouped
from isogloss.cli.places import refuse_place
from isogloss.cli.tag.model import Model
from isogloss.text.languages import parse_language


@grouped
def export_command(
    saved: Model,
    out: Annotated[Path, typer.Option(help="Directory to make, for transformers.")],
    lang: Annotated[
        str | None,
        typer.Option(help="Training language whose own head is written (default: that of all)."),
    ] = None,
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Write a model of first pieces in one layer for the pipelines of transformers."""
    refuse_place(out, saved.model, saved.encoder, saved.kb, overwrite=overwrite, makes="folder")
    from isogloss.tag.export import export_tagger

    code = None if lang is None else parse_language(lang)
    export_tagger(saved.load().fitted_, out, lang=code, overwrite=overwrite)
    typer.echo(f"isogloss: model for transformers → {out}", err=True)
