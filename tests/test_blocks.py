"""Every block of the documentation that a reader would run names what there is, and runs.

Commands are read by the command line itself, up to the point where they would begin; Python is
compiled, its imports are made and its calls compared with signatures. What no test runs stands in
`blocks_not_run.tsv` with the reason.
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
# Run here, in this order, in one folder: those that take no encoder, and all others.
QUICK = (
    "docs/knowledge-base.md 2", "docs/knowledge-base.md 7", "docs/wiki.md 4", "docs/tagging.md 5",
    "docs/transfer.md 3", "docs/geometry.md 5", "docs/classifier.md 1", "docs/vectors.md 11",
)  # fmt: skip
LONGER = (
    "docs/knowledge-base.md 1", "docs/knowledge-base.md 5", "docs/knowledge-base.md 6",
    "docs/vectors.md 1", "docs/vectors.md 2", "docs/vectors.md 3", "docs/vectors.md 6",
    "docs/encoder.md 1", "docs/encoder.md 3", "docs/encoder.md 5",
    "docs/encoder.md 6", "docs/encoder.md 7", "docs/geometry.md 7",
    "docs/multilabel.md 2", "docs/neutrality.md 2", "docs/transfer.md 6",
    "docs/answers.md 1", "docs/audit.md 1", "docs/classifier.md 3",
)  # fmt: skip
WITHOUT_NAMES = ("docs/trust.md 2",)  # in a folder of their own: they make a model of that name
FILES = {
    "text,label": "tickets.csv",
    "lang,text,label": "inbox.csv",
    "id,lang,name,type": "products.csv",
}
MOST_NOT_RUN = 85  # this number only gets smaller
LIST = HELPERS / "blocks_not_run.tsv"
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


def listed() -> dict[str, str]:
    """Return place and reason of the blocks that no test runs."""
    with LIST.open(encoding="utf-8", newline="") as file:
        found = {row["block"]: row["reason"] for row in csv.DictReader(file, delimiter="\t")}
    assert len(found) <= MOST_NOT_RUN, "run a new block in QUICK or LONGER; the list only shrinks"
    return found | {one.place: "benchmark" for one in SHELL_BLOCKS if is_measurement(one)}


def write_first_files(folder: Path) -> None:
    """Write the three files of the README."""
    page = (ROOT / "README.md").read_text("utf-8")
    for block in re.findall(r"```csv\n(.*?)```", page, re.DOTALL):
        (folder / FILES[block.splitlines()[0]]).write_text(block, "utf-8")


def run_all(places: tuple[str, ...], folder: Path) -> None:
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
    run_all(QUICK, tmp_path)


@pytest.mark.full
@pytest.mark.timeout(1200)
def test_longer_blocks_run(tmp_path: Path) -> None:
    write_first_files(tmp_path)
    fit = "isogloss classify fit --train en=tickets.csv --kb kb --out model"
    made = [block for block in SHELL_BLOCKS if block.page == FIRST[1] and fit in block.text]
    run_all((made[0].place,), tmp_path)
    shutil.move(tmp_path / "kb", tmp_path / "first-kb")
    run_all(LONGER, tmp_path)
    (tmp_path / "other").mkdir()
    write_first_files(tmp_path / "other")
    run_all(WITHOUT_NAMES, tmp_path / "other")


def test_what_no_test_runs_has_a_reason(capsys: pytest.CaptureFixture[str]) -> None:
    reasons = listed()
    run = {*QUICK, *LONGER, *WITHOUT_NAMES}
    not_run = {one.place for one in BLOCKS if one.page not in FIRST and one.place not in run}
    assert set(reasons) == not_run, "each block is run by a test, or stands in blocks_not_run.tsv"
    assert set(reasons.values()) <= set(REASONS)
    lines = [
        f"{number} of {len(BLOCKS)} blocks of docs/ are not run: each {REASONS[reason]}\n"
        for reason, number in Counter(reasons.values()).most_common()
    ]
    with capsys.disabled():
        sys.stdout.write("\n" + "".join(lines))


def test_an_option_and_a_name_that_are_not_there_are_told() -> None:
    wrong = Block("page.md", 1, "bash", "isogloss classify fit --train a.csv --outt model\n")
    with pytest.raises(Exception, match="No such option"):
        test_commands_have_the_options_that_pages_give(wrong)
    code = "from isogloss import TextClassifier\nmodel = TextClassifier(kbb=1)\n"
    with pytest.raises(TypeError, match="kbb"):
        test_python_names_what_there_is(Block("page.md", 1, "python", code))
    code = "from isogloss import TextClassifier\nmodel = TextClassifier()\nmodel.predikt()\n"
    with pytest.raises(AttributeError, match="predikt"):
        test_python_names_what_there_is(Block("page.md", 1, "python", code))


def test_commands_are_found_in_pipes_comments_and_over_lines() -> None:
    text = "# isogloss no\necho 'a | b' | isogloss kb link kb --lang \\\n  ko > out  # why\n"
    text += "A=1 isogloss demo\n"
    found = [words for words in commands_in(Block("page.md", 1, "bash", text)) if words]
    assert found == [
        ["echo", "a | b"], ["isogloss", "kb", "link", "kb", "--lang", "ko"], ["isogloss", "demo"]
    ]  # fmt: skip
