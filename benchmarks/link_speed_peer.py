"""Measure linking beside wikipedia2vec 2.0.0: the names of a dump, and five million made ones.

    python benchmarks/link_speed_peer.py --data DIR --peer PYTHON [--names 5000000] [--work DIR]

PYTHON is the interpreter of an environment of its own (Python 3.11, ``pip install
wikipedia2vec==2.0.0``). Text: the English slice as the other tool reads it, repeated to 20 MB, in
its own unit, sections, and in lines, which it likes better. Both get the same strings and the same
names; the made ones share beginnings, and a tenth are taken from the text. isogloss returns all
candidates and weights, the other one the names with a single entity. CPU-seconds of one process.
"""

import argparse
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from isogloss.kb import KnowledgeBase, LinkedTexts
from isogloss.kb.link.linker import Linker

SLICE = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
N_BYTES = 20_000_000
FIRST_TEXTS = 20
NAMES_PER_ENTITY, SHARED = 4, 8  # every eighth name has a second entity
HERE = Path(__file__).resolve()
WORKER = HERE.parent / "link_peer_worker.py"


def main() -> None:
    """Print and write one row for each set of names, unit of text and tool."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--peer", help="interpreter with wikipedia2vec 2.0.0")
    parser.add_argument("--names", type=int, default=5_000_000, help="made names")
    parser.add_argument("--work", type=Path, help="keep what is made in this folder")
    parser.add_argument("--open", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.open:
        hold(Path(options.open[0]), Path(options.open[1]))
        return
    if not options.peer:
        parser.error("the following arguments are required: --peer")
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(exist_ok=True)
        rows = list(measured(options.data / "wikipedia" / "slices" / SLICE, work, options))
    out = HERE.parent / "out"
    out.mkdir(exist_ok=True)
    (out / "link_speed_peer.json").write_text(json.dumps(rows, indent=1) + "\n")


def measured(dump: Path, work: Path, options: Any) -> Iterator[dict[str, Any]]:
    """Yield what was measured with the dump's names and with made ones."""
    if not (work / "texts.jsonl").exists():
        run(options.peer, WORKER, "names", dump, work)
    texts = [json.loads(line) for line in (work / "texts.jsonl").read_text().splitlines()]
    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    for unit, strings in (("sections", texts), ("lines", lines)):
        write_lines(work / f"{unit}.jsonl", strings)
    if not (work / "made.tsv").exists():
        write_made_names(work / "made.tsv", texts, options.names)
    for name in ("names", "made"):
        kb = work / f"{name}.kb"
        if not kb.exists():
            write_entities(work / f"{name}.tsv", work / f"{name}.jsonl")
            source = f"names:{work}/{name}.jsonl"
            command = ["-m", "isogloss.cli.main", "kb", "build", "--source", source]
            start = time.monotonic()
            usage = run(sys.executable, *command, "--out", kb)
            yield told({"names": name, "build_cpu_seconds": usage[0], "peak_mb": usage[1],
                        "seconds": time.monotonic() - start})  # fmt: skip
        yield told({"names": name, **opened(kb, work / "sections.jsonl")})
        for unit in ("sections", "lines"):
            once = work / f"{unit}.jsonl"
            row = {"names": name, "unit": unit}
            yield told({**row, "tool": "isogloss", **linked(kb, once)})
            found = work / f"{name}-{unit}.json"
            run(options.peer, WORKER, "link", work / f"{name}.tsv", once, found)
            yield told({**row, "tool": "wikipedia2vec", **of_peer(found, once)})


def told(row: dict[str, Any]) -> dict[str, Any]:
    """Print a row, and return it."""
    print(json.dumps(row), flush=True)
    return row


