"""A column file from a path or a stream: bytes, encoding, layout, sentences.

Opening, decompression, byte-order marks and line ends are those of `isogloss.data.lines`.
"""

import codecs
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO, Literal

from isogloss.data.column_files.column_file import ColumnFile
from isogloss.data.column_files.formats import ColumnFormat, layout_of
from isogloss.data.column_files.sentences import Sentences, read_sentences
from isogloss.data.encodings import UTF_8, Utf8Check, codec_of, is_wide
from isogloss.data.lines import STANDARD_INPUT, decoded, opened, raw_lines, without_mark
from isogloss.errors import InputError, counted


def read_column_file(
    source: Path | str | BinaryIO,
    *,
    column: str | int | None = None,
    format: Literal["auto"] | ColumnFormat = "auto",
    encoding: str = UTF_8,
    misc: bool = False,
    needs_tags: bool = False,
) -> ColumnFile:
    r"""Read a column file.

    Parameters
    ----------
    source
        The file, decompressed where it is gzip or zstd; ``"-"`` is standard input. Or a stream of
        bytes.
    column
        Where the tags are: ``"upos"`` or ``"xpos"`` in CoNLL-U, ``"ner"`` in the others, or a
        number from 1. None: ``upos``; the third column of UNER; the last one of CoNLL and WikiANN.
    format
        ``"auto"`` finds it in the first words; `ColumnFile.format` says which one was found.
    encoding
        Any that writes ASCII as ASCII does, such as ``"latin-1"``.
    misc
        Keep the last column of CoNLL-U, for `ColumnSentence.misc`.
    needs_tags
        Refuse a file without tags, where ``tags`` would be None. A tag is missing where its column
        is empty or ``_``.

    Raises
    ------
    InputError
        With file and line: for lines with too few or too many columns, blanks for tabs, a word
        without form, a sentence without words, numbers that do not count on, ranges that overlap or
        lack words, a ``sent_id`` that is met twice, tags for some words only, a column that is not
        there, several languages in a file of WikiANN, bytes that are not of the encoding; and what
        `isogloss.data.lines.open_lines` raises.

    Examples
    --------
    >>> from io import BytesIO
    >>> file = read_column_file(BytesIO(b"en:Kyoto\tB-LOC\nen:is\tO\n"))
    >>> file.format, file.words, file.tags
    ('wikiann', [['Kyoto', 'is']], [['B-LOC', 'O']])
    """
    codec = _codec(encoding)
    path, raw = _raw(source, codec)
    lines = _decoded(raw, path, codec)
    layout = layout_of(lines, column=column, format=format, path=path)
    if misc and layout.format != "conllu":
        raise InputError(f"is {layout.name}, and CoNLL-U alone has a column MISC", path=path)
    read = read_sentences(lines, layout, path=path, misc=misc)
    _settle_tags(read, path, needs_tags=needs_tags)
    return ColumnFile(path, layout, codec, read.found, read.lang, raw)


def _codec(encoding: str) -> str:
    """Return Python's name of an encoding in which columns and lines can be told by their bytes."""
    name = codec_of(encoding)
    if is_wide(name):
        raise InputError(f"encoding {name} is not read in column files; save the file as UTF-8")
    return name


def _raw(source: Path | str | BinaryIO, codec: str) -> tuple[Path, list[bytes]]:
    """Return the lines of a file with their ends, the byte-order mark of UTF-8 included."""
    if isinstance(source, str | Path):
        path = Path(source)
        with opened(path) as stream:
            raw = list(raw_lines(stream, path))
    else:
        name = getattr(source, "name", None)
        path = Path(name) if isinstance(name, str) else STANDARD_INPUT
        raw = list(raw_lines(source, path))
    if raw and raw[0].startswith(codecs.BOM_UTF8) and codec != UTF_8:
        raise InputError(
            f"begins with the byte-order mark of UTF-8; leave out the encoding {codec}", path=path
        )
    return path, raw


def _decoded(raw: Sequence[bytes], path: Path, codec: str) -> list[str]:
    """Return the lines as text without their ends."""
    name, advice = codec, "save it as UTF-8, or give another --encoding"
    if codec == UTF_8:
        name, advice = "UTF-8", "save it as UTF-8, or give its --encoding, such as latin-1"
    lines, check = [], Utf8Check()
    for number, line in enumerate(raw, 1):
        if number == 1:
            line = without_mark(line, path)
        check.add(line)
        text = decoded(line, path, number, encoding=name, advice=advice)
        lines.append(text.removesuffix("\n").removesuffix("\r"))
    if codec != UTF_8:
        check.warn(path, codec)
    return lines


def _settle_tags(read: Sentences, path: Path, *, needs_tags: bool) -> None:
    """Set tags to None where the file has none; refuse a file where some are missing."""
    layout, missing = read.layout, read.untagged
    n_words = sum(len(sentence.words) for sentence in read.found)
    which = f"column {layout.tag + 1}"
    if missing and len(missing) < n_words:
        raise InputError(
            f"has no tag in {which}, as have {len(missing):,} of {counted(n_words, 'word')}; give "
            "all words a tag, or none",
            path=path,
            line=missing[0],
        )
    if missing and needs_tags:
        raise InputError(
            f"has no tags in {which}; name the column that holds them with --column",
            path=path, line=layout.first,
        )  # fmt: skip
    if missing:
        read.found[:] = [replace(sentence, tags=None) for sentence in read.found]
