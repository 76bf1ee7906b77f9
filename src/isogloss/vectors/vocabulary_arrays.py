"""A vocabulary as flat arrays and JSON, and back: what files of vectors and work folders hold."""

import json

import numpy as np

from isogloss.storage.array_checks import check_strings, check_within
from isogloss.storage.files import parse_json, saved_number
from isogloss.storage.tensor_file import Arrays
from isogloss.vectors.names import Names, PackedStrings
from isogloss.vectors.vocabulary import Counted, Vocabulary

_MINIMUMS = ("min_word_count", "min_entity_count")


def arrays_of(vocabulary: Vocabulary) -> Arrays:
    """Return all names with their counts."""
    arrays = _counted("words", Counted(vocabulary.words, vocabulary.word_counts))
    arrays |= _counted("entities", Counted(vocabulary.entities, vocabulary.entity_counts))
    arrays |= _counted("redirects", vocabulary.redirects)
    arrays |= _counted("rare_words", vocabulary.rare_words)
    arrays |= _counted("rare_entities", vocabulary.rare_entities)
    if vocabulary.entity_ids is not None:
        arrays["entity_ids.bytes"] = vocabulary.entity_ids.data
        arrays["entity_ids.offsets"] = vocabulary.entity_ids.offsets
    return arrays


def minimums_of(vocabulary: Vocabulary) -> str:
    """Return the minimum counts as JSON."""
    return json.dumps({name: getattr(vocabulary, name) for name in _MINIMUMS})


def vocabulary_of(arrays: Arrays, minimums: str) -> Vocabulary:
    """Return the vocabulary that the arrays and the JSON hold.

    Raises
    ------
    ValueError, KeyError
        When something is missing or does not fit; for `damage_in_one_sentence`.
    """
    known = parse_json(minimums)
    words, entities = _read_counted(arrays, "words"), _read_counted(arrays, "entities")
    redirects, rare = _read_counted(arrays, "redirects"), _read_counted(arrays, "rare_entities")
    check_within("redirects", redirects.counts, -len(rare.names), len(entities.names))
    return Vocabulary(
        words.names, entities.names, words.counts, entities.counts,
        entity_ids=_strings(arrays, "entity_ids", len(entities.names)),
        redirects=redirects,
        rare_words=_read_counted(arrays, "rare_words"),
        rare_entities=rare,
        **{name: saved_number(known, name, whole=True) for name in _MINIMUMS},
    )  # fmt: skip


def _counted(name: str, counted: Counted) -> Arrays:
    names = counted.names
    return {
        f"{name}.bytes": names.data, f"{name}.offsets": names.offsets,
        f"{name}.order": names.order, f"{name}.counts": counted.counts,
    }  # fmt: skip


def _read_counted(arrays: Arrays, name: str) -> Counted:
    order, counts = arrays[f"{name}.order"], arrays[f"{name}.counts"]
    strings = _checked_strings(arrays, name, order.size)
    if not all(array.dtype == np.int64 and array.ndim == 1 for array in (order, counts)):
        raise ValueError(f"the numbers of its {name} are of another kind")
    if counts.size != order.size:
        raise ValueError(f"the sizes of its {name} do not fit")
    check_within(f"the order of its {name}", order, 0, order.size)
    return Counted(Names(strings.data, strings.offsets, order), counts)


def _strings(arrays: Arrays, name: str, n: int) -> PackedStrings | None:
    return _checked_strings(arrays, name, n) if f"{name}.bytes" in arrays else None


def _checked_strings(arrays: Arrays, name: str, n: int) -> PackedStrings:
    """Return the packed strings of a file, which compiled code may search."""
    data, offsets = arrays[f"{name}.bytes"], arrays[f"{name}.offsets"]
    if data.dtype != np.uint8 or offsets.dtype != np.int64 or data.ndim != 1 or offsets.ndim != 1:
        raise ValueError(f"its {name} are of another kind")
    if offsets.size - 1 != n:
        raise ValueError(f"the sizes of its {name} do not fit")
    check_strings(f"its {name}", data, offsets)
    return PackedStrings(data, offsets)
