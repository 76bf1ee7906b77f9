"""A hit is the name, character by character, whatever the hashes say."""

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from isogloss.errors import InputError
from isogloss.kb.matching import name_table
from isogloss.kb.matching.inflection import endings_in, inflection_of
from isogloss.kb.matching.matcher import find_names
from isogloss.kb.matching.name_table import build_table, names_of, views_of
from isogloss.text.folding import fold_texts


def table_of(*names: str) -> tuple[Any, Any]:
    """Return slots and records of names, row i for name i however it is written."""
    folded = fold_texts(names)
    rows = np.repeat(np.arange(len(names), dtype=np.int32)[:, None], 3, axis=1)
    return build_table(folded.units, folded.offsets, folded.kinds, np.ascontiguousarray(rows))


def rows_found(text: str, slots: Any, records: Any, lang: str | None = None) -> list[int]:
    """Return the rows found in a text, by slots that may have been made of other names."""
    folded, endings, rules = fold_texts([text]), None, None
    if lang is not None:
        rules = inflection_of(lang).endings
        endings = endings_in(folded.offsets, folded.units, folded.boundary, rules)
    *_, found = find_names(
        (folded.offsets, folded.units, folded.kinds, folded.case, folded.boundary), slots,
        views_of(records), np.ones(100, np.bool_), None, endings, rules, False,
    )  # fmt: skip
    return [int(row) for row in found]


FORGED = ["tokyo bay", "kyoto bat", "kyoto ba", "kyoto bays", "x", "kyoto баy", "kyoto ba𐐨"]


@pytest.mark.parametrize("forged", FORGED)
def test_another_name_with_the_same_hash_is_no_hit(forged: str) -> None:
    slots, records = table_of("kyoto bay")
    assert rows_found("Kyoto Bay", slots, records) == [0]
    assert rows_found("Kyoto Bay", slots, table_of(forged)[1]) == []


@pytest.mark.parametrize("forged", ["angola", "ankar", "ankarab", "анкара"])
def test_nor_is_it_before_an_ending(forged: str) -> None:
    slots, records = table_of("ankara")
    assert rows_found("Ankarada", slots, records, "tr") == [0]
    assert rows_found("Ankarada", slots, table_of(forged)[1], "tr") == []


def test_a_name_behind_another_of_its_hash_is_found() -> None:
    folded = fold_texts(["kyoto bay"])
    (prefix, whole), *_ = name_table._prefixes(folded.units, folded.offsets, folded.kinds)
    *_, records = table_of("tokyo bay", "osaka bay", "kyoto bay")
    slots = name_table._insert(
        np.array([prefix, whole, whole, whole], np.uint64),
        np.array([-1, 0, 1, 2], np.int32),
        np.array([1, 0, 0, 0], np.uint8),
        np.array([0, 2, 4, 6]),
        16,
    )
    assert rows_found("in Kyoto Bay", slots, records) == [2]
    assert rows_found("in Tokyo Bay", slots, records) == []


@pytest.mark.parametrize("order", list(permutations(range(4))))
def test_a_name_and_a_prefix_of_one_half_hash_are_both_found(order: tuple[int, ...]) -> None:
    """Of a hash only the high half is kept; the rest decides where the search begins."""
    folded = fold_texts(["kyoto", "kyoto bay"])
    hashes, names, longer = name_table._prefixes(folded.units, folded.offsets, folded.kinds)
    *_, records = table_of("kyoto", "kyoto bay")
    twin = hashes[2] ^ np.uint64(1)  # a bare prefix that has slot and half hash of "kyoto bay"
    rows = list(order)
    slots = name_table._insert(
        np.append(hashes, twin)[rows], np.append(names, np.int32(-1))[rows],
        np.append(longer, np.uint8(1))[rows], np.array([0, 2, 4]), 8,
    )  # fmt: skip
    assert rows_found("in Kyoto Bay", slots, records) == [1]
    assert rows_found("in Kyoto", slots, records) == [0]


def test_records_give_back_names_and_rows() -> None:
    written = [
        "a",
        "sixteen letters!",
        "seventeen letters",
        "žluťoučký kůň",
        "京都湾",
        "𐐨𐐩 deseret",
    ]
    names, rows = names_of(table_of(*written)[1])
    assert names == list(fold_texts(written).strings())
    assert rows.tolist() == [[i] * 3 for i in range(len(written))]


def test_names_of_every_width_are_found_in_their_text() -> None:
    written = ["São Tomé", "Βόλος", "京都湾", "𐐨𐐩𐐪", "Berlin", "Łódź", "x" * 150]
    table = table_of(*written)
    for i, name in enumerate(written):
        assert rows_found(f"… {name} …", *table) == [i]
        assert rows_found(f"… {name[:-1]} …", *table) == []


def test_no_names_make_a_table_in_which_nothing_is_found() -> None:
    slots, records = table_of()
    assert rows_found("Kyoto Bay", slots, records) == []
    assert names_of(records)[0] == []


def test_more_names_than_slots_can_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table_of("kyoto", "osaka")  # two blocks each
    monkeypatch.setattr(name_table, "MOST_BLOCKS", 3)
    with pytest.raises(InputError, match="take 4 blocks of 16 bytes; at most 3"):
        table_of("kyoto", "osaka")
