"""Where a warning points, and what an error says."""

import warnings
from pathlib import Path

from isogloss.classify.documents.odd_texts import say_what_teaches_little
from isogloss.errors import InputError, OmissionWarning, warn_caller


def test_a_warning_points_at_the_line_that_called_the_package() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        say_what_teaches_little([""], ["a"])
        warn_caller("something")
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name] * 2
    assert [one.category for one in caught] == [OmissionWarning, UserWarning]
    assert caught[0].lineno + 1 == caught[1].lineno


def test_a_place_is_one_line_and_a_message_may_have_more() -> None:
    name = "a\nb\r\u2028c\u2029.csv"
    shown = r"a\u000ab\u000d\u2028c\u2029.csv"
    for line, said in ((None, f"{shown}: is no\ntable"), (3, f"{shown}:3: is no\ntable")):
        error = InputError("is no\ntable", path=name, line=line)
        assert str(error) == said
        assert error.path == name
