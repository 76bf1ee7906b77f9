"""The blocks of the documentation that a reader would run, and what their words name."""

import ast
import re
import shlex
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from repository import ROOT

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELLS = ("bash", "console", "sh")


class Block(NamedTuple):
    """A fenced block: where it stands, its language and what is in it."""

    page: str
    place: str  # the page and the first line that is no import
    kind: str
    text: str


def blocks_of(page: Path) -> Iterator[Block]:
    """Yield the blocks of a page that a reader would run."""
    found = re.findall(r"^ *```(\w+)\n(.*?)^ *```", page.read_text("utf-8"), re.S | re.M)
    runnable = [(kind, text) for kind, text in found if kind in (*SHELLS, "python")]
    name, seen = page.relative_to(ROOT).as_posix(), Counter[str]()
    for kind, text in runnable:
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        telling = [line for line in lines if not re.match(r"(import|from) ", line)] or lines
        place = f"{name}: {telling[0][:50].strip()}"
        seen[place] += 1
        if seen[place] > 1:
            place += f" ({seen[place]})"
        yield Block(name, place, kind, textwrap.dedent(text))


BLOCKS = [block for page in PAGES for block in blocks_of(page)]


def commands_in(block: Block) -> list[list[str]]:
    """Return the commands of a block of the shell, each as its words."""
    text = block.text.replace("\\\n", " ")
    if block.kind == "console":  # other lines are what is printed
        text = "\n".join(line[2:] for line in text.splitlines() if line.startswith("$ "))
    return list(_commands_of(text))


def _commands_of(text: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(text, posix=True, punctuation_chars="|&;<>\n")
    lexer.whitespace = " \t\r"
    lexer.whitespace_split = True
    lexer.commenters = ""
    words: list[str] = []
    is_file = False  # what follows a redirection
    is_comment = False
    for word in lexer:
        if set(word) <= set("|&;\n"):
            is_comment = is_comment and "\n" not in word
            yield words
            words = []
        elif is_comment or word.startswith("#"):
            is_comment = True
        elif set(word) <= set("<>"):
            is_file = True
        elif is_file:
            is_file = False
        elif words or not (word in ("do", "then", "time") or re.match(r"^\w+=", word)):
            words.append(word)
    yield words


def imported(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    """Yield what a block imports of isogloss: name in the block, module, and name there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "isogloss":
            for one in node.names:
                yield one.asname or one.name, node.module or "", one.name
