"""Columns guessed by names, then by cells."""

import pytest

from isogloss.data.guessed_columns import guess_columns
from isogloss.data.records import Records

TEXTS = ["My parcel is late", "I was charged twice", "The kettle is cold", "Where is my parcel?"]


def guess(*columns: tuple[str, list[str]]) -> tuple[str | None, str | None, str | None]:
    cells = [values for _, values in columns]
    records = Records([name for name, _ in columns], lambda at: cells[at], [*range(len(cells[0]))])
    found = guess_columns(records)
    assert set(found.why) == {
        name for name, one in vars(found).items() if name != "why" and one is not None
    }
    return found.text, found.label, found.lang


@pytest.mark.parametrize("name", ["text", "Message", " BODY ", "description"])
def test_by_names(name: str) -> None:
    columns = [("Category", ["a", "b", "a", "b"]), (name, TEXTS), ("locale", ["en"] * 4)]
    assert guess(*columns) == (name, "Category", "locale")


def test_by_cells() -> None:
    columns = [
        ("1", ["17", "18", "19", "20"]), ("2", ["hr", "it", "hr", "it"]), ("3", TEXTS),
        ("4", ["de", "ja", "sw", "de"]),
    ]  # fmt: skip
    assert guess(*columns) == ("3", "2", "4")


def test_two_words_that_are_codes_too_are_labels() -> None:
    assert guess(("team", ["it", "hr", "it", "hr"]), ("x", TEXTS)) == ("x", "team", None)


def test_a_name_whose_cells_do_not_fit_is_passed_over() -> None:
    columns = [("language", ["very rude"] * 4), ("text", ["", " "] * 2), ("words", TEXTS)]
    assert guess(*columns) == ("words", None, None)


def test_nothing_looks_like_it() -> None:
    assert guess(("a", ["1", "2", "3"]), ("b", ["", "", ""])) == (None, None, None)
    assert guess(("text", TEXTS)) == ("text", None, None)


def test_labels_in_numbers() -> None:
    assert guess(("y", ["0", "1", "0", "1"]), ("x", TEXTS)) == ("x", "y", None)
