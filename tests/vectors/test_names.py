import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isogloss.errors import InputError
from isogloss.vectors.names import Names, PackedStrings

TITLES = ["New York City", "東京", "Berlin", "Ünlü", "", "Bern", "Berlin Wall", "ไทย", "😀"]


def test_names_are_found_by_bisection() -> None:
    names = Names.of(TITLES)
    assert [names.find(title) for title in TITLES] == list(range(len(TITLES)))
    assert names.find_all(["Bern", "bern", "Be", "Berlin W", "東"]).tolist() == [5, -1, -1, -1, -1]
    assert list(names) == TITLES
    assert names.find_all([]).shape == (0,)


def test_none_at_all() -> None:
    names = Names.of([])
    assert (len(names), names.find("a"), names.find(""), names.close_to("a")) == (0, -1, -1, [])


@given(st.sets(st.text(max_size=6), max_size=30), st.lists(st.text(max_size=6), max_size=10))
def test_bisection_is_a_dictionary(strings: set[str], asked: list[str]) -> None:
    listed = sorted(strings, key=hash)
    wanted = listed + asked
    expected = [listed.index(name) if name in strings else -1 for name in wanted]
    assert Names.of(listed).find_all(wanted).tolist() == expected


def test_a_name_that_comes_twice_is_refused() -> None:
    with pytest.raises(InputError, match="'東京' comes twice"):
        Names.of(["a", "東京", "東京"])


def test_close_names_whatever_their_case() -> None:
    names = Names.of([f"page {i}" for i in range(5000)] + ["Berlin", "Bernhard", "bern"])
    assert names.close_to("berlin", n=1) == ["Berlin"]
    assert names.close_to("BERLIN", n=1) == ["Berlin"]
    assert names.close_to("Berlim")[0] == "Berlin"
    assert names.close_to("xyzzyx") == []


def test_strings_by_number() -> None:
    strings = PackedStrings.of(["", "b", "", "東"])
    assert (len(strings), list(strings), strings[3]) == (4, ["", "b", "", "東"], "東")
    with pytest.raises(IndexError):
        strings[4]
    assert strings.offsets.dtype == np.int64
