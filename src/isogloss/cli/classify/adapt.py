"""``isogloss classify adapt``: learn from unlabelled text how a language's vectors are shifted."""

import json
from collections.abc import Container
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from isogloss.classify.adaptation import Adaptation, adapt, texts_to_adapt_to
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.saving.manifest import refuse_other_files
from isogloss.cli import options
from isogloss.cli.classify.model import Model
from isogloss.cli.groups import Given, OnlyWith, grouped
from isogloss.cli.output import console
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.data.documents import read_documents
from isogloss.errors import InputError, counted
from isogloss.report.table import Table
from isogloss.storage.files import refuse_unwritable
from isogloss.text.languages import parse_language

_READS = OnlyWith("!remove", why="is of no use with --remove, which reads no texts")


@dataclass(frozen=True, kw_only=True)
class AdaptedModel(Model):
    """The model, of whose options --device alone says something where no text is read."""

    threads: Annotated[options.Threads, _READS] = None


@grouped
def adapt_command(
    given: Given,
    saved: AdaptedModel,
    texts: Annotated[options.TextFile, _READS],
    output: options.Output,
    lang: Annotated[str, typer.Option(help="Language of the texts.")],
    out: Annotated[
        Path | None,
        typer.Option(help="Directory of the adapted model (default: MODEL itself is changed)."),
    ] = None,
    remove: Annotated[
        bool, typer.Option("--remove", help="Take back an earlier adaptation; reads no file.")
    ] = False,
    cache: Annotated[options.Cache, _READS] = None,
    overwrite: Annotated[
        options.Overwrite,
        OnlyWith("out", why="is for --out; without that, MODEL itself is changed"),
    ] = False,
) -> None:
    """Adapt a model to a language from unlabelled text of your own domain, or say why not."""
    code = parse_language(lang)
    model = saved.model
    if out is not None:
        refuse_place(out, model, texts.file, saved.kb, saved.encoder, overwrite=overwrite,
                     makes="folder")  # fmt: skip
    refuse_inside(out or model, option="MODEL" if out is None else "--out", cache=cache)
    about = saved.about(given)
    if out is None:
        refuse_unwritable(model)
        refuse_other_files(model)
    chosen: list[str] = []
    if not remove:
        read = read_documents(texts.file, format=texts.format(), needs_label=False).texts
        chosen = texts_to_adapt_to(code, read, lack=about.lack)
    elif code not in about.corrections:
        adapted = ", ".join(sorted(about.corrections)) or "none"
        raise InputError(f"the model is not adapted to {code}; adapted: {adapted}", path=model)
    loaded = saved.load(cache)
    outcome = None
    if remove:
        loaded = loaded.with_correction(code, None)
    else:
        outcome = adapt(loaded, code, chosen)
        if outcome.correction is not None:
            loaded = loaded.with_correction(code, outcome.correction)
    place = model.resolve() if out is None else out  # of a link, what it leads to
    is_written = outcome is None or outcome.accepted  # else a warning has said why
    if is_written:
        from isogloss.classify.saving.save import save_classifier

        save_classifier(loaded, place, embed_kb=False, overwrite=True)  # before it is said
    if output.as_json:
        shown = {"lang": code, "removed": True} if outcome is None else outcome.as_json()
        typer.echo(json.dumps(shown, ensure_ascii=False))
    elif outcome is None:
        typer.echo(f"{code}: its correction is removed")
    else:
        print_adaptation(outcome)
    if is_written:
        typer.echo(f"isogloss: model → {place}", err=True)


def say_corrections(model: FittedClassifier, langs: Container[str]) -> None:
    """Say on standard error which of these languages are corrected."""
    for lang, correction in model.corrections.items():
        if lang in langs:
            texts = counted(correction.n_texts, "text")
            typer.echo(f"isogloss: corrected: {lang}, {texts}", err=True)


def print_adaptation(outcome: Adaptation) -> None:
    """Print what came of it on standard output; a warning says why it was declined."""
    if outcome.accepted:
        typer.echo(f"{outcome.lang}: corrected, {counted(outcome.n_texts, 'different text')}")
    if outcome.class_priors is None:
        return
    typer.echo(
        f"distance {outcome.distance:.2f}, scale {outcome.scale:.2f}, separation "
        f"{outcome.separation:.2f}, prior shift {outcome.prior_shift:.2f}; "
        f"{counted(outcome.n_changed or 0, 'text')} with another label than before"
    )
    rows = [
        {"label": str(label), "class prior": prior} for label, prior in outcome.class_priors.items()
    ]
    Table(rows).render(console())
