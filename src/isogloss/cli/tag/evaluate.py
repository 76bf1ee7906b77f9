"""``isogloss tag evaluate``: score a model language by language, with intervals."""

import json
from pathlib import Path
from typing import Annotated

import typer

from isogloss.cli import options
from isogloss.cli.groups import grouped
from isogloss.cli.output import console
from isogloss.cli.places import refuse_place
from isogloss.cli.tag.files import ColumnOptions, TaggedFiles, read_tagged
from isogloss.cli.tag.model import Model
from isogloss.errors import InputError
from isogloss.storage.files import atomic_directory, write_json
from isogloss.storage.sealed import sealed
from isogloss.tag.evaluation import evaluate_tagger


@grouped
def evaluate_command(
    saved: Model,
    test: Annotated[list[str], TaggedFiles],
    columns: ColumnOptions,
    output: options.Output,
    out: Annotated[
        Path | None,
        typer.Option(help="Folder to make: scores, those by tag or type, and confusions."),
    ] = None,
    overwrite: options.Overwrite = False,
) -> None:
    """Score a model language by language, with intervals."""
    if out is not None:
        refuse_place(
            out, saved.model, test, saved.encoder, saved.kb, overwrite=overwrite, makes="folder"
        )
    elif overwrite:
        raise InputError("--overwrite is for --out; give that too")
    (tests,) = read_tagged({"--test": test}, columns)
    scored = evaluate_tagger(
        saved.load().fitted_, tests.sentences, tests.tags, tests.langs, ids=tests.ids,
        where=tests.where,
    )  # fmt: skip
    if out is not None:
        with atomic_directory(out, overwrite=overwrite) as folder:
            facts = {"format": "isogloss tag scores", "version": 1} | scored.as_json()
            write_json(folder / "manifest.json", sealed(facts))
            scored.table().write(folder / "scores.md")
            scored.by_label.write(folder / "by_label.csv")
            scored.confusions.write(folder / "confusions.csv")
        typer.echo(f"isogloss: scores → {out}", err=True)
    if output.as_json:
        typer.echo(json.dumps(scored.as_json(), ensure_ascii=False))
    else:
        scored.table().render(console())
