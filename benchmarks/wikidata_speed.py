"""Measure how fast a Wikidata dump is parsed, and what time and memory its knowledge base takes.

    python benchmarks/wikidata_speed.py --data DIR [--lines 2000000] [--repetitions 5]

Lines: made from the sample of the evaluation data (13 items, 5 properties, 29 lexemes), with other
ids and words in the labels, and an English article for two items of three, since the sample's have
almost none.

- Parsing, in MB per CPU-second of one process, uncompressed lines in memory: json.loads alone,
  msgspec alone (the fields that are needed), and blocks to columns, which is what a worker does.
  Over all lines, and over items alone, because lexemes and properties are passed over.
- The whole build (`isogloss kb build --source wikidata:-`) from a pipe, never stored: wall and CPU
  time, and the largest process's memory, at a quarter, half and all of the lines.
"""

import argparse
import gzip
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from msgspec.json import Decoder

from isogloss.wiki.wikidata.columns import WikidataChoice, parse_entities
from isogloss.wiki.wikidata.json import Entity

SAMPLE = "wikidata/samples/entities.json.gz"
N_BYTES = 12_000_000  # parsed at a time
WORDS = "north south river lake castle saint old new great little upper lower stone".split()  # noqa: SIM905


def main() -> None:
    """Measure, write JSON to benchmarks/out, print Markdown tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--lines", type=int, default=20_000, help="piped into the build; 0: none")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--workers", type=int, default=1)
    options = parser.parse_args()
    entities = gzip.decompress((options.data / SAMPLE).read_bytes()).split(b"\n")
    sample = [line.rstrip(b",") for line in entities if len(line) > 1]
    result = {"parsing": parsing(sample, options.repetitions)}
    if options.lines:
        sizes = [options.lines // 4, options.lines // 2, options.lines]
        result["builds"] = [build(sample, n, options.workers) for n in sizes]
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "wikidata_speed.json").write_text(json.dumps(result, indent=1) + "\n")
    print(as_markdown(result))


def made_lines(sample: list[bytes], *, items_only: bool = False) -> Iterator[bytes]:
    """Yield lines without end, in the sample's order, each with an id of its own."""
    rng = random.Random(0)
    kinds = [Made(line) for line in sample]
    number = 1_000_000
    while True:
        for kind in kinds:
            if kind.is_item or not items_only:
                number += 1
                yield kind.line(number, rng)


