"""The native form of word and entity vectors: one safetensors file, mapped when it is opened.

Nothing is decoded on opening: names stay packed, and the matrix stays on disk. Every byte is read
once, for the checksum and because a vector may not hold what is no number.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from isogloss.errors import InputError
from isogloss.storage.files import atomic_file, damage_in_one_sentence, parse_json
from isogloss.storage.tensor_file import Arrays, map_sealed, tensor_metadata, write_sealed
from isogloss.vectors.vocabulary_arrays import arrays_of, minimums_of, vocabulary_of
from isogloss.vectors.word_entity_vectors import WordEntityVectors, check_finite

FORMAT = "isogloss word and entity vectors 2"


def write_native(vectors: WordEntityVectors, path: Path, *, overwrite: bool = False) -> None:
    """Write vectors with all that is known of their vocabulary."""
    with native_file(vectors, path, overwrite=overwrite):
        pass


@contextmanager
def native_file(
    vectors: WordEntityVectors, path: Path, *, overwrite: bool = False
) -> Iterator[None]:
    """Do what `write_native` does; the file appears when the block ends well.

    Raises
    ------
    InputError
        When a vector is not finite, or the file cannot be written.
    """
    check_finite(vectors)
    arrays: Arrays = {"vectors": vectors.matrix, **arrays_of(vectors.vocabulary)}
    metadata = {"format": FORMAT, "vocabulary": minimums_of(vectors.vocabulary),
                "facts": json.dumps(vectors.facts, ensure_ascii=False)}  # fmt: skip
    with atomic_file(path, overwrite=overwrite) as temporary:
        write_sealed(temporary, arrays, metadata)
        yield


def read_native(path: Path) -> WordEntityVectors:
    """Open what `write_native` wrote; the arrays are mapped, read-only.

    Raises
    ------
    InputError
        When the file is of another kind, cut off or damaged.
    """
    known = (tensor_metadata(path) or {}).get("format", "")
    if known != FORMAT:
        refuse_old(path, known, FORMAT)
        raise InputError("holds no entity vectors or words of isogloss", path=path)
    arrays, metadata = map_sealed(path, advice="make it again")
    with damage_in_one_sentence(path, advice="make it again"):
        vocabulary = vocabulary_of(arrays, metadata["vocabulary"])
        if arrays["vectors"].dtype != "float32":
            raise ValueError(f"its vectors are {arrays['vectors'].dtype}")
        vectors = WordEntityVectors(vocabulary, arrays["vectors"], _facts(metadata["facts"]))
        check_finite(vectors)
    return vectors


def refuse_old(path: Path, found: str, wanted: str) -> None:
    """Raise `InputError` where a format is an older one of the same kind."""
    kind = wanted.rpartition(" ")[0]
    if found != wanted and found.rpartition(" ")[0] == kind:
        raise InputError(f"is '{found}', this isogloss reads '{wanted}'; make it again", path=path)


def _facts(text: str) -> dict[str, Any]:
    facts = parse_json(text)
    if not isinstance(facts, dict) or not isinstance(facts.get("lang", ""), str | None):
        raise ValueError("its facts are no facts of vectors")
    return facts
