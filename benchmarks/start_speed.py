"""CPU seconds until the command line has said its version or its help: docs/performance.md.

    python benchmarks/start_speed.py --other OTHER/src

Least of six processes each, of this checkout and of the source of another beside it.
"""

import argparse
import os
import resource
import subprocess
import sys
from pathlib import Path

from isogloss.report.table import Table

HERE = Path(__file__).resolve().parents[1] / "src"
COMMANDS = ("--version", "--help", "classify --help", "classify fit --help")
N_TIMES = 6


def main() -> None:
    """Print a row for each command."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--other", type=Path, help="source of another checkout: its src folder")
    other = parser.parse_args().other
    rows = []
    for command in COMMANDS:
        row = {"command": f"isogloss {command}", "CPU seconds": seconds(HERE, command)}
        rows.append(row if other is None else row | {"of the other": seconds(other, command)})
    print(Table(rows).to_markdown())


def seconds(source: Path, command: str) -> float:
    """Return the least CPU time of a process that runs a command."""
    found = []
    for _ in range(N_TIMES):
        before = _of_children()
        subprocess.run(
            [sys.executable, "-m", "isogloss.cli.main", *command.split()], check=True,
            env=os.environ | {"PYTHONPATH": str(source.resolve())}, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        found.append(_of_children() - before)
    return min(found)


def _of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main()
