"""docs/command-line.md lists every command; the reference has every option and its default."""

import html
import re
import runpy
from typing import Any

import pytest
from repository import ROOT

REFERENCE = runpy.run_path(str(ROOT / "tools" / "reference.py"))
COMMANDS = dict(REFERENCE["commands"]())
PAGES = REFERENCE["command_pages"]()
SHARED = ("--help", "--quiet")  # of every command, said once


def section(words: str) -> str:
    """Return what the reference says of a command."""
    page = PAGES[f"commands/{words.partition(' ')[0] if ' ' in words else 'single'}"]
    return page.partition(f"## isogloss {words}\n")[2].partition("\n## ")[0]


def names(parameter: Any) -> list[str]:
    """Return the words of an option, or the name of an argument."""
    if parameter.param_type_name == "argument":
        return [(getattr(parameter, "metavar", None) or parameter.name).upper().strip("[]")]
    return [*parameter.opts, *parameter.secondary_opts]


def test_the_page_and_the_list_have_every_command() -> None:
    page = (ROOT / "docs" / "command-line.md").read_text("utf-8")
    assert re.findall(r"^\| `([a-z -]+)` \|", page, flags=re.M) == list(COMMANDS)
    listed = re.findall(r"^\| \[`([a-z -]+)`\]", PAGES["commands/index"], flags=re.M)
    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("words", COMMANDS)
def test_options_meanings_and_defaults(words: str) -> None:
    rows = re.findall(r"^\| (`[^|]+`) \| (.*) \|([^|]*)\|$", section(words), flags=re.M)
    shown = {name: (meaning, default) for name, meaning, default in rows}
    for parameter in COMMANDS[words].params:
        name = ", ".join(f"`{one}`" for one in names(parameter))
        if name.strip("`") in SHARED:
            continue
        meaning, default = shown.pop(name)
        plain = html.unescape(re.sub(r"[\\`]", "", meaning))
        assert " ".join((parameter.help or "").replace("`", "").split()) in plain, name
        given = parameter.default
        if parameter.required:
            assert default.strip() == "required", name
        elif not (isinstance(given, bool) or given in (None, (), []) or callable(given)):
            for one in given if isinstance(given, list | tuple) else [given]:
                assert f"`{one}`" in default, name
    assert not shown
