"""What a newcomer runs first prints what the page says: README.md and docs/getting-started.md."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from repository import ROOT

FILES = {
    "text,label": "tickets.csv", "lang,text,label": "inbox.csv", "id,lang,name,type": "products.csv"
}  # fmt: skip
RUN = """
import contextlib, io, json, os, shlex, sys
from isogloss.cli.main import main
outputs = []
for folder, kind, what in json.load(sys.stdin):
    os.chdir(folder)
    with contextlib.redirect_stdout(io.StringIO()) as out:
        if kind == "command":
            assert main(shlex.split(what)) == 0, what
        else:
            exec(what, {})
    outputs.append(out.getvalue())
print(json.dumps(outputs))
"""  # in a process of its own: nothing that other tests set reaches it
TOLERANCE = 0.01  # of probabilities: processors and libraries round differently


def blocks(page: str) -> list[tuple[str, str]]:
    """Return (language, content) of each fenced block."""
    return re.findall(r"```(\w*)\n(.*?)```", page, re.DOTALL)


def words(text: str) -> list[str]:
    """Return what is printed but for lines, brackets of arrays and blanks."""
    return re.sub(r"[─\[\]]", " ", text).split()


def is_printed(shown: list[str], printed: list[str]) -> bool:
    """Whether the words that a page shows begin with those printed, numbers within a tolerance."""
    pairs = list(zip(printed, shown, strict=False))
    return len(pairs) == len(printed) and all(map(_alike, pairs))


def is_within(shown: list[str], printed: list[str]) -> bool:
    """Whether the words that a page shows stand together among those printed."""
    return any(is_printed(printed[start:], shown) for start in range(len(printed)))


def _alike(pair: tuple[str, str]) -> bool:
    try:
        printed, shown = map(float, pair)
    except ValueError:
        return pair[0] == pair[1]
    return abs(printed - shown) <= TOLERANCE


def write_files(folder: Path) -> None:
    """Write the files of "Your first classifier", which both pages use."""
    for kind, block in blocks((ROOT / "docs" / "getting-started.md").read_text("utf-8")):
        if kind == "csv":
            (folder / FILES[block.splitlines()[0]]).write_text(block, "utf-8")


def steps_of(page: str) -> list[tuple[str, str, str]]:
    """Return the steps of a page after its demo: kind, what is run, and the page after it."""
    page = page[page.index("tickets.csv") :]
    steps = []
    for kind, block in blocks(page):
        after = page[page.index(block) :]
        if kind in ("console", "bash"):
            commands = re.findall(r"^(?:\$ )?isogloss (.*)$", block, re.MULTILINE)
            steps += [
                ("command", line, after[after.index(line) + len(line) :]) for line in commands
            ]
        elif kind == "python" and "TextClassifier(" in block:
            steps.append(("code", block, blocks(after[len(block) + 3 :])[0][1]))
    return steps


def outputs_of(steps: list[tuple[str, str, str]]) -> list[str]:
    """Return what each step prints: folder, kind and what is run."""
    found = subprocess.run(
        [sys.executable, "-c", RUN], check=True, text=True, capture_output=True,
        input=json.dumps(steps),
    )  # fmt: skip
    return json.loads(found.stdout)


@pytest.mark.parametrize(
    ("name", "n_shown"),
    [("README.md", 3), pytest.param("docs/getting-started.md", 4, marks=pytest.mark.full)],
)
def test_commands_and_code_print_what_the_page_shows(
    name: str, n_shown: int, tmp_path: Path
) -> None:
    write_files(tmp_path)
    steps = steps_of((ROOT / name).read_text("utf-8"))
    outputs = outputs_of([(str(tmp_path), kind, what) for kind, what, _ in steps])
    n_compared = 0
    for (_, what, after), output in zip(steps, outputs, strict=True):
        silent = ("kb build", "classify fit", "classify evaluate")
        if not (what.startswith(silent) or " --out " in what):
            printed, shown = words(output), words(after)
            assert is_printed(shown[shown.index(printed[0]) :], printed), (what, output)
            n_compared += 1
    assert n_compared == n_shown


@pytest.mark.full
@pytest.mark.timeout(900)
def test_the_demo_prints_what_the_readme_shows(tmp_path: Path) -> None:
    page = (ROOT / "README.md").read_text("utf-8")
    (shown,) = [block for _, block in blocks(page) if block.startswith("1. A knowledge base")]
    (printed,) = outputs_of([(str(tmp_path), "command", "demo --out isogloss-demo")])
    assert "isogloss: converting" in shown  # the talk of a first run, which is not on this stream
    for part in shown.split("  …\n"):  # languages that the page leaves out
        assert is_within(_untimed(part), _untimed(printed)), part


def _untimed(text: str) -> list[str]:
    lines = [line for line in text.splitlines() if not line.startswith("isogloss: ")]
    return words(re.sub(r"Made in \S+ s", "", "\n".join(lines)))


def test_other_numbers_and_words_are_told() -> None:
    shown = words("a 0.52 b\nnext")
    assert is_printed(shown, ["a", "0.515", "b"])
    assert not is_printed(shown, ["a", "0.4", "b"])
    assert not is_printed(shown, ["a", "0.52", "c"])
    assert not is_printed(shown, ["a", "0.52", "b", "next", "more"])
    assert is_within(["b", "0.5"], ["a", "b", "0.501", "c"])
    assert not is_within(["a", "c"], ["a", "b", "c"])
