"""Which labels training lacks, and whether a separator was forgotten."""

import pytest

from isogloss.classify.labels.unseen_labels import hint_of_separator, named_unseen

KNOWN = ["joy", "fear", "anger", "sea green", 7]


def test_three_unseen_labels_are_named_each_once_and_the_others_counted() -> None:
    assert named_unseen(["joy", "a", "b", "a"], KNOWN) == "('a', 'b')"
    assert named_unseen(["a", 8, "c"], KNOWN) == "('a', 8, 'c')"
    assert named_unseen([*"abcdefc", "joy"], KNOWN) == "('a', 'b', 'c' and 3 more)"


@pytest.mark.parametrize(
    ("label", "hint"),
    [
        ("joy/fear", "'joy/fear' looks like joy and fear: give --label-separator /"),
        ("joy | fear | anger", "looks like joy, fear and anger: give --label-separator '|'"),
        ("joy;7", "looks like joy and 7: give --label-separator ';'"),
        ("joy fear", "looks like joy and fear: give --label-separator ' '"),
        ("joy、sea green", "looks like joy and sea green: give --label-separator '、'"),
    ],
)
def test_known_labels_joined_by_a_character_look_like_a_missing_separator(
    label: str, hint: str
) -> None:
    assert hint_of_separator(["joy", "awe", label], KNOWN).endswith(hint)


@pytest.mark.parametrize("label", ["joy/awe", "joyxfear", "/joy", "joy/", "sea", "joy/fear/", 8])
def test_other_unseen_labels_look_like_nothing(label: str | int) -> None:
    assert hint_of_separator(["joy", label], KNOWN) == ""


def test_a_known_label_with_a_separator_in_it_is_no_fault() -> None:
    assert hint_of_separator(["joy/fear"], [*KNOWN, "joy/fear"]) == ""
