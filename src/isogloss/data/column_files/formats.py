"""What the lines of a column file are: the format, what parts columns, which column holds the tags.

Found in the first words of the file, whatever its name. What the lines say is read in `sentences`.

- CoNLL-U: ten columns, tabs, words numbered from 1 in each sentence.
- UNER: number, form, tag and more, tabs.
- WikiANN: ``en:word``, a tab, the tag.
- CoNLL-2002, CoNLL-2003 and all else: the word first, the tag last, blanks or tabs.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Literal, get_args

from isogloss.errors import InputError, counted, did_you_mean

ColumnFormat = Literal["conllu", "conll", "wikiann", "uner"]
FORMATS: tuple[ColumnFormat, ...] = get_args(ColumnFormat)
NAMES = {"conllu": "CoNLL-U", "conll": "CoNLL", "wikiann": "WikiANN", "uner": "UNER"}
LANGUAGE = re.compile(r"([a-z]{2,}(?:-[a-z]+)*):")  # before each word of WikiANN
DOCUMENT = "-DOCSTART-"

_NUMBERED = ("conllu", "uner")
_WORD = {"conllu": 1, "uner": 1, "conll": 0, "wikiann": 0}
_NAMED = {"conllu": {"upos": 3, "xpos": 4}, "uner": {"ner": 2}, "wikiann": {"ner": 1}}
_N_CONLLU = 10
_MOST_UNER = 5
_SEEN = 50  # words from which the format is found
_FIRST_COLUMN = re.compile(r"[^\t ]*")
_COMMENT = re.compile(r"\s*(?:id\b|\w+\s*=)")  # after its #, whatever the columns
_OTHER_NUMBER = re.compile(r"[0-9]+[-.][0-9]+")

Line = tuple[int, str]  # its number, from 1, and its text without its end


@dataclass(frozen=True)
class Layout:
    """How the lines of a file are read; `word` and `tag` are columns from 0.

    Attributes
    ----------
    tag
        `n_columns` where the file has words alone.
    first
        Line of the first word.
    """

    format: ColumnFormat
    separator: Literal["\t", " "]
    n_columns: int
    word: int
    tag: int
    first: int

    @property
    def name(self) -> str:
        """The format as its users write it."""
        return NAMES[self.format]

    @property
    def is_numbered(self) -> bool:
        """Whether the first column numbers the words of a sentence."""
        return self.format in _NUMBERED

    def columns_of(self, line: str) -> list[str]:
        """Return the columns of a line; blanks part columns however many they are."""
        return _parted(line, self.separator)


def layout_of(lines: Sequence[str], *, column: str | int | None, format: str, path: Path) -> Layout:
    """Return how a file is to be read; takes what `read_column_file` does.

    Raises
    ------
    InputError
        For an unknown format, a file without words, columns parted by blanks where the format has
        tabs, and a column that the file lacks or that holds the words.
    """
    if format != "auto" and format not in FORMATS:
        raise InputError(f"format is {format!r:.40}; {did_you_mean(str(format), FORMATS)}")
    words = list(islice(_word_lines(lines), _SEEN))
    if not words:
        raise InputError("has no words; give a file with a word and its columns a line", path=path)
    first = words[0][0]
    n_tabs = sum("\t" in text for _, text in words)
    n_blanks = sum("\t" not in text and " " in text for _, text in words)
    separator: Literal["\t", " "] = "\t" if n_tabs and n_tabs >= n_blanks else " "
    widths = [len(_parted(text, separator)) for _, text in words]
    usual = Counter(widths).most_common(1)[0][0]
    found = _known(format) or _found(words, usual, path)
    if separator == " " and found != "conll" and usual > 1:
        raise InputError(
            f"has blanks between its columns, {NAMES[found]} has tabs; put tabs between them, or "
            "say format conll if this is no " + NAMES[found],
            path=path, line=first,
        )  # fmt: skip
    n_columns = _N_CONLLU if found == "conllu" else widths[0]
    word = _WORD[found]
    if found == "wikiann":
        separator = "\t"  # also where words stand alone
    if n_columns <= word:
        raise InputError(
            f"has {counted(n_columns, 'column')}, {NAMES[found]} has a number, a tab and the word; "
            "mend the line", path=path, line=first,
        )  # fmt: skip
    tag = _tag_column(column, found, n_columns, path, first)
    return Layout(found, separator, n_columns, word, tag, first)


def is_comment(line: str, layout: Layout, *, begins: bool) -> bool:
    """Whether a line is a comment; `begins`: no word of the sentence was met.

    A ``#`` that begins a line may be a word of CoNLL, with as many columns as other words have.
    """
    if line[0] != "#":
        return False
    if layout.is_numbered:
        return True
    if layout.format == "wikiann" or not begins:
        return False
    return len(layout.columns_of(line)) != layout.n_columns or _COMMENT.match(line, 1) is not None


def _parted(line: str, separator: str) -> list[str]:
    columns = line.split(separator)
    if separator == " " and "" in columns:
        return [column for column in columns if column]
    return columns


def _word_lines(lines: Sequence[str]) -> Iterator[Line]:
    for number, line in enumerate(lines, 1):
        if line.strip(" ") and line[0] != "#" and not line.startswith(DOCUMENT):
            yield number, line


def _known(format: str) -> ColumnFormat | None:
    return next((one for one in FORMATS if one == format), None)


def _found(words: list[Line], n_columns: int, path: Path) -> ColumnFormat:
    """Return the format of most of the first words: one that breaks it is an error later."""
    if 2 * sum(LANGUAGE.match(text) is not None for _, text in words) > len(words):
        return "wikiann"
    n_counted = _n_counted(words)
    # Two columns may be a word that is a number and its tag: there, all must count.
    if n_columns == 1 or (n_counted < len(words) if n_columns == 2 else 2 * n_counted < len(words)):
        return "conll"
    if n_columns == 2 and len(words) == 1:
        return "conll"
    if n_columns == _N_CONLLU:
        return "conllu"
    if n_columns <= _MOST_UNER:
        return "uner"
    raise InputError(
        f"numbers its words, but has {n_columns} columns, where CoNLL-U has {_N_CONLLU} and UNER "
        f"at most {_MOST_UNER}; say format uner and which column holds the tags",
        path=path, line=words[0][0],
    )  # fmt: skip


def _n_counted(words: list[Line]) -> int:
    """Return how many of the first words have the number that is due; a sentence begins with 1."""
    n, last = 0, 0
    for _, text in words:
        number = _FIRST_COLUMN.match(text)[0]  # type: ignore[index]
        if number in (str(last + 1), "1"):
            n, last = n + 1, int(number)
        elif _OTHER_NUMBER.fullmatch(number):
            n += 1
    return n


def _tag_column(
    column: str | int | None, format: ColumnFormat, n_columns: int, path: Path, line: int
) -> int:
    """Return the column of the tags, from 0."""
    named = _NAMED.get(format, {"ner": n_columns - 1})
    if isinstance(column, str) and column.isascii() and column.isdigit() and len(column) < 9:
        column = int(column)
    if column is None or column in named:
        at = next(iter(named.values())) if column is None else named[str(column)]
        return max(at, _WORD[format] + 1) if at < n_columns else n_columns
    if isinstance(column, str):
        allowed = [*named, f"a number from 1 to {n_columns}"]
        raise InputError(
            f"no column '{column:.40}' in {NAMES[format]}; {did_you_mean(column, allowed)}",
            path=path, line=line,
        )  # fmt: skip
    if isinstance(column, bool) or not isinstance(column, int) or not 1 <= column <= n_columns:
        raise InputError(
            f"no column {column!r:.40}; columns are numbered from 1 to {n_columns}",
            path=path, line=line,
        )  # fmt: skip
    if column - 1 <= _WORD[format]:
        raise InputError(
            f"column {column} holds the {'words' if column - 1 == _WORD[format] else 'numbers'}; "
            "give the column of the tags", path=path, line=line,
        )  # fmt: skip
    return column - 1
