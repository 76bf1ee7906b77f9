"""Read and write vectors of words and entities; what a file is, is found in it, not in its name."""

import codecs
import re
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from isogloss.data.lines import COMPRESSED, opened
from isogloss.errors import InputError, did_you_mean
from isogloss.storage.files import refuse_existing, refuse_read
from isogloss.storage.tensor_file import tensor_metadata
from isogloss.vectors import entity_vectors
from isogloss.vectors.entity_vectors import EntityVectors
from isogloss.vectors.formats.binary_file import read_binary_vectors, write_binary_vectors
from isogloss.vectors.formats.native_file import read_native, write_native
from isogloss.vectors.formats.text_file import (
    TextFormat,
    read_text_vectors,
    write_text_vectors,
)
from isogloss.vectors.names import PackedStrings
from isogloss.vectors.vocabulary import Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors

VectorFormat = Literal["native", "word2vec-binary", "wikipedia2vec", "word2vec", "glove"]
FORMATS: tuple[VectorFormat, ...] = get_args(VectorFormat)

_PICKLE = b"\x80"
_LONGEST_HEADER = 100_000_000  # bytes, of safetensors
_SAMPLE = 1 << 20
_CONTROL = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]")


def read_vectors(path: str | Path) -> WordEntityVectors:
    """Read vectors of any form that `write_vectors` writes, and entity vectors of isogloss.

    Text and binary may be compressed (gzip, zstd), whatever the name. The native form is mapped.

    Raises
    ------
    InputError
        When there is no such file, it is of another kind (a pickle is never read) or damaged.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError("no such file of vectors", path=path)
    metadata = tensor_metadata(path)
    if metadata is not None and metadata.get("format") == entity_vectors.FORMAT:
        given = EntityVectors.load(path)
        vocabulary = replace(Vocabulary.of([], given.ids), entity_ids=PackedStrings.of(given.ids))
        return WordEntityVectors(vocabulary, given.matrix)
    if metadata is not None:
        return read_native(path)
    with opened(path) as file:
        sample = file.read(_SAMPLE)
    if sample.startswith(_PICKLE):
        raise InputError(
            "is a pickle, which can run code and is never read; let the tool that made it write "
            "text (wikipedia2vec save-text)",
            path=path,
        )
    if sample[8:9] == b"{" and int.from_bytes(sample[:8], "little") <= _LONGEST_HEADER:
        raise InputError(
            "is safetensors, compressed or damaged; unpack it, since it is mapped, or copy it "
            "again",
            path=path,
        )
    return read_binary_vectors(path) if _is_binary(sample) else read_text_vectors(path)


def refuse_place(
    path: Path, *, overwrite: bool, reads: Iterable[Path] = (), option: str = "--out"
) -> None:
    """Refuse what vectors cannot be written to, before they are made.

    Parameters
    ----------
    reads
        What they are made of, as `refuse_read` takes it.

    Raises
    ------
    InputError
        As `refuse_read` and `refuse_existing` do, and for the name of a compressed file.
    """
    refuse_read(path, reads, option=option)
    refuse_existing(path, overwrite=overwrite, makes="file", option=option)
    if path.suffix in COMPRESSED:
        raise InputError(f"vectors are not compressed; name the file without {path.suffix}",
                         path=path)  # fmt: skip


def write_vectors(
    vectors: WordEntityVectors, path: str | Path, form: VectorFormat, *, overwrite: bool = False
) -> None:
    """Write vectors.

    Parameters
    ----------
    form
        ``"native"`` keeps all; the others keep names and values.

    Raises
    ------
    InputError
        When `form` is not known, the file exists and `overwrite` is false, or a name does not fit.
    """
    path = Path(path)
    refuse_place(path, overwrite=overwrite)
    if form == "native":
        write_native(vectors, path, overwrite=overwrite)
    elif form == "word2vec-binary":
        write_binary_vectors(vectors, path, overwrite=overwrite)
    elif form in get_args(TextFormat):
        write_text_vectors(vectors, path, form, overwrite=overwrite)
    else:
        raise InputError(f"form is {form!r}; {did_you_mean(str(form), FORMATS)}")


def _is_binary(sample: bytes) -> bool:
    """Whether a first line ``N DIM`` is followed by what is neither a row of text nor text."""
    first, _, rest = sample.partition(b"\n")
    fields = first.split()
    if len(fields) != 2 or not all(field.isdigit() for field in fields):
        return False
    values = rest.partition(b"\n")[0].rstrip(b" \r").replace(b"\t", b" ").split(b" ")
    try:
        np.asarray([value.decode("ascii") for value in values[-int(fields[1]) :]], np.float64)
    except ValueError:
        return bool(_CONTROL.search(rest)) or not _is_utf8(rest)
    return False


def _is_utf8(sample: bytes) -> bool:
    try:
        codecs.getincrementaldecoder("utf-8")().decode(sample)  # a cut last character is no fault
    except UnicodeDecodeError:
        return False
    return True
