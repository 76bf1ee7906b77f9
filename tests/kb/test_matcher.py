"""A hit is the name, character by character, whatever the hashes say."""

import numpy as np
import pytest

from isogloss.kb import matcher
from isogloss.kb.inflection import endings_in, inflection_of
from isogloss.kb.matcher import build_slots, find_names
from isogloss.text.folding import FoldedTexts, fold_texts


def rows_found(text: str, slots: object, names: FoldedTexts, lang: str | None = None) -> list[int]:
    """Return the names found in a text, by a table that may have been made of other names."""
    n_names = names.offsets.size - 1
    rows = np.repeat(np.arange(n_names, dtype=np.int32)[:, None], 3, axis=1)
    folded, endings, rules = fold_texts([text]), None, None
    if lang is not None:
        rules = inflection_of(lang).endings
        endings = endings_in(folded.offsets, folded.units, folded.boundary, rules)
    *_, found = find_names(
        (folded.offsets, folded.units, folded.kinds, folded.case, folded.boundary),
        slots, (names.units, names.offsets), np.ascontiguousarray(rows),
        np.ones(n_names, np.bool_), None, endings, rules, False,
    )  # fmt: skip
    return [int(row) for row in found]


def table_of(*names: str) -> tuple[object, FoldedTexts]:
    folded = fold_texts(names)
    return build_slots(folded.units, folded.offsets, folded.kinds), folded


@pytest.mark.parametrize("forged", ["tokyo bay", "kyoto bat", "kyoto ba", "kyoto bays", "x"])
def test_another_name_with_the_same_hash_is_no_hit(forged: str) -> None:
    slots, names = table_of("kyoto bay")
    assert rows_found("Kyoto Bay", slots, names) == [0]
    assert rows_found("Kyoto Bay", slots, fold_texts([forged])) == []


@pytest.mark.parametrize("forged", ["angola", "ankar", "ankarab"])
def test_nor_is_it_before_an_ending(forged: str) -> None:
    slots, names = table_of("ankara")
    assert rows_found("Ankarada", slots, names, "tr") == [0]
    assert rows_found("Ankarada", slots, fold_texts([forged]), "tr") == []


def test_a_name_behind_another_of_its_hash_is_found() -> None:
    folded = fold_texts(["kyoto bay"])
    (prefix, whole), *_ = matcher._prefixes(folded.units, folded.offsets, folded.kinds)
    slots = matcher._insert(
        np.array([prefix, whole, whole, whole], np.uint64),
        np.array([-1, 0, 1, 2], np.int32),
        np.array([1, 0, 0, 0], np.uint32),
        16,
    )
    names = fold_texts(["tokyo bay", "osaka bay", "kyoto bay"])
    assert rows_found("in Kyoto Bay", slots, names) == [2]
    assert rows_found("in Tokyo Bay", slots, names) == []
