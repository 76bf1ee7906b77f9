"""Column files on the command line: ``--train en=FILE``, and how their columns are read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Literal

import typer

from isogloss.cli import options
from isogloss.cli.places import refuse_piped_twice, refuse_same_file
from isogloss.data.column_files import ColumnFile, ColumnSentence, read_column_file
from isogloss.data.encodings import UTF_8
from isogloss.errors import InputError
from isogloss.tag.schemes import Place
from isogloss.text.languages import parse_language_file

TaggedFiles = typer.Option(
    help="Tagged sentences, a word a line: CoNLL-U, CoNLL-2002/2003, WikiANN, UNER; may be "
    "repeated.",
    metavar="LANG=FILE",
)


@dataclass(frozen=True, kw_only=True)
class ColumnPlace:
    """Where column files have their tags."""

    column: Annotated[
        str | None,
        typer.Option(
            help="Column of the tags: 'upos', 'xpos', 'ner', or its number from 1 (default: upos "
            "of CoNLL-U, the entities of others).",
            metavar="NAME",
        ),
    ] = None
    format: Annotated[
        Literal["auto", "conllu", "conll", "wikiann", "uner"],
        typer.Option(help="Format of the files (default: found out)."),
    ] = "auto"


@dataclass(frozen=True, kw_only=True)
class ColumnOptions(ColumnPlace):
    """How column files are read."""

    encoding: options.Encoding = UTF_8

    def read(self, source: str | Path, lang: str, *, needs_tags: bool) -> ColumnFile:
        """Read a file of a language; ``-`` is standard input."""
        file = read_column_file(
            source,
            column=self.column,
            format=self.format,
            encoding=self.encoding,
            needs_tags=needs_tags,
        )
        file.say_other_language(lang)
        return file


@dataclass
class TaggedSentencesOfFiles:
    """Sentences of an option's files, one file after the other, and where each was read."""

    sentences: list[list[str]] = field(default_factory=list)
    tags: list[list[str]] = field(default_factory=list)
    langs: list[str] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    places: list[tuple[Path, list[int]]] = field(default_factory=list)

    def add(self, file: ColumnFile, lang: str) -> None:
        """Add the sentences of a file that has tags."""
        for sentence in file.sentences:
            self.sentences.append(sentence.words)
            self.tags.append(_tags(sentence))
            self.langs.append(lang)
            self.ids.append(sentence.id)
            self.places.append((file.path, sentence.lines))

    def where(self, sentence: int, word: int) -> Place:
        """Return file and line of a word."""
        path, lines = self.places[sentence]
        return Place(path, lines[word])

    def __len__(self) -> int:
        return len(self.sentences)


def read_tagged(
    values: Mapping[str, Sequence[str] | None], columns: ColumnOptions
) -> list[TaggedSentencesOfFiles]:
    """Read the files of repeated options.

    Parameters
    ----------
    values
        Option to its values, each ``LANG=FILE``.

    Raises
    ------
    InputError
        When a file or standard input is named twice, a value has no language, and as
        `read_column_file`.
    """
    given = {
        option: [parse_language_file(value) for value in some or ()]
        for option, some in values.items()
    }
    refuse_piped_twice([value for some in values.values() for value in some or ()])
    refuse_same_file([(option, one.path) for option, some in given.items() for one in some])
    found = []
    for option, some in given.items():
        read = TaggedSentencesOfFiles()
        for one in some:
            read.add(columns.read(one.path, one.lang, needs_tags=True), one.lang)
        if some and not len(read):
            raise InputError(f"{option} has no sentence; give a file with words")
        found.append(read)
    return found


def _tags(sentence: ColumnSentence) -> list[str]:
    if sentence.tags is None:
        raise AssertionError("the reader was asked for tags")
    return sentence.tags
