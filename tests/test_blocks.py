"""Every block of the documentation that a reader would run names what there is, and runs.

Commands are read by the command line itself, up to the point where they would begin; Python is
compiled, its imports are made and its calls compared with signatures. What no test runs stands in
`blocks.tsv` with the reason.
"""

import ast
import csv
import importlib
import inspect
import itertools
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_blocks import BLOCKS, SHELLS, Block, commands_in, imported
from repository import HELPERS, ROOT

from isogloss.cli import main

REASONS = {
    "data": "reads data that only the reader has, or that is licensed",
    "dump": "reads the dump of a Wikipedia",
    "graphics card": "asks for graphics cards",
    "minutes": "takes minutes, or an encoder to be fetched",
    "installs": "installs packages, or starts what does not end",
    "benchmark": "is a measurement of minutes to hours, for the figures of the page",
    "either": "says two ways of making one thing",
    "fragment": "is a part of what a block before it began",
}
FIRST = ("README.md", "docs/getting-started.md")  # `test_first_pages` runs them
FILES = {
    "text,label": "tickets.csv",
    "lang,text,label": "inbox.csv",
    "id,lang,name,type": "products.csv",
}
MOST_NOT_RUN = 88  # this number only gets smaller
# Of each block how it is run: "quick" and "longer" in this order in one folder, "alone" in one of
# its own, as it makes a model that another makes too, "desk" in one whose columns are those of a
# desk. Or why not: one of `REASONS`.
with (HELPERS / "blocks.tsv").open(encoding="utf-8", newline="") as file:
    HOW = {row["block"]: row["how"] for row in csv.DictReader(file, delimiter="\t")}
SHELL_BLOCKS = [block for block in BLOCKS if block.kind in SHELLS]
PYTHON_BLOCKS = [block for block in BLOCKS if block.kind == "python"]
COMMAND = main.command_line()
SHELL = """
isogloss() { "$PYTHON" -c "import sys; from isogloss.cli.main import main; sys.exit(main())" "$@"; }
"""
PYTHON = """
names = {{}}  # of each page: a block may take up those of one before
for page, text in {}:
    exec(text, names.setdefault(page, {{}}))
"""


def place(block: Block) -> str:
    return block.place


def read_by_command_line(words: list[str]) -> None:
    """Take a command apart as `isogloss` does, without running it."""
    command = COMMAND
    names = ["isogloss"]
    while hasattr(command, "commands"):
        if not words or words[0].startswith("-"):
            assert words[:1] in (["--version"], ["--help"]), (names, words)
            return
        names.append(words[0])
        assert words[0] in command.commands, names
        command, words = command.commands[words[0]], words[1:]
    if "--help" in words:
        return
    command.make_context(" ".join(names), list(words))


@pytest.mark.parametrize("block", SHELL_BLOCKS, ids=place)
def test_commands_have_the_options_that_pages_give(block: Block) -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    for words in commands_in(block):
        if words[:1] == ["isogloss"]:
            read_by_command_line(words[1:])
        elif words[:1] == ["make"]:
            targets = [word for word in words[1:] if "=" not in word and not word.startswith("-")]
            for target in targets:
                assert re.search(rf"^(?:\w[\w -]* )?{target}\b.*:", makefile, re.M), target
        elif words[:1] == ["pip"]:
            named = re.findall(r"\.\[([\w,]+)\]", " ".join(words))
            assert {one for names in named for one in names.split(",")} <= set(extras), words
        elif words and words[0].endswith("python") and words[1:2] and words[1].endswith(".py"):
            script = ROOT / words[1]
            assert script.is_file(), words
            source = "".join(path.read_text("utf-8") for path in _with_imports(script))
            for option in [word.partition("=")[0] for word in words if word.startswith("--")]:
                assert f'"{option}"' in source, (words[1], option)


def _with_imports(script: Any) -> Iterator[Any]:
    """Yield a script and those beside it whose names stand in it."""
    yield script
    text = script.read_text("utf-8")
    for other in script.parent.glob("*.py"):
        if other != script and re.search(rf"\b{other.stem}\b", text):
            yield other


@pytest.mark.parametrize("block", PYTHON_BLOCKS, ids=place)
def test_python_names_what_there_is(block: Block) -> None:
    tree = ast.parse(block.text)
    names: dict[str, Any] = {}
    for name, module, there in imported(tree):
        names[name] = getattr(importlib.import_module(module), there)
    made: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            made |= {
                target.id: cls
                for target in node.targets
                if isinstance(target, ast.Name) and (cls := _class_of(node.value.func, names))
            }
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = _called(node.func, names, made)
            if called is not None:
                _bind(called, node)


def _class_of(function: ast.expr, names: dict[str, Any]) -> Any:
    """Return the class that a call makes one of: `C(…)`, or `C.open(…)` and its like."""
    if isinstance(function, ast.Name):
        found = names.get(function.id)
        return found if inspect.isclass(found) else None
    if isinstance(function, ast.Attribute) and function.attr in ("load", "open"):
        return _class_of(function.value, names)
    return None


def _called(function: ast.expr, names: dict[str, Any], made: dict[str, Any]) -> Any:
    """Return what is called, where that is known; what a class has not fails."""
    if isinstance(function, ast.Name):
        return names.get(function.id)
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        owner = function.value.id
        if owner in names and inspect.isclass(names[owner]):
            return getattr(names[owner], function.attr)
        if owner in made:
            method = getattr(made[owner], function.attr)
            return method.__get__(object()) if inspect.isfunction(method) else None
    return None


