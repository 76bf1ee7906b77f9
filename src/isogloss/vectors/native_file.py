"""The native form of word and entity vectors: one safetensors file, mapped when it is opened.

Nothing is decoded on opening: names stay packed, and the matrix stays on disk until it is used.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from isogloss.errors import InputError
from isogloss.files import atomic_file, damage_in_one_sentence, parse_json
from isogloss.tensor_file import Arrays, map_tensors, tensor_metadata, write_tensors
from isogloss.vectors.vocabulary_arrays import arrays_of, minimums_of, vocabulary_of
from isogloss.vectors.word_entity_vectors import WordEntityVectors

FORMAT = "isogloss word and entity vectors 1"


def write_native(vectors: WordEntityVectors, path: Path, *, overwrite: bool = False) -> None:
    """Write vectors with all that is known of their vocabulary."""
    with native_file(vectors, path, overwrite=overwrite):
        pass


@contextmanager
def native_file(
    vectors: WordEntityVectors, path: Path, *, overwrite: bool = False
) -> Iterator[None]:
    """Do what `write_native` does; the file appears when the block ends well."""
    arrays: Arrays = {"vectors": vectors.matrix, **arrays_of(vectors.vocabulary)}
    metadata = {"format": FORMAT, "vocabulary": minimums_of(vectors.vocabulary),
                "facts": json.dumps(vectors.facts, ensure_ascii=False)}  # fmt: skip
    with atomic_file(path, overwrite=overwrite) as temporary:
        write_tensors(temporary, arrays, metadata)
        yield


def read_native(path: Path) -> WordEntityVectors:
    """Open what `write_native` wrote; the arrays are mapped, read-only.

    Raises
    ------
    InputError
        When the file is of another kind, cut off or damaged.
    """
    metadata = tensor_metadata(path) or {}
    if metadata.get("format") != FORMAT:
        raise InputError("holds no entity vectors or words of isogloss", path=path)
    arrays = map_tensors(path)
    with damage_in_one_sentence(path, advice="make it again"):
        vocabulary = vocabulary_of(arrays, metadata["vocabulary"])
        return WordEntityVectors(vocabulary, arrays["vectors"], parse_json(metadata["facts"]))
