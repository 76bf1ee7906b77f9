"""Links between the pages of the documentation lead somewhere, and every page is found."""

import re
from pathlib import Path

from repository import ROOT

PAGES = [*sorted((ROOT / "docs").glob("**/*.md")), *sorted(ROOT.glob("*.md"))]


def links(page: Path) -> list[tuple[Path, str]]:
    """Return file and heading of each relative link."""
    targets = re.findall(r"\]\(([^()\s]+)\)", page.read_text("utf-8"))
    parts = [target.partition("#") for target in targets if "://" not in target]
    return [((page.parent / path).resolve() if path else page, mark) for path, _, mark in parts]


def headings(page: Path) -> set[str]:
    """Return the anchors of a page, as GitHub makes them."""
    titles = re.findall(r"^#+ (.+)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


def broken(page: Path) -> list[str]:
    """Return the links that lead to no file or no heading."""
    return [
        f"{page.name}: {target.name}#{heading}"
        for target, heading in links(page)
        if not target.exists() or (heading and heading not in headings(target))
    ]


def test_relative_links_lead_to_a_file_and_a_heading() -> None:
    assert not [link for page in PAGES for link in broken(page)]


def test_every_page_is_found_from_the_readme() -> None:
    found: set[Path] = set()
    queue = [ROOT / "README.md"]
    while queue:
        page = queue.pop()
        if page.suffix == ".md" and page not in found:
            found.add(page)
            queue += [target for target, _ in links(page)]
    assert set(PAGES) <= found


def test_a_wrong_file_and_a_wrong_heading_are_told(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# One two\n[a](page.md#one-two) [b](page.md#three) [c](gone.md)\n", "utf-8")
    assert broken(page) == ["page.md: page.md#three", "page.md: gone.md#"]