def linked(kb: Path, texts: Path) -> dict[str, Any]:
    """Return the speed of our linker; every threshold was applied when the names were made.

    Beside it the speed on the first texts alone, again and again: what they need of the table stays
    in the processor's caches.
    """
    strings = [json.loads(line) for line in texts.read_text().splitlines()]
    linker = Linker(KnowledgeBase.open(kb), "en", min_link_prob=0.0, min_commonness=0.0)
    linker.link(strings[:3])
    rate, found, times = speed(linker, strings)
    return {"mb_per_cpu_second": rate, "first_texts": speed(linker, strings[:FIRST_TEXTS])[0],
            "n_mentions": found.n_mentions // times,
            "n_candidates": found.entity.size // times}  # fmt: skip


def speed(linker: Linker, strings: list[str]) -> tuple[float, LinkedTexts, int]:
    """Return MB per CPU-second, what was found, and how often the texts were repeated."""
    size = sum(len(text.encode()) for text in strings)
    times = N_BYTES // size + 1
    seconds = []
    for _ in range(3):
        start = time.process_time()
        found = linker.link(strings * times)
        seconds.append(time.process_time() - start)
    return round(size * times / 1e6 / sorted(seconds)[1], 2), found, times


def of_peer(found: Path, texts: Path) -> dict[str, Any]:
    """Return the speed of the other tool."""
    answer = json.loads(found.read_text())
    size = sum(len(json.loads(line).encode()) for line in texts.read_text().splitlines())
    return {"mb_per_cpu_second": round(size / 1e6 / answer["seconds"]["link"], 3),
            "n_mentions": answer["n_mentions"], "n_spans": sum(map(len, answer["spans"])),
            "n_names": answer["n_names"], "seconds": answer["seconds"]}  # fmt: skip


def opened(kb: Path, texts: Path) -> dict[str, Any]:
    """Return opening time, file size, and the memory of two processes with the same store."""
    command = [sys.executable, HERE, "--data", ".", "--open", kb, texts]
    both = [
        subprocess.Popen([*map(str, command)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    for process in both:  # both are ready before either measures
        assert process.stdout is not None
        process.stdout.readline()
    rows = [json.loads(process.communicate(b"\n")[0]) for process in both]
    size = sum(path.stat().st_size for path in kb.rglob("*") if path.is_file())
    return {"file_mb": size // 10**6, "processes": rows}


def hold(kb: Path, texts: Path) -> None:
    """Open a store, link some text, wait for the other process, and print what is held."""
    strings = [json.loads(line) for line in texts.read_text().splitlines()]
    before = memory()["private"]
    start = time.perf_counter()
    linker: Linker = Linker(KnowledgeBase.open(kb), "en", min_link_prob=0.0, min_commonness=0.0)
    seconds = time.perf_counter() - start
    opened_private = memory()["private"] - before
    linker.link(strings)
    start = time.perf_counter()  # compiled code is loaded now
    Linker(KnowledgeBase.open(kb), "en", min_link_prob=0.0, min_commonness=0.0)
    again = time.perf_counter() - start
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    files = memory(kb.name)
    sys.stdout.write(json.dumps({
        "open_ms": round(1000 * seconds, 1), "open_again_ms": round(1000 * again, 1),
        "private_mb_to_open": opened_private // 1000,
        "store_resident_mb": files["resident"] // 1000, "store_shared_mb": files["shared"] // 1000,
        "store_private_mb": files["private"] // 1000,
    }))  # fmt: skip


def memory(part: str = "") -> dict[str, int]:
    """Return kilobytes of this process by smaps, of mappings whose file has `part` in its path."""
    total = {"resident": 0, "shared": 0, "private": 0}
    is_wanted = False
    for line in Path("/proc/self/smaps").read_text().splitlines():
        name, *rest = line.split()
        if not name.endswith(":"):
            is_wanted = part in line
        elif is_wanted and name == "Rss:":
            total["resident"] += int(rest[0])
        elif is_wanted and name.startswith(("Shared_", "Private_")) and rest[-1:] == ["kB"]:
            kind = name.partition("_")[0].lower()
            if name.rpartition("_")[2] in ("Clean:", "Dirty:"):
                total[kind] += int(rest[0])
    return total


def write_made_names(path: Path, texts: list[str], n_names: int) -> None:
    """Write names of 2 to 5 words: a tenth from the text, the rest begin as text does."""
    rng = random.Random(0)
    words = [word for text in texts for word in text.lower().split() if word.isalnum()]
    made: set[str] = set()
    while len(made) < n_names:
        place, n_words = rng.randrange(len(words) - 5), rng.randint(2, 5)
        n_shared = n_words if len(made) * 10 < n_names else rng.randint(1, n_words - 1)
        name = words[place : place + n_shared] + rng.choices(words, k=n_words - n_shared)
        made.add(" ".join(name))
    listed = sorted(made)
    del made
    rng.shuffle(listed)
    with path.open("w", encoding="utf-8") as file:
        for i, name in enumerate(listed):
            entity, n_links = i // NAMES_PER_ENTITY, rng.randint(1, 20)
            other = n_names // NAMES_PER_ENTITY - 1 - entity
            n_other = rng.randint(1, 20) if i % SHARED == 0 and other != entity else 0
            total = n_links + n_other
            pages = rng.randint(total, 5 * total)
            file.write(f"{name}\t{entity}\t{n_links}\t{total}\t{pages}\n")
            if n_other:
                file.write(f"{name}\t{other}\t{n_other}\t{total}\t{pages}\n")


def write_entities(table: Path, out: Path) -> None:
    """Turn a table of names into JSON Lines for ``isogloss kb build``."""
    rows: dict[int, list[tuple[str, ...]]] = {}
    with table.open(encoding="utf-8", newline="\n") as file:
        for line in file:
            name, entity, *numbers = line.rstrip("\n").split("\t")
            rows.setdefault(int(entity), []).append((name, *numbers))
    with out.open("w", encoding="utf-8") as file:
        for entity, listed in rows.items():
            record = {
                "id": f"e:{entity}",
                "names": {"en": [name for name, *_ in listed]},
                "counts": {"en": {name: int(links) for name, links, *_ in listed}},
                "link_prob": {"en": {n: min(1.0, int(t) / int(d)) for n, _, t, d in listed}},
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_lines(path: Path, strings: list[str]) -> None:
    """Write strings as JSON Lines."""
    path.write_text("".join(json.dumps(text) + "\n" for text in strings))


def run(*command: Any) -> tuple[float, int]:
    """Run a command; return its CPU seconds, and the largest memory of any so far in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        list(map(str, command)), check=True, env={**os.environ, "NUMBA_NUM_THREADS": "1"}
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        after.ru_maxrss // 1024,
    )


if __name__ == "__main__":
    main()
