"""Texts of the commands that pre-train: files, dumps of Wikipedias, and both sides of pairs."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Annotated

import typer

from isogloss.align.sentence_pairs import Pairs
from isogloss.cli import options
from isogloss.cli.places import refuse_piped_twice, refuse_same_file, refuse_same_pairs
from isogloss.data.blocks import read_blocks
from isogloss.data.documents import FileFormat
from isogloss.data.lines import STANDARD_INPUT, opened
from isogloss.data.pairs import PairFile, parse_pair_file, read_pairs
from isogloss.errors import InputError
from isogloss.kb.build.source import Source
from isogloss.text.languages import parse_language_file
from isogloss.wiki.dump.texts import paragraphs

WIKIPEDIA = "wikipedia:"
PairFiles = Annotated[list[str] | None, options.PAIRS]


class Anew:
    """Texts that are read from their files each time they are gone through."""

    def __init__(self) -> None:
        self.parts: list[Callable[[], Iterator[str]]] = []

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(part() for part in self.parts)


@dataclass(frozen=True, kw_only=True)
class Monolingual:
    """Texts of single languages."""

    text: Annotated[
        list[str] | None,
        typer.Option(
            help="Texts of a language: plain text, TSV, CSV, JSON Lines or Parquet; may be "
            "repeated.",
            metavar="LANG=FILE",
        ),
    ] = None
    mono: Annotated[
        list[str] | None,
        typer.Option(
            help="Paragraphs of the articles of a Wikipedia; may be repeated.",
            metavar="en=wikipedia:DUMP",
        ),
    ] = None

    def files(self) -> list[Path]:
        """Return the files that are read."""
        dumps = [_source(value).path for value in self.mono or ()]
        return [*(parse_language_file(value).path for value in self.text or ()), *dumps]

    def texts(self) -> dict[str, Anew]:
        """Return the texts of each language; files are opened when they are gone through.

        Raises
        ------
        InputError
            For another form or an unknown language.
        """
        found = texts_of(self.text)
        for value in self.mono or ():
            source = _source(value)
            found.setdefault(source.lang, Anew()).parts.append(
                partial(paragraphs, source.path, code=source.code)
            )
        return found


def texts_of(values: list[str] | None) -> dict[str, Anew]:
    """Return the texts of ``LANG=FILE`` arguments."""
    found: dict[str, Anew] = {}
    for value in values or ():
        file = parse_language_file(value)
        found.setdefault(file.lang, Anew()).parts.append(partial(_lines, file.path))
    return found


def pair_files(values: list[str] | None) -> list[PairFile]:
    """Return what ``--pairs`` names."""
    return [parse_pair_file(value) for value in values or ()]


def read_pair_files(files: list[PairFile]) -> Pairs:
    """Read files of pairs; the language of a pair is that of both its sides, ``en-sw``."""
    sources: list[str] = []
    targets: list[str] = []
    langs: list[str] = []
    for file in files:
        found = read_pairs(file)
        sources += found.firsts
        targets += found.seconds
        langs += [f"{file.first}-{file.second}"] * len(found.firsts)
    return Pairs(sources, targets, langs)


def refuse_read_twice(
    monolingual: Monolingual, pairs: list[PairFile], *, dev: Sequence[str] = (),
    dev_pairs: Sequence[PairFile] = (),
) -> None:  # fmt: skip
    """Refuse a file that is given twice, also for training and development."""
    refuse_piped_twice([*(monolingual.text or ()), *(monolingual.mono or ()), *dev])
    texts = [("--text", parse_language_file(value).path) for value in monolingual.text or ()]
    dumps = [("--mono", _source(value).path) for value in monolingual.mono or ()]
    judged = [("--dev", parse_language_file(value).path) for value in dev]
    refuse_same_file([*texts, *dumps, *judged])
    refuse_same_pairs({"--pairs": pairs, "--dev-pairs": dev_pairs})


def with_sides(texts: dict[str, Anew], files: list[PairFile]) -> dict[str, Anew]:
    """Add both sides of pairs to the texts of their languages."""
    for file in files:
        pairs = read_pairs(file)
        for lang, side in ((file.first, pairs.firsts), (file.second, pairs.seconds)):
            texts.setdefault(lang, Anew()).parts.append(partial(iter, side))
    return texts


def refuse_unreadable(paths: Sequence[Path]) -> None:
    """Open each file once, so that what is missing is said before the first is gone through."""
    for path in paths:
        if not path.is_fifo():  # it can be opened once
            with opened(path):
                pass


def refuse_piped(paths: list[Path], *, why: str) -> None:
    """Raise `InputError` for standard input, which can be gone through once."""
    if STANDARD_INPUT in paths:
        raise InputError(f"standard input can be read once, and {why}; name a file")


def _lines(path: Path) -> Iterator[str]:
    for block in read_blocks(path, format=FileFormat(fixed_by="--text")):
        yield from block.texts


def _source(value: str) -> Source:
    code, equals, place = value.partition("=")
    if not equals or not place.startswith(WIKIPEDIA) or place == WIKIPEDIA:
        raise InputError(f"'{value}' names no dump; write en=wikipedia:DUMP")
    return Source.parse(f"{WIKIPEDIA}{code}={place.removeprefix(WIKIPEDIA)}")
