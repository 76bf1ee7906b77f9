"""Vectors as text: wikipedia2vec's form, and word2vec's with and without a first line (GloVe's).

- wikipedia2vec: ``name<TAB>v v v``; spaces in names stay.
- word2vec: a first line ``N DIM``, then ``name v v v``; spaces in names are written ``_``.
- glove: the same without a first line.

Entities have ``ENTITY/`` in front. Files are UTF-8 on every machine. On reading, ``_`` becomes a
space in titles, which never hold one, and stays in words, which wikipedia2vec's own reader changes.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from isogloss.arrays import Floats1d, Floats2d
from isogloss.data.lines import open_lines
from isogloss.errors import InputError, counted, warn_omitted
from isogloss.storage.files import atomic_file
from isogloss.vectors.vocabulary import ENTITY_PREFIX, Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors

TextFormat = Literal["wikipedia2vec", "word2vec", "glove"]

KNOWN_FORMS = (
    "a file of vectors is text of wikipedia2vec, word2vec or GloVe, a binary of word2vec, or "
    "safetensors of isogloss"
)
MOST_WIDTH = 100_000
_DIGITS = 12  # of a size
_ROWS_OF_A_BLOCK = 1 << 14


def read_text_vectors(path: Path) -> WordEntityVectors:
    """Read any of the three forms; one row or a million.

    Raises
    ------
    InputError
        With file and line: a row of another length, what is no number or not finite, fewer rows
        than the first line says, bytes that are not UTF-8.
    """
    lines = open_lines(path)
    first = next(lines, None)
    if first is None:
        raise InputError("is empty", path=path)
    n_expected, width = _first_line(first[1], path)
    if n_expected is None:
        lines = _with(first, lines)
        width = _width(first[1], path)
    rows = Rows(path, width)
    for number, line in lines:
        rows.add(*_parted(line, number, width, path), line=number)
    if n_expected is not None and rows.n_read != n_expected:
        raise InputError(
            f"is cut off or damaged: its first line says {counted(n_expected, 'row')}, and "
            f"{rows.n_read:,} follow",
            path=path,
        )
    return rows.vectors()


def write_text_vectors(
    vectors: WordEntityVectors, path: Path, form: TextFormat, *, overwrite: bool = False
) -> None:
    """Write one of the three forms, the most frequent first; values read back to the same bits."""
    pattern = " ".join(["%.9g"] * vectors.width)
    names = written_names(vectors.vocabulary, spaces=form == "wikipedia2vec")
    between = "\t" if form == "wikipedia2vec" else " "
    with (
        atomic_file(path, overwrite=overwrite) as temporary,
        temporary.open("w", encoding="utf-8", newline="\n") as file,
    ):
        if form == "word2vec":
            file.write(f"{len(vectors)} {vectors.width}\n")
        for row in frequent_first(vectors.vocabulary):
            numbers = pattern % tuple(vectors.matrix[row].tolist())
            file.write(f"{names[row]}{between}{numbers}\n")


class Rows:
    """Rows of a file as they come: split into words and entities, doubles counted."""

    def __init__(self, path: Path, width: int) -> None:
        self._path, self._width = path, width
        self._places: dict[str, dict[str, int]] = {"word": {}, "entity": {}}
        self._blocks: list[Floats2d] = []
        self._used = _ROWS_OF_A_BLOCK
        self.n_read = 0

    def add(self, name: str, values: list[str] | Floats2d, *, line: int | None) -> None:
        """Take a row; of two with one name the first counts."""
        if self._used == _ROWS_OF_A_BLOCK:
            self._blocks.append(np.empty((_ROWS_OF_A_BLOCK, self._width), np.float32))
            self._used = 0
        try:
            with np.errstate(over="ignore"):  # too large a number is told below
                row = _numbers(values) if isinstance(values, list) else values
        except ValueError as error:
            raise InputError(f"'{name}': {error}", path=self._path, line=line) from error
        if not np.isfinite(row).all():
            where = "" if line is not None else f", row {self.n_read + 1}"
            raise InputError(f"the vector of '{name}'{where} is not finite", path=self._path,
                             line=line)  # fmt: skip
        self.n_read += 1
        is_entity = name.startswith(ENTITY_PREFIX) and len(name) > len(ENTITY_PREFIX)
        if is_entity:
            name = name.removeprefix(ENTITY_PREFIX).replace("_", " ")
        places = self._places["entity" if is_entity else "word"]
        if name not in places:
            places[name] = (len(self._blocks) - 1) * _ROWS_OF_A_BLOCK + self._used
            self._blocks[-1][self._used] = row
            self._used += 1

    def vectors(self) -> WordEntityVectors:
        """Return what was taken, words first; repeated names are reported."""
        words, entities = self._places["word"], self._places["entity"]
        if not words and not entities:
            raise InputError("holds no vectors", path=self._path)
        order = np.array([*words.values(), *entities.values()], np.int64)
        matrix = np.empty((len(order), self._width), np.float32)
        for number, block in enumerate(self._blocks):
            first = number * _ROWS_OF_A_BLOCK
            here = np.flatnonzero((order >= first) & (order < first + _ROWS_OF_A_BLOCK))
            matrix[here] = block[order[here] - first]
        n_doubles = self.n_read - len(order)
        if n_doubles:
            warn_omitted(
                f"{self._path}: {counted(n_doubles, 'row')} left out whose name came before; "
                "remove them to be rid of this"
            )
        return WordEntityVectors(Vocabulary.of(list(words), list(entities)), matrix)


def written_names(vocabulary: Vocabulary, *, spaces: bool) -> list[str]:
    """Return the names of all rows as a file holds them.

    Raises
    ------
    InputError
        When a name would break a line.
    """
    names = [*vocabulary.words, *(ENTITY_PREFIX + title for title in vocabulary.entities)]
    for name in names:
        if not name or "\n" in name or "\t" in name:
            raise InputError(f"the name {name!r} does not fit a line; write the native form")
    if spaces:
        return names
    n_words = sum(" " in word for word in vocabulary.words)
    if n_words:
        warn_omitted(f"the spaces in {counted(n_words, 'word')} are written '_' and stay so")
    return [name.replace(" ", "_") for name in names]


def frequent_first(vocabulary: Vocabulary) -> list[int]:
    """Return all rows, by falling count; as they are where no count is known."""
    counts = np.concatenate([vocabulary.word_counts, vocabulary.entity_counts])
    return np.argsort(-counts, kind="stable").tolist()


def sizes_of(fields: Sequence[str], path: Path) -> tuple[int, int]:
    """Return rows and width that a first line ``N DIM`` says.

    Raises
    ------
    InputError
        When no file has so many, or none.
    """
    if len(fields) != 2 or not all(_is_size(field) and len(field) <= _DIGITS for field in fields):
        raise InputError("its first line holds no two sizes of a matrix", path=path, line=1)
    n_rows, width = int(fields[0]), int(fields[1])
    if not 1 <= width <= MOST_WIDTH:
        raise InputError(
            f"its first line says {width} values a row; 1 to {MOST_WIDTH:,} can be", path=path,
            line=1,
        )  # fmt: skip
    return n_rows, width


def _is_size(field: str) -> bool:
    return field.isascii() and field.isdecimal()


def _numbers(values: list[str]) -> Floats1d:
    """Return numbers as every tool writes them; Python reads ``1_0`` and digits of any script."""
    row = np.asarray(values, np.float32)
    joined = "".join(values)
    if not joined.isascii() or "_" in joined:
        bad = next(value for value in values if not value.isascii() or "_" in value)
        raise ValueError(f"could not convert string to float: {bad!r:.40}")
    return row


def _first_line(line: str, path: Path) -> tuple[int | None, int]:
    """Return the numbers of a first line ``N DIM``; None where it is already a row."""
    fields = line.split()
    if len(fields) == 2 and "\t" not in line and all(map(_is_size, fields)):
        return sizes_of(fields, path)
    return None, 0


def _width(line: str, path: Path) -> int:
    between = "\t" if "\t" in line else " "
    values = line.rstrip(" ").split(between, 1)[-1].split(" ")
    try:
        _numbers(values)
    except ValueError:
        raise InputError(
            f"holds no numbers after a name; {KNOWN_FORMS}", path=path, line=1
        ) from None
    return len(values)


def _parted(line: str, number: int, width: int, path: Path) -> tuple[str, list[str]]:
    """Split a row from its end, as names of the forms without tabs may hold spaces all the same."""
    line = line.rstrip(" ")
    name, tab, rest = line.partition("\t")
    values = rest.split(" ") if tab else line.rsplit(" ", width)[1:]
    if not tab:
        name = line.rsplit(" ", width)[0] if len(values) == width else line
    if len(values) == width and not name:
        raise InputError("a row without a name", path=path, line=number)
    if len(values) != width:
        n_values = len(values) if tab else line.count(" ")
        raise InputError(
            f"a row of {counted(n_values, 'value')} where {width} are due; the file is damaged or "
            "cut off",
            path=path,
            line=number,
        )
    return name, values


def _with(first: tuple[int, str], lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    yield first
    yield from lines
