"""``isogloss classify export``: a model as others run it, sentence-transformers or onnxruntime."""

from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.cli import options
from isogloss.cli.classify.model import Model
from isogloss.cli.groups import Given, OnlyWith, grouped
from isogloss.cli.places import refuse_place
from isogloss.text.languages import parse_language


@grouped
def export_command(
    given: Given,
    saved: Model,
    out: Annotated[Path, typer.Option(help="Folder to make.")],
    form: Annotated[
        Literal["sentence-transformers", "onnx"],
        typer.Option("--format", help="What is made: modules of that library, or a graph."),
    ] = "sentence-transformers",
    lang: Annotated[
        str | None,
        typer.Option(
            help="Adapted language whose correction is written (default: as all others are "
            "answered)."
        ),
        OnlyWith("@adapted", why="is for an adapted model, and this one is not; leave it out"),
    ] = None,
    without_entities: Annotated[
        bool,
        typer.Option("--without-entities", help="Leave out the entities of the knowledge base."),
        OnlyWith(
            "@entities", why="is for entities, and the model has no knowledge base; leave it out"
        ),
    ] = False,
    overwrite: options.Overwrite = False,
) -> None:
    """Write a model for others to run: its logits by sentence-transformers or onnxruntime."""
    refuse_place(out, saved.model, saved.encoder, saved.kb, overwrite=overwrite, makes="folder")
    code = None if lang is None else parse_language(lang)
    about = saved.about(given)
    given.refuse_useless({"@adapted": bool(about.corrections)})
    if form == "onnx":
        from isogloss.learn.export.graph import refuse_without_onnx

        refuse_without_onnx()
    from isogloss.classify.export.exporter import export_classifier

    made = export_classifier(
        saved.load(), out, form=form, lang=code, without_entities=without_entities,
        overwrite=overwrite,
    )  # fmt: skip
    for note in made.notes:
        typer.echo(f"isogloss: {note}", err=True)
    typer.echo(
        f"isogloss: probabilities of 100 texts in ten scripts differ by {made.difference:.1e} at "
        "most",
        err=True,
    )
    typer.echo(f"isogloss: model → {out}", err=True)
