"""CPU seconds until the command line has helped, refused or answered: docs/performance.md.

    python benchmarks/start_speed.py --other OTHER/src

Least of six processes each (of three for an answer), of this checkout and of the source of another
beside it, one thread, files in memory. The model that answers is made here: the demo's topics on
the bundled encoder, frozen, with the knowledge base of Unicode CLDR.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from isogloss.data.demo_data import demo_tests, demo_train
from isogloss.report.table import Table

HERE = Path(__file__).resolve().parents[1] / "src"
TEXT = "Der Euro fiel in Frankfurt."
SHOWN = (
    "--version", "--help", "kb --help", "classify --help", "align --help", "mine --help",
    "retrieve --help", "tag --help", "vectors --help", "probe --help", "classify fit --help",
)  # fmt: skip
REFUSED = (
    "classify predict MODEL missing.tsv --lang de",
    "classify fit --train en=missing.tsv --out new",
    "classify fit --preset best",
)
ANSWERED = ("classify predict MODEL - --lang de", "classify explain MODEL TEXT --lang de")


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--other", type=Path, help="source of another checkout: its src folder")
    other = parser.parse_args().other
    sources = {"CPU seconds": HERE} | ({} if other is None else {"of the other": other})
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for number, source in enumerate(sources.values()):
            (Path(folder) / str(number)).mkdir()
            make_model(source, Path(folder) / str(number))
        for commands, n_times, code in ((SHOWN, 6, 0), (REFUSED, 6, 2), (ANSWERED, 3, 0)):
            for command in commands:
                row: dict[str, object] = {"command": f"isogloss {command}"}
                for number, (name, source) in enumerate(sources.items()):
                    own = Path(folder) / str(number)
                    row[name] = seconds(source, command, own, n_times=n_times, code=code)
                rows.append(row)
    print(Table(rows).to_markdown())


def make_model(source: Path, folder: Path) -> None:
    """Write a model by the source that will read it, and its knowledge base, into a folder."""
    train = demo_train("topics")
    with (folder / "train.tsv").open("w", encoding="utf-8") as file:
        file.write("text\tlabel\n")
        for text, label in zip(train.texts, train.labels or [], strict=True):
            file.write(f"{text}\t{label}\n")
    langs = ",".join(demo_tests("topics"))
    for command in (
        f"kb build --source cldr --langs {langs} --out kb",
        "classify fit --train en=train.tsv --kb kb --out MODEL",
    ):
        run(source, command.split(), folder)


def seconds(source: Path, command: str, folder: Path, *, n_times: int, code: int) -> float:
    """Return the least CPU time of a process that runs a command in a folder."""
    words = [TEXT if word == "TEXT" else word for word in command.split()]
    found = []
    for _ in range(n_times + 1):  # the first fills caches
        before = _of_children()
        run(source, words, folder, code=code)
        found.append(_of_children() - before)
    return min(found[1:])


def run(source: Path, words: list[str], folder: Path, *, code: int = 0) -> None:
    """Run a command of a source in a folder, and leave where it ends otherwise."""
    environment = os.environ | {"PYTHONPATH": str(source.resolve()), "OMP_NUM_THREADS": "1"}
    ended = subprocess.run(
        [sys.executable, "-m", "isogloss.cli.main", *words], input=TEXT.encode(), cwd=folder,
        env=environment, capture_output=True, check=False,
    )  # fmt: skip
    if ended.returncode != code:
        raise SystemExit(f"isogloss {words} ended with {ended.returncode}: {ended.stderr!r}")


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
