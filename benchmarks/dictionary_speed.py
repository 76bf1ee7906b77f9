"""Measure dump to dictionary: time, CPU time and memory beside wikipedia2vec, and how they grow.

    python benchmarks/dictionary_speed.py --data DIR [--peer PYTHON] [--megabytes 200]
        [--growth 25,50,100,200] [--repetitions 3] [--work DIR]

Ours is `isogloss kb build --source wikipedia:en=DUMP`: pages, texts and links, counts, and the
knowledge base. wikipedia2vec's is build-dump-db, build-dictionary, build-link-graph and
build-mention-db, with as many processes. Dumps: the real English slice, and a made one of so many
megabytes of XML (`made_dump.py`), a multistream bz2 as Wikimedia offers.

With `--growth`, our side builds made dumps of these sizes with one worker on one core and with two
on two. Both give a part of the time that any number of cores shares and a part that it does not;
lines are fitted to both parts by the megabytes of XML, and to the memory of one worker by the
number of names, and drawn out to the English Wikipedia. What two workers hold beyond one is that of
two more processes: it does not grow, as tables are mapped and each has one part of the dump at a
time.

Memory is that of all processes together: the proportional set size, ten times a second. Compiled
code is cached before anything is measured. `PYTHON` has wikipedia2vec 2.0.0 (a virtual environment
of Python 3.11). `--work` keeps the made dumps, to measure in several goes.
"""

import argparse
import bz2
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from made_dump import make_dump

SLICE = "wikipedia/slices/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
ENGLISH_MB = 100_000  # of XML, all pages of pages-articles; 7 million articles
ENGLISH_NAMES = 25_000_000  # supposed: 18 million titles and redirects, and other texts of links
CORES = (2, 16, 64)


