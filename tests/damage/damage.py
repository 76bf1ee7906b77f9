"""Damage files of every form at random, and see that commands refuse them or answer the same.

    python tests/damage/damage.py --damages 3000 --made-up 200 --seed 0

Prints a Markdown table and what went wrong; with --out also writes all outcomes as JSON lines.
"""

import argparse
import json
import os
import queue
import random
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

from damaged_forms import FORMS, build_world
from drawn_damage import damage
from made_up_manifests import MADE_UP

WORKER = Path(__file__).with_name("damage_worker.py")
SECONDS = 120.0  # a command takes a tenth of a second; a machine may be busy
SECONDS_TO_BEGIN = 900.0  # the first of a process imports and compiles
OUTCOMES = ("refused", "same", "different", "traceback", "crash", "hang")


@dataclass(frozen=True)
class Outcome:
    """What a damage did."""

    kind: str
    number: int
    what: str
    outcome: str
    said: str

    @property
    def is_fault(self) -> bool:
        """Whether this must not be: a wrong answer is one where a checksum could have told."""
        if self.outcome == "different":
            return self.kind in FORMS and FORMS[self.kind].has_checksum
        return self.outcome in ("traceback", "crash", "hang")


class Worker:
    """A process that answers, started anew where it ended."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._process: subprocess.Popen[bytes] | None = None

    def ask(self, form: str, *, seconds: float = SECONDS) -> tuple[str, str]:
        """Return an outcome and what was said."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, str(WORKER), str(self.root)],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            )  # fmt: skip
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{form}\n".encode())
        process.stdin.flush()
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            has_said = bool(selector.select(seconds))
        line = process.stdout.readline() if has_said else b""
        if line:
            kind, said = json.loads(line)
            return kind, said
        self.stop()
        return ("crash", f"ended with {process.returncode}") if has_said else ("hang", "")

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def run(
    folder: Path,
    *,
    n_damages: int,
    n_made_up: int,
    seed: int,
    n_workers: int = 2,
    forms: str = "",
    tell: Callable[[Outcome], object] | None = None,
) -> list[Outcome]:
    """Damage and ask; return the outcomes in order.

    Parameters
    ----------
    forms
        A pattern; other forms are left alone.
    tell
        Is told every outcome at once.
    """
    build_world(folder / "whole")
    tasks: queue.SimpleQueue[tuple[str, int]] = queue.SimpleQueue()
    chosen = [task for task in _tasks(n_damages, n_made_up) if re.search(forms, task[0])]
    random.Random(seed).shuffle(chosen)  # so that a run that is stopped says something of all
    for task in chosen:
        tasks.put(task)
    outcomes: list[Outcome] = []
    faults: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for outcome in _work(folder / "whole", folder / str(number), tasks, seed):
                outcomes.append(outcome)
                if tell is not None:
                    tell(outcome)
        except BaseException as error:
            faults.append(error)
            raise

    threads = [threading.Thread(target=work, args=(number,)) for number in range(n_workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if faults:
        raise faults[0]
    return sorted(outcomes, key=lambda outcome: (outcome.kind, outcome.number))


def _tasks(n_damages: int, n_made_up: int) -> Iterator[tuple[str, int]]:
    for kind, form in FORMS.items():
        yield from ((kind, number) for number in range(round(n_damages * form.share)))
    for kind, (_, _, share) in MADE_UP.items():
        yield from ((kind, number) for number in range(round(n_made_up * share)))


def _work(
    whole: Path, root: Path, tasks: "queue.SimpleQueue[tuple[str, int]]", seed: int
) -> Iterator[Outcome]:
    shutil.copytree(whole, root)
    worker = Worker(root)
    right: dict[str, str] = {}
    while True:
        try:
            kind, number = tasks.get_nowait()
        except queue.Empty:
            break
        form_name = MADE_UP[kind][0] if kind in MADE_UP else kind
        folder = FORMS[form_name].folder
        if form_name not in right:
            outcome, right[form_name] = worker.ask(form_name, seconds=SECONDS_TO_BEGIN)
            if outcome != "answer":
                raise RuntimeError(f"{form_name}, undamaged: {outcome}: {right[form_name]}")
            _restore(whole, root, folder)
        draw = random.Random(f"{seed} {kind} {number}")
        made_up = MADE_UP.get(kind)
        what = made_up[1](root, draw) if made_up else damage(root / folder, draw)
        outcome, said = worker.ask(form_name)
        if outcome == "answer":
            outcome = "same" if said == right[form_name] else "different"
        _restore(whole, root, folder)
        yield Outcome(kind, number, what, outcome, said if outcome != "same" else "")
    worker.stop()


def _restore(whole: Path, root: Path, folder: str) -> None:
    """Put new files in place: what a process has mapped stays what it was."""
    for name in {folder, "cache"}:
        shutil.rmtree(root / name, ignore_errors=True)
        shutil.copytree(whole / name, root / name)


def table(outcomes: list[Outcome]) -> str:
    """Return the numbers of outcomes of each form as a Markdown table."""
    lines = [f"| form | damages | {' | '.join(OUTCOMES)} |", "| --- |" + " ---: |" * 7]
    for kind in [*FORMS, *MADE_UP]:
        found = Counter(outcome.outcome for outcome in outcomes if outcome.kind == kind)
        if not found:
            continue
        numbers = " | ".join(f"{found[name]:,}" for name in OUTCOMES)
        lines.append(f"| {kind} | {found.total():,} | {numbers} |")
    return "\n".join(lines)


def main() -> None:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--damages", type=int, default=3000)
    parser.add_argument("--made-up", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--forms", default="", help="a pattern; the others are left alone")
    parser.add_argument("--out", type=Path)
    given = parser.parse_args()
    start = time.monotonic()
    with (
        tempfile.TemporaryDirectory() as folder,
        (given.out or Path(os.devnull)).open("w", encoding="utf-8", buffering=1) as told,
    ):
        outcomes = run(
            Path(folder),
            n_damages=given.damages,
            n_made_up=given.made_up,
            seed=given.seed,
            n_workers=given.workers,
            forms=given.forms,
            tell=lambda outcome: told.write(json.dumps(asdict(outcome)) + "\n"),
        )
    faults = [outcome for outcome in outcomes if outcome.is_fault]
    for fault in faults[:50]:
        where = f"{fault.kind} {fault.number} ({fault.what})"
        sys.stdout.write(f"{where}: {fault.outcome}\n{fault.said[-700:]}\n\n")
    seconds = time.monotonic() - start
    sys.stdout.write(f"{table(outcomes)}\n\n{len(faults)} faults; {seconds:.0f} s\n")


if __name__ == "__main__":
    main()
