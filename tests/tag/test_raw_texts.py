"""Raw texts are tagged a bounded number at a time; one that is too long is refused by its line."""

from itertools import pairwise

import pytest

from isogloss.errors import InputError
from isogloss.tag.raw import texts as raw
from isogloss.tag.raw.texts import texts_at_once


def lengths(texts: list[str]) -> list[list[int]]:
    places = list(texts_at_once(texts, range(1, len(texts) + 1), "a.csv"))
    assert all(one.stop == other.start for one, other in pairwise(places))
    assert [place.start for place in places[:1]] == [0] * bool(texts)
    return [[len(text) for text in texts[place]] for place in places]


def test_places_are_bounded_by_texts_and_by_characters(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(raw, "TEXTS_AT_ONCE", 3)
    monkeypatch.setattr(raw, "CHARACTERS_AT_ONCE", 5)
    assert lengths([]) == []
    assert lengths([""] * 7) == [[0, 0, 0], [0, 0, 0], [0]]
    assert lengths(["字字", "a", "aa", "aaa", "aaaaa", "", "a"]) == [[2, 1, 2], [3], [5, 0], [1]]
    said = r"^a\.csv:2: the text has 6 characters, and a tagger takes up to 5; cut it into paragr"
    with pytest.raises(InputError, match=said):
        lengths(["a", "aaaaaa", "a"])
