"""``isogloss classify predict --out``: the rows of a file with their answers, in a file."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from isogloss.classify.answers.answers import Answering
from isogloss.classify.answers.columns import AnswerColumns
from isogloss.classify.answers.files import AnswerTask, answer_file
from isogloss.classify.answers.summary import Summary, summary_path
from isogloss.classify.audit.saved import audits_of
from isogloss.classify.fitted import FittedClassifier
from isogloss.classify.saving.manifest import Manifest
from isogloss.cli import options
from isogloss.cli.classify.model import Model
from isogloss.cli.groups import OnlyWith
from isogloss.cli.languages import LanguageCounts
from isogloss.cli.parts import OVERWRITES_ONE
from isogloss.cli.places import refuse_inside, refuse_place
from isogloss.cli.texts import advised
from isogloss.data.row_files.writing import RowTarget
from isogloss.data.row_languages import check_language
from isogloss.errors import counted
from isogloss.parts.folder import SUMMARY
from isogloss.parts.source import RowSource
from isogloss.totals import told_with_totals

_FOR_OUT = OnlyWith("out", why="is for a file of answers; give --out too")


@dataclass(frozen=True, kw_only=True)
class AnsweredFile:
    """The file that is made of the rows and their answers."""

    out: Annotated[
        Path | None,
        typer.Option(
            help="File to make: the rows of FILE, as they are, with their answers; by its ending "
            "CSV, TSV, JSON Lines or Parquet. A summary is put beside it. Of a folder or glob of "
            "parts: folder of a Parquet part for each."
        ),
    ] = None
    prefix: Annotated[
        str | None,
        typer.Option(help="Put before the name of each new column (default: nothing)."),
        _FOR_OUT,
    ] = None
    scores: Annotated[
        bool, typer.Option("--scores", help="Add a column with the probability of each class."),
        _FOR_OUT,
    ] = False  # fmt: skip
    excel: Annotated[
        bool,
        typer.Option(
            "--excel",
            help="Write CSV or TSV for a spreadsheet: with a byte-order mark, and an apostrophe "
            "before cells that it would compute.",
        ),
        _FOR_OUT,
        OnlyWith(
            "!@parts",
            why="is for one file, .csv or .tsv; parts are Parquet, so leave it out, and make a "
            "table of them afterwards (docs/parts.md)",
        ),
    ] = False
    examples: Annotated[
        bool,
        typer.Option("--examples", help="Add a column with the nearest training texts, as JSON."),
        _FOR_OUT,
        OnlyWith(
            "@examples",
            why="is for training texts, and the model keeps none; fit it with --keep-examples",
        ),
    ] = False
    overwrite: Annotated[options.Overwrite, _FOR_OUT, OnlyWith("!@parts", why=OVERWRITES_ONE)] = (
        False
    )

    def refuse_places(self, saved: Model, file: str, cache: Path | None) -> None:
        """Refuse places that are taken, cannot be written, or are read by the command."""
        if self.out is None:
            return
        for place in (self.out, summary_path(self.out)):
            refuse_place(
                place, saved.model, file, saved.kb, saved.encoder, overwrite=self.overwrite,
                makes="file",
            )  # fmt: skip
        refuse_inside(self.out, cache=cache)


def answer_to_file(
    made: AnsweredFile,
    saved: Model,
    about: Manifest,
    texts: options.TextsInLanguages,
    *,
    fallback_lang: str | None,
    abstain_below: float | None,
    cache: Path | None,
) -> tuple[FittedClassifier, Summary]:
    """Write the rows of a file with their answers; return the model that answered, and the summary.

    What is wrong with the file, its columns or its languages is said before the model is loaded.
    """
    assert made.out is not None
    target = RowTarget(made.out, quotes=texts.quoting != "none", excel=made.excel)
    columns = AnswerColumns.of(
        about, prefix=made.prefix or "", with_scores=made.scores, with_examples=made.examples
    )
    source = RowSource(Path(texts.file), texts.format(), texts.lang)
    check_language(
        texts.lang, has_column=texts.lang_column is not None, is_needed=about.uses_language
    )
    settings = {
        "text": texts.text, "lang": texts.lang, "lang_column": texts.lang_column,
        "fallback_lang": fallback_lang, "abstain_below": abstain_below,
    }  # fmt: skip
    with told_with_totals():
        with advised(texts.file, f"classify predict {saved.model}"):
            rows = source.opened()
        target.refuse_misfit(rows, columns.added)
        loaded = saved.load(cache)
        answering = Answering(loaded, fallback_lang, abstain_below, with_examples=made.examples)
        task = AnswerTask(
            answering, columns, model_name=saved.model.resolve().name, settings=settings,
            needs_language=about.uses_language, overwrite=made.overwrite,
            audits=audits_of(saved.model),
        )  # fmt: skip
        return loaded, answer_file(task, source, target, opened=rows)


def summary_place(out: Path) -> Path:
    """Return where the summary of a file or of a folder of parts lies."""
    return out / SUMMARY if out.is_dir() else summary_path(out)


def say_answers(summary: Summary, out: Path, counts: LanguageCounts, *, as_json: bool) -> None:
    """Say on standard error what came of each language, and where; print the summary as JSON."""
    for one in summary.languages:
        flags = {"cut": one.status.get("cut", 0)}
        if one.share_linked is not None:
            flags = {"linked": round(one.share_linked * one.n)} | flags
        if summary.settings["abstain_below"] is not None:
            flags["without_a_label"] = one.status.get("abstained", 0)
        counts.add_counts(one.lang, one.n, **flags)
    counts.say()
    rows, place = counted(summary.data.n_rows, "row"), summary_place(out)
    typer.echo(f"isogloss: {rows} → {out}, summary → {place}", err=True)
    if as_json:
        typer.echo(json.dumps(msgspec.to_builtins(summary), ensure_ascii=False))
