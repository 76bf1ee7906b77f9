"""What all pages share: the look, and how a text with marked names is put into a page."""

import re

from isogloss.report.page import stylesheet


def test_the_shared_look_is_light_dark_and_printed_and_loads_nothing() -> None:
    look = stylesheet()
    assert "prefers-color-scheme: dark" in look
    assert "@media print" in look
    assert "mark.nested" in look
    assert not re.search(r"url\(|@import|\{[{%]", look)
