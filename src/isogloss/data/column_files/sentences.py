"""The lines of a column file as sentences: words, tags, ids, and what is wrong with a line.

One loop for all formats; `formats` says what differs between them, `numbering` counts words.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from isogloss.data.column_files.column_file import ColumnSentence
from isogloss.data.column_files.formats import DOCUMENT, LANGUAGE, Layout, is_comment
from isogloss.data.column_files.numbering import Numbering
from isogloss.errors import InputError, counted

_ID = re.compile(r"#\s*sent_id\s*=\s*(.*?)\s*")
_NO_TAG = ("", "_")


@dataclass
class Sentences:
    """What `read_sentences` has met so far."""

    path: Path
    layout: Layout
    misc: bool
    found: list[ColumnSentence] = field(default_factory=list)
    lang: str | None = None
    untagged: list[int] = field(default_factory=list)  # lines of words without a tag
    ids: dict[str, int] = field(default_factory=dict)  # id → its line
    id: str | None = None  # of the sentence being read, as are what follow
    words: list[str] = field(default_factory=list)
    tags: list[str] = field(default_factory=list)
    lines: list[int] = field(default_factory=list)
    miscs: list[str] = field(default_factory=list)
    spelt: dict[str, str] = field(default_factory=dict)  # tag as it stands → one string for all

    def error(self, message: str, line: int) -> InputError:
        """Return what is to be raised."""
        return InputError(message, path=self.path, line=line)

    def add(self, columns: list[str], line: int) -> None:
        """Add a word."""
        layout = self.layout
        word = columns[layout.word].strip(" ")
        if not word:
            raise self.error("the word is empty; give it a form or remove the line", line)
        if layout.format == "wikiann":
            word = self._without_language(word, line)
        tag = columns[layout.tag] if layout.tag < layout.n_columns else ""
        known = self.spelt.get(tag)
        if known is None:
            plain = tag.strip(" ")
            if not plain.isprintable():
                raise self.error(f"the tag {plain!r:.40} has a character that cannot be seen", line)
            known = self.spelt[tag] = "" if plain in _NO_TAG else plain
        if not known:
            self.untagged.append(line)
        self.words.append(word)
        self.tags.append(known)
        self.lines.append(line)
        if self.misc:
            self.miscs.append(columns[-1])

    def read_comment(self, text: str, line: int) -> None:
        """Keep the id of a sentence."""
        if self.words and self.layout.is_numbered:
            raise self.error(
                "a comment within a sentence; put it before the first word, or a blank line before "
                "it if a new sentence begins", line,
            )  # fmt: skip
        match = _ID.fullmatch(text)
        if match is None or not match[1]:
            return
        if self.id is not None:
            raise self.error(f"a second sent_id, after '{self.id}'; leave one out", line)
        self.id = match[1]
        before = self.ids.setdefault(self.id, line)
        if before != line:
            raise self.error(
                f"the sent_id '{self.id}' is that of line {before} too; give each sentence its own",
                line,
            )

    def end(self) -> None:
        """End the sentence that was being read, if there is one."""
        if self.words:
            misc = self.miscs if self.misc else None
            self.found.append(ColumnSentence(self.words, self.tags, self.id, self.lines, misc))
            self.words, self.tags, self.lines, self.miscs = [], [], [], []
        elif self.id is not None:
            raise self.error(
                f"the sentence '{self.id}' has no words; remove it or give them", self.ids[self.id]
            )
        self.id = None

    def _without_language(self, word: str, line: int) -> str:
        match = LANGUAGE.match(word)
        if match is None:
            raise self.error(
                f"no language before '{word:.40}'; WikiANN has 'en:word', a tab and the tag", line
            )
        if self.lang is None:
            self.lang = match[1]
        elif match[1] != self.lang:
            raise self.error(
                f"the language is '{match[1]}', of the lines before '{self.lang}'; give one file "
                "for each language", line,
            )  # fmt: skip
        if match.end() == len(word):
            raise self.error("the word is empty; give it a form or remove the line", line)
        return word[match.end() :]


def read_sentences(
    lines: Sequence[str], layout: Layout, *, path: Path, misc: bool = False
) -> Sentences:
    """Return the sentences of a file; tags are "" where there are none.

    Raises
    ------
    InputError
        With the line of the first fault; see `read_column_file`.
    """
    sentences = Sentences(path, layout, misc)
    numbering = Numbering(path) if layout.is_numbered else None
    may_be_document = layout.format == "conll"
    for number, line in enumerate(lines, 1):
        if not line.strip(" ") or (may_be_document and line.startswith(DOCUMENT)):
            if numbering is not None:
                numbering.end(len(sentences.words))
            sentences.end()
        elif line[0] == "#" and is_comment(line, layout, begins=not sentences.words):
            sentences.read_comment(line, number)
        else:
            columns = _checked_columns(line, number, layout, path)
            n_words = len(sentences.words)
            if numbering is None or numbering.is_word(columns[0], n_words, number):
                sentences.add(columns, number)
    if numbering is not None:
        numbering.end(len(sentences.words))
    sentences.end()
    return sentences


def _checked_columns(line: str, number: int, layout: Layout, path: Path) -> list[str]:
    columns = layout.columns_of(line)
    if len(columns) == layout.n_columns and (layout.separator == "\t" or "\t" not in line):
        return columns
    raise InputError(_ragged(line, columns, number, layout), path=path, line=number)


def _ragged(line: str, columns: list[str], number: int, layout: Layout) -> str:
    of_all = (
        f"{layout.name} has {layout.n_columns}"
        if layout.format == "conllu"
        else f"the first word, in line {layout.first}, has {layout.n_columns}"
    )
    if layout.separator == "\t" and "\t" not in line and " " in line:
        return "has blanks between its columns, other lines have tabs; put tabs between them"
    if layout.separator == " " and "\t" in line:
        return "has a tab, other lines have blanks between their columns; put blanks there"
    if layout.separator == " " and line[0] == " " and len(columns) == layout.n_columns - 1:
        return "the word is empty; give it a form or remove the line"
    return f"has {counted(len(columns), 'column')}, but {of_all}; mend the line"