class Made:
    """A real line, cut where its id and English label stand."""

    def __init__(self, line: bytes) -> None:
        self.is_item = line.startswith(b'{"type":"item"')
        known = json.loads(line)
        label = dict(known.get("labels") or {}).get("en", {}).get("value")
        self.id = known["id"].encode()
        self.parts = [line]
        self.cut(b'"id":"' + self.id + b'"', 6)
        if label is not None:
            text = json.dumps(label, ensure_ascii=False).encode()
            self.cut(b'"en":{"language":"en","value":' + text, -len(text))
        if self.is_item:
            self.parts[-1] = self.parts[-1].replace(b'"sitelinks":[]', b'"sitelinks":{}')

    def cut(self, found: bytes, start: int) -> None:
        """Cut the last part behind the opening quote of what varies."""
        at = self.parts[-1].index(found) + (start if start > 0 else len(found) + start + 1)
        self.parts[-1:] = [self.parts[-1][:at], self.parts[-1][at:]]

    def line(self, number: int, rng: random.Random) -> bytes:
        """Return the line with another id and, for items, other words before its label."""
        new_id = self.id[:1] + b"%d" % number
        head, *rest = self.parts
        text = head + new_id + rest[0][len(self.id) :]
        if len(rest) > 1:
            words = " ".join(rng.sample(WORDS, 3)).encode()
            text += b"%s %d " % (words, number // 7) + rest[1]
        if self.is_item and number % 3:
            title = (
                b'"sitelinks":{"enwiki":{"site":"enwiki","title":"Page %d","badges":[]}' % number
            )
            text = text.replace(b'"sitelinks":{', title + (b"," if b'"title"' in rest[-1] else b""))
        return text


def parsing(sample: list[bytes], repetitions: int) -> dict[str, dict[str, list[float]]]:
    """Return MB per CPU-second of each way to parse, by what is parsed."""
    decoder = Decoder(Entity)
    found: dict[str, dict[str, list[float]]] = {}
    for name, items_only in (("all lines", False), ("items alone", True)):
        lines, size = [], 0
        for line in made_lines(sample, items_only=items_only):
            lines.append(line)
            size += len(line)
            if size > N_BYTES:
                break
        blocks = [b",\n".join(lines[i : i + 600]) for i in range(0, len(lines), 600)]
        choices = {
            "blocks to columns, all languages, all items": WikidataChoice(),
            "blocks to columns, en and ja, items with an article": WikidataChoice(("en", "ja"), 1),
        }
        jobs: dict[str, Callable[[], object]] = {
            "json.loads": lambda lines=lines: each(json.loads, lines),
            "msgspec, the fields alone": lambda lines=lines: each(decoder.decode, lines),
        }
        for said, choice in choices.items():
            jobs[said] = lambda blocks=blocks, choice=choice: [
                parse_entities(block, choice) for block in blocks
            ]
        found[name] = {job: [] for job in jobs}
        for _ in range(repetitions):
            for job, work in jobs.items():
                start = time.process_time()
                work()
                found[name][job].append(size / 1e6 / (time.process_time() - start))
    return found


def each(decode: Callable[[bytes], object], lines: list[bytes]) -> None:
    """Decode every line, and keep nothing."""
    for line in lines:
        decode(line)


def build(sample: list[bytes], n_lines: int, workers: int) -> dict[str, float]:
    """Pipe lines into a build; return its times and memory."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "isogloss.cli.main", "kb", "build", "--source"]
        command += ["wikidata:-", "--out", f"{folder}/kb", "--langs", "en,ja,es"]
        start = time.monotonic()
        process = subprocess.Popen(
            [*command, "--workers", str(workers)], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        assert process.stdin is not None
        n_bytes = 0
        for line in islice(made_lines(sample), n_lines):
            process.stdin.write(line + b",\n")
            n_bytes += len(line) + 2
        process.stdin.write(b"{}\n")
        process.stdin.close()
        _, status, used = os.wait4(process.pid, 0)
        if status:
            raise SystemExit("the build failed")
        seconds = time.monotonic() - start
        manifest = json.loads(Path(folder, "kb/manifest.json").read_text(encoding="utf-8"))
    return {
        "n_lines": n_lines,
        "n_mb": n_bytes / 1e6,
        "n_names": manifest["sources"][0]["n_names"],
        "seconds": seconds,
        "cpu_seconds": used.ru_utime + used.ru_stime,
        "peak_mb": used.ru_maxrss / 1000,
    }


def as_markdown(result: dict) -> str:
    """Return the tables."""
    rows = ["| parsed | | MB per CPU-second | lowest and highest | x json.loads |",
            "| --- | --- | ---: | ---: | ---: |"]  # fmt: skip
    for name, jobs in result["parsing"].items():
        base = statistics.median(jobs["json.loads"])
        for job, rates in jobs.items():
            rate = statistics.median(rates)
            span = f"{min(rates):.0f} – {max(rates):.0f}"
            rows.append(f"| {name} | {job} | {rate:.0f} | {span} | {rate / base:.1f} |")
    if "builds" in result:
        rows += ["", "| lines | MB | names kept | seconds | CPU-seconds | peak MB |"]
        rows += ["| ---: | ---: | ---: | ---: | ---: | ---: |"]
        for one in result["builds"]:
            rows.append(
                f"| {one['n_lines']:,} | {one['n_mb']:,.0f} | {one['n_names']:,} | "
                f"{one['seconds']:.1f} | {one['cpu_seconds']:.1f} | {one['peak_mb']:,.0f} |"
            )
    return "\n".join(rows)


if __name__ == "__main__":
    main()
