"""docs/which.md repeats figures of other pages: no figure is stale."""

import re

import pytest
from repository import ROOT

DOCS = ROOT / "docs"
PAGE = (DOCS / "which.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "](" in line]


def linked(text: str) -> set[str]:
    """Return the page of each link."""
    return set(re.findall(r"\]\(([\w-]+\.md)(?:#[\w-]+)?\)", text))


@pytest.mark.parametrize("row", ROWS)
def test_figures_stand_on_the_page_that_is_linked(row: str) -> None:
    there = " ".join((DOCS / page).read_text("utf-8") for page in linked(row))
    for figure in re.findall(r"\.\d{3}\b", row):
        assert re.search(rf"(?<![\d.])0?{re.escape(figure)}\b", there), figure
