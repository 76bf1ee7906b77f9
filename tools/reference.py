"""Make the pages of the site: those of docs/, and a reference of commands and public names.

`make docs` calls it before Zensical. What is written is `build/docs`: the pages as they are; a
page for each group of commands, from the command line's own help; a page for each public name,
which mkdocstrings fills from the docstring; and a page for each record of benchmarks/, with all of
its tables.
"""

import html
import importlib
import inspect
import pkgutil
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

import isogloss
from isogloss.cli import main
from notebooks import of_pages, page_of
from results import RECORDS, record_of, shown_of

ROOT = Path(__file__).resolve().parents[1]
EVERYWHERE = ("--help", "--quiet")  # of every command; docs/command-line.md says it once


class Option(NamedTuple):
    """An option or argument: its names, what it means, its values and its default."""

    names: str
    meaning: str
    values: str
    default: str


class Name(NamedTuple):
    """A public name: how it is imported, what it is, and the first line of its docstring."""

    path: str
    value: Any
    line: str


def write_pages(folder: Path) -> None:
    """Write all pages of the site into a new folder."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(ROOT / "docs", folder)
    for page in folder.rglob("*.md"):
        page.write_text(of_pages(page.read_text("utf-8")), "utf-8")
    for notebook in (folder / "notebooks").glob("*.ipynb"):
        notebook.with_suffix(".md").write_text(page_of(notebook), "utf-8")
    for name in ("site.css", "site.js"):
        shutil.copy(Path(__file__).with_name(name), folder)
    reference = folder / "reference"
    pages = command_pages() | name_pages() | figure_pages()
    for name, text in pages.items():
        file = reference / f"{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")


def commands(group: Any = None, words: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the commands of the command line, and of groups in it, by their words."""
    for name, command in (group or main.command_line()).commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{words}{name} ")
        else:
            yield f"{words}{name}", command


def options(command: Any) -> list[Option]:
    """Return what a command takes, but for what all take."""
    context = command.make_context("isogloss", [], resilient_parsing=True)
    found = [_option(parameter, context) for parameter in command.params]
    return [option for option in found if option.names not in EVERYWHERE]


def command_pages() -> dict[str, str]:
    """Return a page for each group, commands that are in none on one, and a list of all."""
    grouped: dict[str, list[tuple[str, Any]]] = {}
    for words, command in commands():
        group = words.partition(" ")[0] if " " in words else "single"
        grouped.setdefault(group, []).append((words, command))
    lines = [
        "# Commands",
        "",
        "Made from the command line's own help. What holds for all commands: "
        "[the command line](../../command-line.md).",
    ]
    pages = {}
    for group, listed in grouped.items():
        title = "Commands without a group" if group == "single" else f"isogloss {group}"
        pages[f"commands/{group}"] = "\n".join(
            [f"# {title}", "", *(line for one in listed for line in _command(*one))]
        )
        lines += ["", f"## {title}", "", "| command | what it does |", "| --- | --- |"]
        for words, command in listed:
            anchor = f"isogloss {words}".replace(" ", "-")
            first = _text((command.help or "").split("\n\n")[0])
            lines.append(f"| [`{words}`]({group}.md#{anchor}) | {first} |")
    return pages | {"commands/index": "\n".join([*lines, ""])}


def _command(words: str, command: Any) -> Iterator[str]:
    yield f"## isogloss {words}"
    yield ""
    for paragraph in (command.help or "").split("\n\n"):
        yield _text(paragraph)
        yield ""
    listed = options(command)
    arguments = "".join(f" {one.names}" for one in listed if not one.names.startswith("-"))
    yield f"```text\nisogloss {words} [OPTIONS]{arguments}\n```"
    yield ""
    yield "| option | meaning | values | default |"
    yield "| --- | --- | --- | --- |"
    for one in listed:
        names = ", ".join(f"`{name}`" for name in one.names.split(", "))
        yield f"| {names} | {_text(one.meaning)} | {_text(one.values)} | {one.default} |"
    yield ""


