"""Sentence pairs from files: TSV, Moses, and tables with a column for each side.

``en-sw=FILE`` names the two languages. A TSV has no header: the first column is in the first
language, the second in the second, further ones are left alone. Moses text is two files,
``FILE.en`` and ``FILE.sw``, line i of both a pair. CSV, JSON Lines and Parquet have columns named
by the languages, or ``source`` and ``target``. A first row of a TSV with these names is no pair.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, zip_longest
from pathlib import Path

from isogloss.data.blocks import ROWS, read_blocks
from isogloss.data.documents import FileFormat
from isogloss.data.lines import open_lines
from isogloss.data.swapped_sides import say_swapped
from isogloss.errors import InputError, warn_omitted
from isogloss.text.languages import parse_language

TABLES = (".csv", ".jsonl", ".parquet")
COMPRESSED = (".gz", ".zst")
USUAL = ("source", "target")  # names of columns


@dataclass(frozen=True)
class PairFile:
    """A file of pairs and their languages, from a ``en-sw=FILE`` argument.

    Attributes
    ----------
    first, second
        Languages of the two sides, as `parse_language` spells them.
    names
        The same as they were given, by which Moses files and columns are called.
    """

    first: str
    second: str
    path: Path
    names: tuple[str, str]


@dataclass(frozen=True)
class SentencePairs:
    """The pairs of a file, blank ones included."""

    file: PairFile
    firsts: list[str]
    seconds: list[str]


def parse_pair_file(value: str) -> PairFile:
    """Return what ``en-sw=FILE`` says.

    Raises
    ------
    InputError
        For another form, an unknown language, or one language twice.

    Examples
    --------
    >>> parse_pair_file("en-swh=pairs.tsv").second
    'sw'
    """
    langs, equals, path = value.partition("=")
    names = tuple(langs.split("-", 1)) if "-" in langs else (langs,)
    if not equals or not path or len(names) != 2:
        raise InputError(f"'{value}' names no pairs; give two languages and a file: en-sw=FILE")
    first, second = parse_language(names[0]), parse_language(names[1])
    if first == second:
        raise InputError(f"'{value}' has pairs of {first} with itself; name two languages")
    return PairFile(first, second, Path(path), (names[0], names[1]))


def read_pairs(file: PairFile) -> SentencePairs:
    """Return the pairs of a file; see the module.

    Raises
    ------
    InputError
        For a missing file, a row without two columns, sides of different lengths, or a first row
        that names the columns of a TSV in the other order.

    Warns
    -----
    OmissionWarning
        A first row that names the columns of a TSV is left out.
    UserWarning
        Most of the first rows are surely in each other's language.
    """
    firsts: list[str] = []
    seconds: list[str] = []
    for block in pair_blocks(file):
        firsts += block.firsts
        seconds += block.seconds
    say_swapped(firsts, seconds, (file.first, file.second), file.path)
    return SentencePairs(file, firsts, seconds)


def pair_blocks(file: PairFile, *, rows: int = ROWS) -> Iterator[SentencePairs]:
    """Yield the pairs of a file some at a time; raises as `read_pairs`, when it gets there."""
    sides = moses_sides(file)
    if not file.path.exists() and any(sides):
        found = _moses_pairs(file, sides)
    elif _ending(file.path) in TABLES:
        yield from _table_blocks(file, rows)
        return
    else:
        found = _tsv_pairs(file)
    while block := list(islice(found, rows)):
        firsts, seconds = zip(*block, strict=True)
        yield SentencePairs(file, list(firsts), list(seconds))


def _tsv_pairs(file: PairFile) -> Iterator[tuple[str, str]]:
    for number, line in open_lines(file.path):
        cells = line.split("\t")
        if len(cells) < 2:
            raise InputError(
                "has one column; a row is a sentence, a tab and its translation",
                path=file.path, line=number,
            )  # fmt: skip
        if number > 1 or not _is_header(file, cells[0], cells[1]):
            yield cells[0], cells[1]


def _is_header(file: PairFile, first: str, second: str) -> bool:
    """Say that a first row names the columns, and refuse one that names them the other way."""
    names = first.strip().lower(), second.strip().lower()
    given = file.names[0].lower(), file.names[1].lower()
    known = {given, (file.first.lower(), file.second.lower()), USUAL}
    if names[::-1] in known:
        raise InputError(
            f"the columns are named '{names[0]}' and '{names[1]}'; the first column is to be in "
            f"{file.first}, so say --pairs {file.names[1]}-{file.names[0]}=FILE if they are right",
            path=file.path, line=1,
        )  # fmt: skip
    if names not in known:
        return False
    warn_omitted(
        f"{file.path}:1: the row '{first.strip()}', '{second.strip()}' names the columns; it is no "
        "pair, and left out"
    )
    return True


def _ending(path: Path) -> str:
    name = path.name
    for ending in COMPRESSED:
        name = name.removesuffix(ending)
    return Path(name).suffix


def moses_sides(file: PairFile) -> list[Path | None]:
    """Return the two files of Moses text, None for one that is not there."""
    return [_moses_side(file.path, name) for name in file.names]


def _moses_side(path: Path, name: str) -> Path | None:
    if not path.name:  # of "." and "/"
        return None
    found = [path.with_name(f"{path.name}.{name}{ending}") for ending in ("", *COMPRESSED)]
    return next((side for side in found if side.is_file()), None)


def _moses_pairs(file: PairFile, sides: list[Path | None]) -> Iterator[tuple[str, str]]:
    columns = []
    for side, name in zip(sides, file.names, strict=True):
        if side is None:
            raise InputError(f"no such file beside the other side: {file.path.name}.{name}",
                             path=file.path)  # fmt: skip
        columns.append(open_lines(side))
    for one, other in zip_longest(*columns):
        if one is None or other is None:
            shorter, longer = (sides[0], sides[1]) if one is None else (sides[1], sides[0])
            raise InputError(
                f"ends before line {(one or other)[0]:,} of {longer}; line i of both is a pair",
                path=shorter,
            )
        yield one[1], other[1]


def _table_blocks(file: PairFile, rows: int) -> Iterator[SentencePairs]:
    columns = []
    for name, usual in zip(file.names, USUAL, strict=True):
        form = FileFormat(text=(name,), or_text=((usual,),), fixed_by="--pairs")
        columns.append(read_blocks(file.path, format=form, rows=rows))
    for one, other in zip(*columns, strict=True):
        yield SentencePairs(file, one.texts, other.texts)
