"""What is counted block by block is said once, with the totals."""

import logging
import warnings

import pytest

from isogloss.errors import OmissionWarning
from isogloss.totals import tell, told_with_totals, untold


def cut(n: int, n_all: int, longest: int = 8) -> None:
    tell(lambda n, n_all: f"{n} of {n_all} texts are longer than {longest} tokens", n, n_all)


def names(*langs: str) -> None:
    tell(lambda langs: f"no names in {', '.join(langs)}", langs)


def test_at_once_where_nothing_collects() -> None:
    with pytest.warns(OmissionWarning, match="^2 of 3 texts are longer than 8 tokens$"):
        cut(2, 3)
    cut(0, 3)


def test_counts_are_added_and_names_kept_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with told_with_totals():
            cut(2, 3), names("de"), cut(0, 3), cut(1, 1), cut(1, 1, longest=9)
            names("fr", "de"), cut(0, 5, longest=7)
            assert caught == []
    assert [str(one.message) for one in caught] == [
        "3 of 7 texts are longer than 8 tokens",
        "no names in de, fr",
        "1 of 1 texts are longer than 9 tokens",
    ]


def test_an_omission_that_is_an_error_is_raised_in_its_block() -> None:
    said: list[str] = []

    def work() -> None:
        with told_with_totals():
            tell(str, 1, by=said.append)
            cut(0, 1)
            cut(1, 1)

    with pytest.raises(OmissionWarning, match="1 of 1"):  # an error in these tests
        work()
    assert said == []


def test_a_log_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO), told_with_totals():
        for _ in range(2):
            tell(lambda n: f"{n} left out", 1, by=logging.getLogger("isogloss").info)
    assert caplog.messages == ["2 left out"]


def test_what_is_read_twice_is_told_once() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        warnings.simplefilter("error", OmissionWarning)
        with told_with_totals():
            with untold():
                cut(2, 3)
                warnings.warn("quotes can be read in two ways", UserWarning, stacklevel=1)
            assert caught == []
            with pytest.raises(OmissionWarning, match="1 of 1 texts"):
                cut(1, 1)
    assert caught == []
