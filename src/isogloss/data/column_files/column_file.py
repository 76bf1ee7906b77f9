"""A column file that was read: its sentences, and its bytes with one column replaced."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from isogloss.data.column_files.formats import ColumnFormat, Layout
from isogloss.data.column_files.replacing import replaced
from isogloss.errors import InputError, counted, warn_caller
from isogloss.text.languages import parse_language


@dataclass(frozen=True, slots=True)
class ColumnSentence:
    """A sentence of a column file.

    Attributes
    ----------
    words
        The forms; multiword tokens and empty nodes of CoNLL-U are none.
    tags
        One for each word; None where the file has none.
    id
        ``# sent_id = …``, which no other sentence of the file has; None: not given.
    lines
        Line of each word, from 1.
    misc
        Last column of CoNLL-U for each word, such as ``SpaceAfter=No``; None unless asked for.
    """

    words: list[str]
    tags: list[str] | None
    id: str | None
    lines: list[int]
    misc: list[str] | None = None


@dataclass(frozen=True)
class ColumnFile:
    """What `read_column_file` returns.

    Attributes
    ----------
    path
        As given; ``Path("-")`` for standard input and for streams without a name.
    layout
        Format and columns, as found or given.
    encoding
        As Python calls it.
    sentences
        Those that have words, in order.
    lang
        Language before each word of WikiANN, as written; None in other formats.
    raw
        Lines as they stand in the file, with their ends.
    """

    path: Path
    layout: Layout
    encoding: str
    sentences: list[ColumnSentence] = field(repr=False)
    lang: str | None
    raw: list[bytes] = field(repr=False)

    @property
    def format(self) -> ColumnFormat:
        """The format, found or given."""
        return self.layout.format

    @property
    def column(self) -> int:
        """Column of the tags, from 1."""
        return self.layout.tag + 1

    @cached_property
    def n_words(self) -> int:
        """Words of all sentences."""
        return sum(len(sentence.words) for sentence in self.sentences)

    @property
    def words(self) -> list[list[str]]:
        """Words of each sentence."""
        return [sentence.words for sentence in self.sentences]

    @property
    def tags(self) -> list[list[str]] | None:
        """Tags of each sentence; None where the file has none."""
        tags = [sentence.tags for sentence in self.sentences if sentence.tags is not None]
        return tags if len(tags) == len(self.sentences) else None

    def say_other_language(self, lang: str) -> None:
        """Warn where the words of a file of WikiANN are said to be in another language.

        Codes of Wikipedia that are none of a language, as ``simple``, are no other one.
        """
        try:
            of_words = None if self.lang is None else parse_language(self.lang)
        except InputError:
            return
        if of_words is not None and of_words.partition("-")[0] != lang.partition("-")[0]:
            warn_caller(
                f"{self.path}: is read as '{lang}', but its words are in '{self.lang}' "
                f"('{self.lang}:' stands before them); give it as that if it is"
            )

    def with_tags(self, tags: Sequence[Sequence[str]]) -> bytes:
        r"""Return the file, byte for byte but for the column of the tags.

        Byte-order mark, line ends, comments, lines that are no words and a missing last line end
        stay. Where the file has words alone, the column is added after a tab.

        Parameters
        ----------
        tags
            One for each word of each sentence.

        Raises
        ------
        InputError
            For more or fewer tags than words, and a tag that the file cannot hold: empty, ``_``
            (which says that there is none), with a tab or line end, with a blank where blanks part
            columns, or with a character that the encoding lacks.

        Examples
        --------
        >>> from io import BytesIO
        >>> from isogloss.data.column_files import read_column_file
        >>> file = read_column_file(BytesIO(b"Ob O\nin O\nKyoto B-LOC"))
        >>> file.with_tags([["O", "O", "B-PER"]])
        b'Ob O\nin O\nKyoto B-PER'
        """
        if len(tags) != len(self.sentences):
            raise InputError(
                f"has {counted(len(self.sentences), 'sentence')}, but tags are given for "
                f"{len(tags):,}; give a list of tags for each sentence", path=self.path,
            )  # fmt: skip
        written = list(self.raw)
        known: dict[str, bytes] = {}
        for sentence, some in zip(self.sentences, tags, strict=True):
            if len(some) != len(sentence.lines):
                raise InputError(
                    f"the sentence that begins here has {counted(len(sentence.lines), 'word')}, "
                    f"but {counted(len(some), 'tag')}; give one for each word",
                    path=self.path, line=sentence.lines[0],
                )  # fmt: skip
            for number, tag in zip(sentence.lines, some, strict=True):
                if tag not in known:
                    known[tag] = self._encoded(tag, number)
                written[number - 1] = replaced(written[number - 1], known[tag], self.layout)
        return b"".join(written)

    def _encoded(self, tag: str, number: int) -> bytes:
        has_blank = tag.strip(" ") != tag or (self.layout.separator == " " and " " in tag)
        if tag in ("", "_") or has_blank or not tag.isprintable():
            raise InputError(
                f"the tag {tag!r:.40} cannot be a column of the file; give tags without tabs, "
                "line ends and blanks",
                path=self.path,
                line=number,
            )
        try:
            return tag.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise InputError(
                f"the encoding {self.encoding} lacks a character of the tag {tag!r:.40}; save the "
                "file as UTF-8", path=self.path, line=number,
            ) from error  # fmt: skip
