"""What Ray costs to start, and from how many texts on it pays: docs/parts.md.

    python benchmarks/parts_ray.py [--workers 4]

A cluster is started on this machine, as `--executor ray` does, with one actor that does nothing;
memory is that of Ray's processes, what they share divided among them. The bundled encoder's speed
on the demo's texts is measured beside it, one thread.
"""

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from isogloss.data.demo_data import demo_train
from isogloss.encode import Encoder
from isogloss.parts.on_ray import Ray
from isogloss.report.table import Table

ROUNDS = 3
MACHINES = (2, 4, 8)
NOTHING = "def worker(settings):\n    return lambda ticket: ticket\n"


def main() -> None:
    """Print a table for each question."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--workers", type=int, default=4, help="of each machine")
    given = parser.parse_args()
    os.environ["OMP_NUM_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "does_nothing.py").write_text(NOTHING, "utf-8")
        os.environ["PYTHONPATH"] = os.pathsep.join([folder, *sys.path])
        rounds = [one_round() for _ in range(ROUNDS)]
    start, end = (median(one[name] for one in rounds) for name in ("start", "end"))
    memory = median(one["MB"] for one in rounds)
    row = {"s to the first outcome": round(start, 1), "s to end": round(end, 1),
           "MB of Ray's own processes": round(memory)}  # fmt: skip
    print(Table([row], caption=f"Ray on one machine, median of {ROUNDS}").to_markdown())
    rate = texts_a_second()
    rows = []
    for machines in MACHINES:
        alone, together = rate * given.workers, rate * given.workers * machines
        # n / alone = start + end + n / together
        n = (start + end) / (1 / alone - 1 / together)
        small = 99 * (start + end) * together
        rows.append({"machines": machines, "faster than one from texts": round(n),
                     "starting is a hundredth from texts": round(small)})  # fmt: skip
    caption = f"{rate:.0f} texts a second and worker, {given.workers} workers a machine"
    print(Table(rows, caption=caption).to_markdown())


def one_round() -> dict[str, float]:
    """Start a cluster and end it."""
    began = time.perf_counter()
    outcomes = Ray().outcomes("does_nothing", {}, [b"1", b"2"])
    next(outcomes)
    start = time.perf_counter() - began
    memory = own_memory()
    next(outcomes)
    began = time.perf_counter()
    if list(outcomes):
        raise SystemExit("more came out than went in")
    return {"start": start, "end": time.perf_counter() - began, "MB": memory}


def own_memory() -> float:
    """Return megabytes of the processes that this one started, but for the actor."""
    found = [os.getpid()]
    for one in found:
        for listed in Path(f"/proc/{one}/task").glob("*/children"):
            found += map(int, listed.read_text("ascii").split())
    kilobytes = 0
    for one in found[1:]:
        if b"PartWorker" not in Path(f"/proc/{one}/cmdline").read_bytes():
            lines = Path(f"/proc/{one}/smaps_rollup").read_text("ascii").splitlines()
            kilobytes += next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    return kilobytes / 1000


def texts_a_second() -> float:
    """Return how many texts of the demo the bundled encoder takes a second."""
    encoder = Encoder.load("bundled", threads=1)
    texts = list(demo_train("topics").texts)
    encoder.encode(texts[:20])
    began = time.perf_counter()
    encoder.encode(texts)
    return len(texts) / (time.perf_counter() - began)


if __name__ == "__main__":
    main()