def _bind(called: Any, node: ast.Call) -> None:
    stars = [
        *(isinstance(one, ast.Starred) for one in node.args),
        *(not one.arg for one in node.keywords),
    ]
    signature = inspect.signature(called)
    positions = [one for one in node.args if not isinstance(one, ast.Starred)]
    keywords = {one.arg: one for one in node.keywords if one.arg}
    bind = signature.bind_partial if any(stars) else signature.bind
    bind(*positions, **keywords)


def is_measurement(block: Block) -> bool:
    """Whether a block only runs scripts of benchmarks/."""
    starts = [words[:2] for words in commands_in(block) if words] if block.kind in SHELLS else []
    return bool(starts) and all(
        words[0].endswith("python") and words[1:][:1] and words[1].startswith("benchmarks/")
        for words in starts
    )


def placed(*how: str) -> list[str]:
    """Return the places of the blocks that are run so, or not run for that reason."""
    return [place for place, found in HOW.items() if found in how]


def write_first_files(folder: Path) -> None:
    """Write the three files of "Your first classifier"."""
    page = (ROOT / FIRST[1]).read_text("utf-8")
    for block in re.findall(r"```csv\n(.*?)```", page, re.DOTALL):
        (folder / FILES[block.splitlines()[0]]).write_text(block, "utf-8")


def write_desk_files(folder: Path) -> None:
    """Write the three files with the columns that a support desk may have."""
    write_first_files(folder)
    columns = {"text": "Message", "label": "Team"}
    for name, kept in (("tickets.csv", ["text", "label"]), ("inbox.csv", ["text"])):
        with (folder / name).open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        with (folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([columns[one] for one in kept])
            writer.writerows([row[one] for one in kept] for row in rows)


def run_all(places: list[str], folder: Path) -> None:
    """Run blocks one after another in a folder: Python in one process, commands by a shell."""
    by_place = {block.place: block for block in BLOCKS}
    for kind, group in itertools.groupby((by_place[one] for one in places), lambda one: one.kind):
        blocks = list(group)
        words = ["bash", "-e", "-o", "pipefail", "-c"]
        given = SHELL + "\n".join(block.text for block in blocks)
        if kind == "python":
            words = [sys.executable, "-c"]
            given = PYTHON.format([(block.page, block.text) for block in blocks])
        env = {**os.environ, "PYTHON": sys.executable}
        ended = subprocess.run(
            [*words, given], cwd=folder, env=env, text=True, capture_output=True, check=False
        )
        assert ended.returncode == 0, f"{given}\n{ended.stdout}\n{ended.stderr}"


def test_quick_blocks_run(tmp_path: Path) -> None:
    write_first_files(tmp_path)
    run_all(placed("quick"), tmp_path)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_longer_blocks_run(tmp_path: Path) -> None:
    write_first_files(tmp_path)
    fit = "isogloss classify fit --train en=tickets.csv --kb kb --out model"
    made = [block for block in SHELL_BLOCKS if block.page == FIRST[1] and fit in block.text]
    run_all([made[0].place], tmp_path)
    shutil.move(tmp_path / "kb", tmp_path / "first-kb")
    run_all(placed("longer"), tmp_path)
    (tmp_path / "other").mkdir()
    write_first_files(tmp_path / "other")
    run_all(placed("alone"), tmp_path / "other")
    (tmp_path / "desk").mkdir()
    write_desk_files(tmp_path / "desk")
    run_all(placed("desk"), tmp_path / "desk")


def test_what_no_test_runs_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    measured = {one.place for one in SHELL_BLOCKS if is_measurement(one)}
    places = {one.place for one in BLOCKS if one.page not in FIRST} - measured
    assert set(HOW) == places, "a block is run by a test, or has its reason in blocks.tsv"
    assert set(HOW.values()) <= {*REASONS, "quick", "longer", "alone", "desk"}
    assert len(placed(*REASONS)) <= MOST_NOT_RUN, "run the new block"
    counts = Counter(how for how in HOW.values() if how in REASONS)
    counts["benchmark"] += len(measured)
    lines = [
        f"{number} of {len(BLOCKS)} blocks of docs/ are not run: each {REASONS[reason]}\n"
        for reason, number in counts.most_common()
    ]
    with capsys.disabled():
        sys.stdout.write("\n" + "".join(lines))


def test_an_option_and_a_name_that_are_not_there_are_told() -> None:
    wrong = Block("page.md", "a page", "bash", "isogloss classify fit --train a.csv --outt model\n")
    with pytest.raises(Exception, match="No such option"):
        test_commands_have_the_options_that_pages_give(wrong)
    code = "from isogloss import TextClassifier\nmodel = TextClassifier(kbb=1)\n"
    with pytest.raises(TypeError, match="kbb"):
        test_python_names_what_there_is(Block("page.md", "a page", "python", code))
    code = "from isogloss import TextClassifier\nmodel = TextClassifier()\nmodel.predikt()\n"
    with pytest.raises(AttributeError, match="predikt"):
        test_python_names_what_there_is(Block("page.md", "a page", "python", code))


def test_commands_are_found_in_pipes_comments_and_over_lines() -> None:
    text = "# isogloss no\necho 'a | b' | isogloss kb link kb --lang \\\n  ko > out  # why\n"
    text += "A=1 isogloss demo\n"
    found = [words for words in commands_in(Block("page.md", "a page", "bash", text)) if words]
    assert found == [
        ["echo", "a | b"], ["isogloss", "kb", "link", "kb", "--lang", "ko"], ["isogloss", "demo"]
    ]  # fmt: skip
