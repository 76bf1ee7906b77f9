"""``isogloss tag predict``: the same file with other tags, or words and entities of raw text."""

import json
from io import BytesIO
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from isogloss.cli import options
from isogloss.cli.groups import Given, OnlyWith, grouped
from isogloss.cli.parts import PartsOptions
from isogloss.cli.places import places_read, refuse_place
from isogloss.cli.streams import write_bytes
from isogloss.cli.tag.files import ColumnOptions, ColumnPlace
from isogloss.cli.tag.model import Model
from isogloss.cli.tag.tagged_parts import TaggedParts, tag_parts
from isogloss.data.column_files import ColumnFile, write_tagged
from isogloss.data.encodings import UTF_8
from isogloss.data.lines import open_lines
from isogloss.errors import InputError
from isogloss.parts.finding import is_many
from isogloss.parts.folder import refuse_folder
from isogloss.storage.files import atomic_file, refuse_read
from isogloss.tag.fitted import Answers, FittedTagger
from isogloss.tag.raw.texts import say_without_piece, tagged_texts, texts_at_once
from isogloss.text.languages import parse_language

_WHY = "is for column files; leave it out with --raw"
_FOR_COLUMNS = OnlyWith("!raw", why=_WHY)
_NOT_OF_PARTS = OnlyWith("!@parts", why="is for column files, and parts are rows of texts")


@grouped
def predict_command(
    given: Given,
    saved: Model,
    columns: Annotated[ColumnPlace, _FOR_COLUMNS, _NOT_OF_PARTS],
    made: TaggedParts,
    parts: PartsOptions,
    file: Annotated[
        str,
        typer.Argument(metavar="[FILE]", help="Column file, or text; - for standard input."),
    ] = "-",
    lang: Annotated[
        str | None,
        typer.Option(help="Language of the text; of parts also 'auto': detect that of each."),
    ] = None,
    encoding: Annotated[options.Encoding, OnlyWith("!raw", "@parts", why=_WHY)] = UTF_8,
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
        _FOR_COLUMNS,
        _NOT_OF_PARTS,
    ] = None,
    overwrite: Annotated[
        bool,
        typer.Option("--overwrite", help="Replace what --probabilities names."),
        OnlyWith("probabilities", why="is for --probabilities; give that too"),
    ] = False,
    strict: options.Strict = False,
) -> None:
    """Tag words: a column file comes back with the tags in their column, all else as it was.

    With --raw, a JSON object a line: tokens with start, end, tag and p; and spans of entities. FILE
    may be a folder or a glob of parts, 'in/*.parquet', whose texts are tagged so: each becomes a
    part of --out, and none is done twice.
    """
    if made.out is not None:
        refuse_read(made.out, places_read([saved.model, file, saved.encoder, saved.kb]))
        refuse_folder(made.out)
    given.refuse_useless({"@parts": is_many(file), "raw": raw})
    if is_many(file):
        texts = made.texts(file, lang=lang, encoding=encoding)
        tag_parts(saved, texts, parts, made.out, is_strict=strict)
        return
    if probabilities is not None:
        refuse_place(
            probabilities, saved.model, file, saved.encoder, saved.kb, overwrite=overwrite,
            makes="file", option="--probabilities",
        )  # fmt: skip
    if lang is None:
        raise InputError("the language is missing; give --lang CODE")
    lang = parse_language(lang)
    if raw:
        _tag_text(saved, file, lang)
        return
    place = ColumnOptions(column=columns.column, format=columns.format, encoding=encoding)
    _tag_columns(saved, place.read(file, lang, needs_tags=False), lang, probabilities,
                 overwrite=overwrite)  # fmt: skip


def _tag_columns(
    saved: Model, read: ColumnFile, lang: str, probabilities: Path | None, *, overwrite: bool
) -> None:
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


def _tag_text(saved: Model, file: str, lang: str) -> None:
    read = list(open_lines(Path(file)))
    lines, texts = [number for number, _ in read], [line for _, line in read]
    fitted = saved.load().fitted_
    n_without_piece = 0
    for place in texts_at_once(texts, lines, "standard input" if file == "-" else file):
        some = texts[place]
        tagged = tagged_texts(fitted, some, [lang] * len(some))
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
