"""What `isogloss` need not know is not imported: help and refusals come at once."""

import json
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

from isogloss.cli.main import COMMANDS, GROUPS, command_line

# What takes long to import; scipy itself is light, its parts are not.
HEAVY = (
    "torch", "transformers", "tokenizers", "sklearn", "numba", "pandas", "pyarrow", "peft",
    "matplotlib", "scipy.special", "scipy.sparse", "scipy.linalg", "scipy.optimize", "scipy.stats",
)  # fmt: skip
# Runs the command lines that it reads, one after the other; prints what each imported of these.
RUN = """
import contextlib, io, json, sys
from isogloss.cli.main import main
heavy, lines = json.load(sys.stdin)
known, found = set(), []
for words in lines:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(words)
    new = {name for name in heavy if name in sys.modules} - known
    known |= new
    found.append([code, out.getvalue() + err.getvalue(), sorted(new)])
print(json.dumps(found))
"""


def run(*lines: list[str], heavy: Sequence[str] = HEAVY) -> list[tuple[int, str, list[str]]]:
    """Return exit code, output and heavy modules of each command line, run in a new process."""
    made = subprocess.run(
        [sys.executable, "-c", RUN], input=json.dumps([heavy, lines]), capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    return [tuple(one) for one in json.loads(made.stdout)]


def paths(command: Any, path: list[str]) -> list[list[str]]:
    inner = getattr(command, "commands", {}).items()
    return [path, *(deeper for name, one in inner for deeper in paths(one, [*path, name]))]


def test_no_page_of_help_imports_what_takes_long() -> None:
    lines = [["--version"], *([*path, "--help"] for path in paths(command_line(), []))]
    assert len(lines) > 40
    for words, (code, shown, imported) in zip(lines, run(*lines), strict=True):
        assert (code, imported) == (0, []), f"isogloss {' '.join(words)}"
        assert shown.startswith("isogloss ") or "Usage: isogloss" in shown


def test_help_of_all_imports_no_group() -> None:
    groups = [f"isogloss.cli.{name}" for name in GROUPS | COMMANDS]
    assert [one[2] for one in run(["--help"], heavy=["isogloss.cli.main", "numpy", *groups])] == [
        ["isogloss.cli.main"]
    ]


def test_a_group_is_listed_by_the_line_of_its_own_help() -> None:
    """Which would else be found out by importing it."""
    lines = GROUPS | COMMANDS
    listed, whole = command_line([]).commands, command_line().commands
    assert {name: one.help for name, one in listed.items()} == lines
    first = {name: (one.help or "").partition("\n\n")[0] for name, one in whole.items()}
    assert first == lines


REFUSED = [
    (["classify", "fit", "--preset", "best"], "--preset is 'best'"),
    (["classify", "fit", "--train", "en=no.tsv", "--out", "new"], "no.tsv: no such file"),
    (["classify", "predict", "no", "no.tsv"], "no such model directory"),
    (["classify", "predict", "no", "no.tsv", "--out", "new.csv"], "no such model directory"),
    (["classify", "explain", "no", "text"], "no such model directory"),
    (["classify", "evaluate", "no", "--test", "ja=no.tsv"], "no such model directory"),
    (["classify", "adapt", "no", "no.tsv", "--lang", "ja"], "no such model directory"),
    (["classify", "forecast", "no", "no.tsv", "--lang", "ja"], "no such model directory"),
    (["classify", "audit", "draw", "no", "no.tsv", "--out", "new.csv"], "no such model directory"),
    (["classify", "audit", "read", "no.csv"], "no such key of a sheet"),
    (["align", "fit", "--pairs", "en-de=no.tsv", "--out", "new"], "no.tsv: no such file"),
    (["encode", "no.tsv", "--out", "new.npy"], "no.tsv: no such file"),
    (["kb", "build", "--source", "names:no.jsonl", "--out", "new"], "no.jsonl: no such file"),
    (["kb", "link", "no", "no.tsv", "--lang", "ja"], "no such knowledge base"),
    (["mine", "pairs", "no.txt", "none.txt", "--out", "new"], "no.txt: no such file"),
    (["probe", "geometry", "--text", "en=no.tsv"], "no.tsv: no such file"),
    (["retrieve", "index", "no.tsv", "--out", "new"], "no.tsv: no such file"),
    (["retrieve", "search", "no", "query"], "no such"),
    (["serve", "no"], "no such model directory"),
    (["tag", "fit", "--train", "en=no.conllu", "--out", "new"], "no.conllu: no such file"),
    (["tag", "predict", "no", "--lang", "en", "no.conllu"], "no.conllu: no such file"),
    (["try", "no.tsv", "--port", "0"], "no.tsv: no such file"),
    (["vectors", "similar", "no", "word"], "no: no such file"),
]


def test_what_is_refused_is_refused_before() -> None:
    found = run(*(words for words, _ in REFUSED))
    for (words, part), (code, shown, imported) in zip(REFUSED, found, strict=True):
        assert (code, imported) == (2, []), f"isogloss {' '.join(words)}: {shown}"
        assert part in shown


def test_a_process_ends_without_looking_for_garbage() -> None:
    """Millions of objects of torch and transformers would else be looked through at its end."""
    code = (
        "import gc, sys; from isogloss.cli.main import main; main({}); print(gc.get_freeze_count())"
    )
    for words, is_frozen in (("", True), ("['--version']", False)):
        command = [sys.executable, "-c", code.format(words), "--version"]
        made = subprocess.run(command, capture_output=True, text=True, check=True)
        assert (int(made.stdout.split()[-1]) > 1000) is is_frozen
