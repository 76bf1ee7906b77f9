"""docs/which.md repeats figures of other pages: its links lead somewhere, no figure is stale."""

import re

import pytest
from repository import ROOT

DOCS = ROOT / "docs"
PAGE = (DOCS / "which.md").read_text("utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ") and "](" in line]


def linked(text: str) -> set[str]:
    """Return ``page`` or ``page#heading`` of each link."""
    return set(re.findall(r"\]\(([\w-]+\.md(?:#[\w-]+)?)\)", text))


def headings(page: str) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def test_links_lead_to_a_heading() -> None:
    for link in linked(PAGE):
        page, _, heading = link.partition("#")
        assert not heading or heading in headings(page), link


@pytest.mark.parametrize("row", ROWS)
def test_figures_stand_on_the_page_that_is_linked(row: str) -> None:
    pages = {link.partition("#")[0] for link in linked(row)} | {"results.md"}
    there = " ".join((DOCS / page).read_text("utf-8") for page in pages)
    for figure in re.findall(r"\.\d{3}\b", row):
        assert re.search(rf"(?<![\d.])0?{re.escape(figure)}\b", there), figure
