"""docs/command-line.md names every command and every option, with their defaults."""

import re
from collections.abc import Iterator
from typing import Any

import click
import pytest
from repository import ROOT

from isogloss.cli import main

SHARED = ("--help", "--quiet")  # of every command, said once
PAGE = ROOT / "docs" / "command-line.md"


def commands() -> dict[str, click.Command]:
    """Return all commands by their words."""
    return dict(below(main.command_line()))


def below(group: Any, words: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield the commands of a group, and of groups in it, by their words."""
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from below(command, f"{words}{name} ")
        else:
            yield f"{words}{name}", command


def documented() -> dict[str, dict[str, str]]:
    """Return the page's commands: option to default, those that commands share among them."""
    first, *sections = re.split(r"^## isogloss (.+)$", PAGE.read_text("utf-8"), flags=re.M)
    shared = rows(first)
    found = {}
    for words, text in zip(sections[::2], sections[1::2], strict=True):
        listed = re.findall(r"^\[Shared\]\(#shared-options\): ([^.]+)\.$", text, flags=re.M)
        also = re.findall(r"`(.+?)`", " ".join(listed))
        found[words] = rows(text) | {name: shared[name] for name in also}
    return found


def rows(text: str) -> dict[str, str]:
    """Return the options of a table with their defaults."""
    found = re.findall(r"^\| (`.+?`(?:, `.+?`)*) \| .+ \|([^|]*)\|$", text, flags=re.M)
    return {row.replace("`", ""): default.strip() for row, default in found}


def names(parameter: click.Parameter) -> str:
    """Return how the page spells an option or argument."""
    if parameter.param_type_name == "argument":
        return (getattr(parameter, "metavar", None) or parameter.name or "").upper().strip("[]")
    return ", ".join([*parameter.opts, *parameter.secondary_opts])


COMMANDS = commands()


def test_all_commands() -> None:
    assert set(documented()) == set(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS)
def test_options_and_defaults(words: str) -> None:
    page = documented().get(words, {})
    shown = {names(one): one for one in COMMANDS[words].params if names(one) not in SHARED}
    assert set(page) == set(shown)
    for name, parameter in shown.items():
        default, given = page[name], parameter.default
        if parameter.required:
            assert default == "required", name
        elif isinstance(given, bool) or given in (None, (), []) or callable(given):
            continue
        else:
            for one in given if isinstance(given, list | tuple) else [given]:
                assert f"`{one}`" in default, name
