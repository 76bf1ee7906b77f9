"""``isogloss tag predict``: the same file with other tags, or words and entities of raw text."""

import json
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from isogloss.cli import options
from isogloss.cli.groups import OnlyWith, grouped
from isogloss.cli.places import refuse_place
from isogloss.cli.streams import write_bytes
from isogloss.cli.tag.files import ColumnOptions
from isogloss.cli.tag.model import Model
from isogloss.data.column_files import ColumnFile, write_tagged
from isogloss.data.lines import open_lines
from isogloss.errors import counted, warn_omitted
from isogloss.storage.files import atomic_file
from isogloss.tag.fitted import Answers, FittedTagger
from isogloss.tag.raw_text import tagged_texts
from isogloss.text.languages import parse_language

TEXTS_AT_ONCE = 256
_FOR_COLUMNS = "is for column files; leave it out with --raw"


@grouped
def predict_command(
    saved: Model,
    lang: Annotated[str, typer.Option(help="Language of the text.")],
    columns: Annotated[ColumnOptions, OnlyWith("!raw", why=_FOR_COLUMNS)],
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE]", help="Column file, or text; - for standard input."),
    ] = "-",
    raw: Annotated[
        bool,
        typer.Option("--raw", help="FILE is text, a sentence a line; ICU cuts it into words."),
    ] = False,
    probabilities: Annotated[
        Path | None,
        typer.Option(
            help="JSON Lines to make: of each sentence its words, tags, and the probability of "
            "every tag of each word."
        ),
        OnlyWith("!raw", why=_FOR_COLUMNS),
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace what --probabilities names."),
        OnlyWith("probabilities", why="is for --probabilities; give that too"),
    ] = False,
    strict: options.Strict = False,
) -> None:
    """Tag words: a column file comes back with the tags in their column, all else as it was.

    With --raw, a JSON object a line: tokens with start, end, tag and p; and spans of entities.
    """
    if probabilities is not None:
        refuse_place(
            probabilities, saved.model, file, saved.encoder, saved.kb, overwrite=overwrite,
            makes="file", option="--probabilities",
        )  # fmt: skip
    lang = parse_language(lang)
    if raw:
        _tag_text(saved, file, lang)
        return
    read = columns.read(file, lang, needs_tags=False)
    fitted = saved.load().fitted_
    answers = fitted.answers(read.words, [lang] * len(read.words))
    tags = fitted.tags_of(answers)
    made = BytesIO()
    write_tagged(read, tags, made)
    say_without_piece(int((~answers.has_piece).sum()))  # before anything is kept, for --strict
    if probabilities is not None:
        with atomic_file(probabilities, overwrite=overwrite) as temporary:
            _write_probabilities(temporary, read, fitted, answers, tags)
    write_bytes(made.getvalue())


def say_without_piece(n: int) -> None:
    """Say how many words the encoder has no piece for, where there are any."""
    if n:
        warn_omitted(
            f"{counted(n, 'word')} without a piece in the encoder: the commonest tag is a guess "
            "from nothing"
        )


def _tag_text(saved: Model, file: str, lang: str) -> None:
    texts = [line for _, line in open_lines(Path(file))]
    fitted = saved.load().fitted_
    n_without_piece = 0
    for first in range(0, len(texts), TEXTS_AT_ONCE):
        tagged = tagged_texts(fitted, texts[first : first + TEXTS_AT_ONCE], lang)
        n_without_piece += tagged.n_without_piece
        for one in tagged.rows:
            typer.echo(json.dumps(one, ensure_ascii=False))
    say_without_piece(n_without_piece)


def _write_probabilities(
    path: Path, read: ColumnFile, fitted: FittedTagger, answers: Answers, tags: list[list[str]]
) -> None:
    starts = answers.starts.tolist()
    with path.open("w", encoding="utf-8") as lines:
        for place, sentence in enumerate(read.sentences):
            rows = answers.log_probabilities[starts[place] : starts[place + 1]]
            p = [dict(zip(fitted.tag_names, row.tolist(), strict=True)) for row in np.exp(rows)]
            one: dict[str, Any] = {"id": sentence.id} if sentence.id is not None else {}
            one |= {"words": sentence.words, "tags": tags[place], "p": p}
            lines.write(json.dumps(one, ensure_ascii=False) + "\n")
