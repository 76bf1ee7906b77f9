"""The binary form of word2vec: a line ``N DIM``, then for each row a name, a space and float32."""

from pathlib import Path
from typing import BinaryIO

import numpy as np

from isogloss.data.lines import opened
from isogloss.errors import InputError
from isogloss.storage.files import atomic_file
from isogloss.vectors.formats.text_file import Rows, frequent_first, sizes_of, written_names
from isogloss.vectors.word_entity_vectors import WordEntityVectors

_LONGEST_NAME = 10_000
_AT_ONCE = 1 << 20


def read_binary_vectors(path: Path) -> WordEntityVectors:
    """Read the binary form, compressed or not, with or without a line break after a row.

    Raises
    ------
    InputError
        When the file is cut off, holds more than it says, or a name is not UTF-8.
    """
    with opened(path) as file:
        n_rows, width = sizes_of(file.readline(100).decode("ascii", "replace").split(), path)
        rows = Rows(path, width)
        for number in range(1, n_rows + 1):
            name, values = _row(file, width, number, path)
            rows.add(name, values, line=None)
        if file.read().strip(b"\n"):
            raise InputError(f"holds more than the {n_rows:,} rows it says it has", path=path)
    return rows.vectors()


def write_binary_vectors(
    vectors: WordEntityVectors, path: Path, *, overwrite: bool = False
) -> None:
    """Write the binary form, the most frequent first; spaces in names become ``_``."""
    names = written_names(vectors.vocabulary, spaces=False)
    with (
        atomic_file(path, overwrite=overwrite) as temporary,
        temporary.open("wb", buffering=_AT_ONCE) as file,
    ):
        file.write(f"{len(vectors)} {vectors.width}\n".encode())
        for row in frequent_first(vectors.vocabulary):
            values = vectors.matrix[row].astype("<f4", copy=False)
            file.write(names[row].encode() + b" " + values.tobytes() + b"\n")


def _row(
    file: BinaryIO, width: int, number: int, path: Path
) -> tuple[str, "np.ndarray[tuple[int, int], np.dtype[np.float32]]"]:
    name = bytearray()
    while (byte := file.read(1)) not in (b" ", b"") and len(name) < _LONGEST_NAME:
        if byte != b"\n" or name:  # some writers end a row with a line break, some do not
            name += byte
    data = file.read(4 * width)
    if byte != b" " or len(data) < 4 * width:
        raise InputError(f"is cut off or damaged in row {number:,}; copy it again", path=path)
    try:
        return name.decode("utf-8"), np.frombuffer(data, "<f4")
    except UnicodeDecodeError as error:
        raise InputError(f"the name of row {number:,} is not UTF-8", path=path) from error
