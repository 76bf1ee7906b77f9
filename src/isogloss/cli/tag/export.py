"""``isogloss tag export``: a model as a directory of transformers."""

from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import grouped
from isogloss.cli.places import refuse_place
from isogloss.cli.tag.model import Model


@grouped
def export_command(
    saved: Model,
    out: Annotated[Path, typer.Option(help="Directory to make, for transformers.")],
    overwrite: options.Overwrite = False,
    strict: options.Strict = False,
) -> None:
    """Write a model of first pieces in one layer for the pipelines of transformers."""
    refuse_place(out, saved.model, saved.encoder, saved.kb, overwrite=overwrite, makes="folder")
    from isogloss.tag.export import export_tagger

    export_tagger(saved.load().fitted_, out, overwrite=overwrite)
    typer.echo(f"isogloss: model for transformers → {out}", err=True)