def main() -> None:
    """Measure, write JSON to benchmarks/out, print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--peer", type=Path, help="Python with wikipedia2vec; none: ours alone")
    parser.add_argument("--megabytes", type=int, default=200, help="of the made dump; 0: none")
    parser.add_argument("--growth", default="", help="sizes in megabytes, as 25,50,100,200")
    parser.add_argument("--repetitions", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--work", type=Path, help="keep what is made in this folder")
    options = parser.parse_args()
    real = options.data / SLICE
    result: dict = {"compared": [], "growth": []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.work or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        ours(real, folder, options.workers)  # compiles, or loads what was
        dumps = [(real, size_of(real))]
        if options.megabytes:
            dumps.append(made(real, folder, options.megabytes))
        for dump, size in dumps:
            result["compared"].append(compared(dump, size, folder, options))
        for megabytes in [int(size) for size in options.growth.split(",") if size]:
            dump, size = made(real, folder, megabytes)
            result["growth"].append(grown(dump, size, folder, options.repetitions))
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "dictionary_speed.json").write_text(json.dumps(result, indent=1) + "\n")
    print(as_markdown(result))


def made(real: Path, folder: Path, megabytes: int) -> tuple[Path, dict[str, int]]:
    """Make a dump, or take the one that is there."""
    dump, facts = folder / f"made{megabytes}.xml.bz2", folder / f"made{megabytes}.json"
    if not dump.exists():
        facts.write_text(json.dumps(make_dump(real, dump, megabytes * 1_000_000)))
    return dump, json.loads(facts.read_text())


def compared(dump: Path, size: dict, folder: Path, options: argparse.Namespace) -> dict:
    """Run both sides in turn, so often; return all measurements."""
    found: dict = {"dump": dump.name, **size, "isogloss": [], "wikipedia2vec": []}
    for _ in range(options.repetitions):
        found["isogloss"].append(ours(dump, folder, options.workers))
        if options.peer is not None:
            found["wikipedia2vec"].append(of_peer(options.peer, dump, folder, options.workers))
    return found


def grown(dump: Path, size: dict, folder: Path, repetitions: int) -> dict:
    """Return measurements of a size with one worker on one core, and with two."""
    one = [ours(dump, folder, 1, n_cores=1) for _ in range(repetitions)]
    two = [ours(dump, folder, 2, n_cores=2) for _ in range(repetitions)]
    manifest = json.loads((folder / "kb" / "manifest.json").read_text(encoding="utf-8"))
    names = manifest["languages"]["en"]["n_names"]
    return {**size, "names": names, "one": one, "two": two}


def ours(dump: Path, folder: Path, workers: int, n_cores: int | None = None) -> dict[str, float]:
    """Build a knowledge base; return seconds, CPU-seconds and megabytes of memory."""
    command = [sys.executable, "-m", "isogloss.cli.main", "kb", "build", "--overwrite"]
    command += ["--source", f"wikipedia:en={dump}", "--out", str(folder / "kb")]
    return watched([*command, "--workers", str(workers)], n_cores)


def of_peer(python: Path, dump: Path, folder: Path, workers: int) -> dict[str, float]:
    """Run the four stages; return seconds and CPU-seconds together, and the highest memory."""
    program = str(python.with_name("wikipedia2vec"))
    db, words, graph, names = (str(folder / f"peer.{k}") for k in ("db", "dic", "graph", "names"))
    Path(db).unlink(missing_ok=True)
    pool, rule = ["--pool-size", str(workers)], ["--tokenizer", "regexp"]
    stages = [
        watched([program, *stage])
        for stage in (
            ["build-dump-db", *pool, str(dump), db],
            ["build-dictionary", *pool, *rule, db, words],
            ["build-link-graph", *pool, db, words, graph],
            ["build-mention-db", *pool, *rule, db, words, names],
        )
    ]
    return {
        "seconds": sum(stage["seconds"] for stage in stages),
        "cpu_seconds": sum(stage["cpu_seconds"] for stage in stages),
        "peak_mb": max(stage["peak_mb"] for stage in stages),
    }


def watched(command: list[str], n_cores: int | None = None) -> dict[str, float]:
    """Run a command; return its seconds, CPU-seconds, and the memory of it and its children."""
    cores = sorted(os.sched_getaffinity(0))[:n_cores]
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    before, start = os.times(), time.monotonic()
    process = subprocess.Popen(
        command, stderr=subprocess.DEVNULL, env=environment,
        preexec_fn=lambda: os.sched_setaffinity(0, cores),
    )  # fmt: skip
    peak = 0
    while process.poll() is None:
        peak = max(peak, memory_of(process.pid))
        time.sleep(0.1)
    seconds = time.monotonic() - start
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    after = os.times()
    cpu = after.children_user + after.children_system
    cpu -= before.children_user + before.children_system
    return {"seconds": seconds, "cpu_seconds": cpu, "peak_mb": peak / 1000}


def memory_of(pid: int) -> int:
    """Return the proportional set size of a process and all below it, in kilobytes."""
    total = 0
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total = int(line.split()[1])
        for task in Path(f"/proc/{pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                total += memory_of(int(child))
    except (FileNotFoundError, ProcessLookupError):  # it ended meanwhile
        pass
    return total


def size_of(dump: Path) -> dict[str, int]:
    """Return the pages and bytes of XML of a small dump."""
    source = bz2.decompress(dump.read_bytes())
    return {"pages": source.count(b"<page>"), "bytes": len(source)}


def median(measured: list[dict[str, float]], what: str) -> float:
    """Return the median of repetitions."""
    return statistics.median(one[what] for one in measured)


def fitted(growth: list[dict]) -> dict:
    """Fit lines over megabytes of XML and over names, and draw them out to the English Wikipedia.

    On n cores the time is s + p / n: with one core s + p was measured, with two s + p / 2. The
    memory of n workers is that of one and n times half of what two hold more.
    """
    sizes = np.array([one["bytes"] / 1e6 for one in growth])
    names = np.array([one["names"] / 1e3 for one in growth])
    one, two = (np.array([median(g[k], "seconds") for g in growth]) for k in ("one", "two"))
    memory_one, memory_two = (
        np.array([median(g[k], "peak_mb") for g in growth]) for k in ("one", "two")
    )
    parallel = 2 * (one - two)
    lines = {
        "shared seconds": ("MB of XML", np.polyfit(sizes, parallel, 1)),
        "other seconds": ("MB of XML", np.polyfit(sizes, one - parallel, 1)),
        "MB of memory": ("thousands of names", np.polyfit(names, memory_one, 1)),
    }
    a_worker = float((memory_two - memory_one).mean()) / 2
    exponents = {
        "seconds on two cores": float(np.polyfit(np.log(sizes), np.log(two), 1)[0]),
        "memory of one worker": float(np.polyfit(np.log(sizes), np.log(memory_one), 1)[0]),
    }
    at = {
        what: max(
            float(np.polyval(line, ENGLISH_MB if of == "MB of XML" else ENGLISH_NAMES / 1e3)), 0.0
        )
        for what, (of, line) in lines.items()
    }
    english = {
        cores: {
            "hours": (at["other seconds"] + at["shared seconds"] / cores) / 3600,
            "gb": (at["MB of memory"] + cores * a_worker) / 1000,
        }
        for cores in CORES
    }
    return {
        "lines": {what: (of, *line.tolist()) for what, (of, line) in lines.items()},
        "MB a worker": a_worker,
        "exponents": exponents,
        "english": english,
    }


def as_markdown(result: dict) -> str:
    """Return the tables."""
    head = "| dump | XML, MB | pages | | seconds | CPU-seconds | pages a second "
    rows = [head + "| pages a CPU-second | peak MB |"]
    rows.append("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |")
    for one in result["compared"]:
        for who in ("isogloss", "wikipedia2vec"):
            if one[who]:
                seconds, cpu_seconds, peak = (
                    median(one[who], what) for what in ("seconds", "cpu_seconds", "peak_mb")
                )
                rows.append(
                    f"| {one['dump']} | {one['bytes'] / 1e6:.0f} | {one['pages']:,} | {who} | "
                    f"{seconds:.1f} | {cpu_seconds:.1f} | {one['pages'] / seconds:,.0f} | "
                    f"{one['pages'] / cpu_seconds:,.0f} | {peak:,.0f} |"
                )
    if result["growth"]:
        rows += ["", "| XML, MB | pages | names | one core, s | two cores, s | one: MB | two: MB |"]
        rows.append("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
        for g in result["growth"]:
            cells = [f"{median(g[k], 'seconds'):.1f}" for k in ("one", "two")]
            cells += [f"{median(g[k], 'peak_mb'):,.0f}" for k in ("one", "two")]
            size = f"| {g['bytes'] / 1e6:.0f} | {g['pages']:,} | {g['names']:,} | "
            rows.append(size + " | ".join(cells) + " |")
    if len(result["growth"]) > 1:
        fit = fitted(result["growth"])
        rows.append("")
        for what, (of, slope, base) in fit["lines"].items():
            rows.append(f"{what} = {slope:.4f} x {of} + {base:.1f}  ")
        rows.append(f"MB of memory a worker, where there are several = {fit['MB a worker']:.0f}  ")
        for what, exponent in fit["exponents"].items():
            rows.append(f"{what} grows as MB to the power of {exponent:.2f}  ")
        rows += ["", "| enwiki, cores | hours | memory, GB |", "| ---: | ---: | ---: |"]
        for cores, told in fit["english"].items():
            rows.append(f"| {cores} | {told['hours']:.1f} | {told['gb']:.1f} |")
    return "\n".join(rows)


if __name__ == "__main__":
    main()
