"""Where a warning points, and what an error says."""

import warnings
from pathlib import Path

from isogloss.classify.documents.odd_texts import say_what_teaches_little
from isogloss.errors import OmissionWarning, warn_caller


def test_a_warning_points_at_the_line_that_called_the_package() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        say_what_teaches_little([""], ["a"])
        warn_caller("something")
    assert [Path(one.filename).name for one in caught] == [Path(__file__).name] * 2
    assert [one.category for one in caught] == [OmissionWarning, UserWarning]
    assert caught[0].lineno + 1 == caught[1].lineno
