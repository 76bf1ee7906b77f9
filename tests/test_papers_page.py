"""docs/papers.md repeats figures of other pages: none is stale, and its commands exist."""

import re

import pytest
from repository import ROOT

from isogloss.cli import main

DOCS = ROOT / "docs"
PAGE = (DOCS / "papers.md").read_text("utf-8")
SECTIONS = PAGE.split("\n## ")[1:]
ROWS = [
    (section, row)
    for section in SECTIONS
    for row in section.splitlines()
    if row.startswith("| ") and re.search(r"\.\d{2,3}\b", row)
]


def linked(text: str) -> set[str]:
    """Return the pages that a text links to."""
    return set(re.findall(r"\]\(([\w-]+\.md)(?:#[\w-]+)?\)", text))


@pytest.mark.parametrize(("section", "row"), ROWS)
def test_figures_stand_on_a_page_that_is_linked(section: str, row: str) -> None:
    pages = linked(row) or linked(section)
    there = " ".join((DOCS / page).read_text("utf-8") for page in pages)
    for figure in re.findall(r"(?<!\d)\.\d{2,3}\b", row):
        assert re.search(rf"(?<![\d.])0?{re.escape(figure)}\d?\b", there), figure


def options_of(words: list[str]) -> set[str]:
    """Return the options of a command; of a word that is none, nothing."""
    command = main.command_line()
    for word in words:
        if hasattr(command, "commands"):  # else it is an argument: the paper
            command = command.commands[word]
    return {option for parameter in command.params for option in parameter.opts}


def test_commands_and_their_options_exist() -> None:
    groups = "|".join(main.command_line().commands)
    named = re.findall(rf"`((?:{groups}) [a-z-]+)((?: [^`]*)?)`", PAGE)
    assert len(named) > 10
    for command, rest in named:
        assert set(re.findall(r"--[a-z-]+", rest)) <= options_of(command.split()), command