def _option(parameter: Any, context: Any) -> Option:
    is_argument = parameter.param_type_name == "argument"
    names = [*parameter.opts, *parameter.secondary_opts]
    if is_argument:
        names = [(getattr(parameter, "metavar", None) or parameter.name).upper().strip("[]")]
    given = parameter.default
    if parameter.required:
        default = "required"
    elif isinstance(given, bool) or given in (None, (), []) or callable(given):
        default = ""
    else:
        default = ", ".join(
            f"`{one}`" for one in (given if isinstance(given, list | tuple) else [given])
        )
    repeated = "; may be repeated" if getattr(parameter, "multiple", False) else ""
    values = (
        re.sub(r"^list\[(.*)\]$", r"\1", parameter.display_type(context).strip("<>")) + repeated
    )
    if getattr(parameter, "is_flag", False):
        values = ""
    elif getattr(parameter, "min", None) is not None or getattr(parameter, "max", None) is not None:
        values = f"{values}, {parameter.min} to {parameter.max}"
    return Option(", ".join(names), parameter.help or "", values, default)


def _text(line: str) -> str:
    """Return words of the help as Markdown that shows them as they are, options as code."""
    line = html.escape(" ".join(line.split()), quote=False)
    line = re.sub(r"([\\`*_\[\]|~^#$])", r"\\\1", line)
    return re.sub(r"(?<![\w-])--?[a-zA-Z][\w-]*", r"`\g<0>`", line)


def packages() -> list[ModuleType]:
    """Return the package and those in it that offer names."""
    names = [one.name for one in pkgutil.iter_modules(isogloss.__path__) if one.ispkg]
    found = [importlib.import_module(f"isogloss.{name}") for name in names]
    return [isogloss, *(package for package in found if getattr(package, "__all__", ()))]


def public_names() -> list[Name]:
    """Return every public name once, by the shortest way to import it."""
    found: dict[int, Name] = {}
    for package in packages():
        for name in package.__all__:
            value = getattr(package, name)
            if callable(value):
                line = (inspect.getdoc(value) or "").partition("\n")[0]
                found.setdefault(id(value), Name(f"{package.__name__}.{name}", value, line))
    return list(found.values())


def name_pages() -> dict[str, str]:
    """Return a page for each public name, and a list of all."""
    lines = ["# Python", "", "Made from the docstrings. `isogloss.__version__` is the version."]
    pages = {}
    package = ""
    for path, _, line in public_names():
        home, _, name = path.rpartition(".")
        if home != package:
            lines += ["", f"## {home}", "", "| name | what it is |", "| --- | --- |"]
            package = home
        lines.append(f"| [`{name}`]({path}.md) | {_text(line)} |")
        pages[f"python/{path}"] = f"---\ntitle: {name}\n---\n\n::: {path}\n"
    return pages | {"python/index": "\n".join([*lines, ""])}


def figure_pages() -> dict[str, str]:
    """Return a page for each record of benchmarks/, and a list of all."""
    lines = [
        "# Figures",
        "",
        "All tables that the scripts of `benchmarks/` kept in `benchmarks/results/`. What they "
        "say: [results](../../results.md).",
        "",
        "| record | script | tables |",
        "| --- | --- | --- |",
    ]
    pages = {}
    for file in sorted(RECORDS.glob("*.json")):
        name = file.stem
        record = record_of(name, RECORDS)
        pages[f"figures/{name}"] = "\n".join(_figures(name, record))
        tables = _text("; ".join(record["tables"]))
        lines.append(f"| [{_text(name)}]({name}.md) | `{record['script']}` | {tables} |")
    return pages | {"figures/index": "\n".join([*lines, ""])}


def _figures(name: str, record: dict[str, Any]) -> Iterator[str]:
    versions = ", ".join(f"{package} {version}" for package, version in record["versions"].items())
    yield f"# {_text(name)}"
    yield ""
    yield f"```text\n{record['command']}\n```"
    yield ""
    yield f"{record['date']}, {_text(versions)}. {_text(record['processor'])}."
    yield ""
    for table in record["tables"]:
        yield f"## {_text(table)}"
        yield ""
        yield shown_of(record, table, []).to_markdown()


if __name__ == "__main__":
    write_pages(ROOT / "build" / "docs")
