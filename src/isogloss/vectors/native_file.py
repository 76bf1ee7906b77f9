"""The native form of word and entity vectors: one safetensors file, mapped when it is opened.

Nothing is decoded on opening: names stay packed, and the matrix stays on disk until it is used.
"""

import json
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.errors import InputError
from isogloss.files import atomic_file, damage_in_one_sentence, saved_number
from isogloss.vectors.names import Names, PackedStrings
from isogloss.vectors.tensor_file import Arrays, map_tensors, tensor_metadata, write_tensors
from isogloss.vectors.vocabulary import Counted, Vocabulary
from isogloss.vectors.word_entity_vectors import WordEntityVectors

FORMAT = "isogloss word and entity vectors 1"
MINIMUMS = ("min_word_count", "min_entity_count")


def write_native(vectors: WordEntityVectors, path: Path, *, overwrite: bool = False) -> None:
    """Write vectors with all that is known of their vocabulary."""
    vocabulary = vectors.vocabulary
    arrays: Arrays = {"vectors": vectors.matrix}
    arrays |= _counted("words", Counted(vocabulary.words, vocabulary.word_counts))
    arrays |= _counted("entities", Counted(vocabulary.entities, vocabulary.entity_counts))
    arrays |= _counted("redirects", vocabulary.redirects)
    arrays |= _counted("rare_words", vocabulary.rare_words)
    arrays |= _counted("rare_entities", vocabulary.rare_entities)
    if vocabulary.entity_ids is not None:
        arrays["entity_ids.bytes"] = vocabulary.entity_ids.data
        arrays["entity_ids.offsets"] = vocabulary.entity_ids.offsets
    minimums = {name: getattr(vocabulary, name) for name in MINIMUMS}
    metadata = {"format": FORMAT, "vocabulary": json.dumps(minimums),
                "facts": json.dumps(vectors.facts, ensure_ascii=False)}  # fmt: skip
    with atomic_file(path, overwrite=overwrite) as temporary:
        write_tensors(temporary, arrays, metadata)


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
        minimums = json.loads(metadata["vocabulary"])
        words, entities = _read_counted(arrays, "words"), _read_counted(arrays, "entities")
        vocabulary = Vocabulary(
            words.names, entities.names, words.counts, entities.counts,
            entity_ids=_strings(arrays, "entity_ids", len(entities.names)),
            redirects=_read_counted(arrays, "redirects"),
            rare_words=_read_counted(arrays, "rare_words"),
            rare_entities=_read_counted(arrays, "rare_entities"),
            **{name: saved_number(minimums, name, whole=True) for name in MINIMUMS},
        )  # fmt: skip
        return WordEntityVectors(vocabulary, arrays["vectors"], json.loads(metadata["facts"]))


def _counted(name: str, counted: Counted) -> Arrays:
    names = counted.names
    return {
        f"{name}.bytes": names.data, f"{name}.offsets": names.offsets,
        f"{name}.order": names.order, f"{name}.counts": counted.counts,
    }  # fmt: skip


def _read_counted(arrays: Arrays, name: str) -> Counted:
    data, offsets = arrays[f"{name}.bytes"], arrays[f"{name}.offsets"]
    order, counts = arrays[f"{name}.order"], arrays[f"{name}.counts"]
    if not (order.size == counts.size == offsets.size - 1 and _last(offsets) == data.size):
        raise ValueError(f"the sizes of its {name} do not fit")
    return Counted(Names(data, offsets, order), counts)


def _strings(arrays: Arrays, name: str, n: int) -> PackedStrings | None:
    if f"{name}.bytes" not in arrays:
        return None
    data, offsets = arrays[f"{name}.bytes"], arrays[f"{name}.offsets"]
    if offsets.size - 1 != n or _last(offsets) != data.size:
        raise ValueError(f"the sizes of its {name} do not fit")
    return PackedStrings(data, offsets)


def _last(offsets: np.ndarray[Any, Any]) -> int:
    return int(offsets[-1])
