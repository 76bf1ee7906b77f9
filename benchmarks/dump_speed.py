"""Measure how fast dumps and SQL tables are read, in MB of decompressed text per CPU-second.

    python benchmarks/dump_speed.py --data DIR [--repetitions 5]

Dump: the English slice of the evaluation data (6 MB of XML), its pages repeated with other numbers
until there are 18 MB. Each repetition runs every row once, in turn; the medians are shown. The CPU
time of all threads counts, so the rows hold on a busy machine too. mwxml reads the same pages with
Python's own XML parser. SQL: a made langlinks table of 18 MB in the format of mysqldump.
"""

import argparse
import bz2
import gzip
import json
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from itertools import repeat
from pathlib import Path

from isogloss.wiki.dump.pages import parse_pages
from isogloss.wiki.dump.reader import Dump
from isogloss.wiki.sql.reader import read_table
from isogloss.wiki.streams.dropped import Dropped
from isogloss.wiki.streams.streams import read_chunks

SLICE = "wikipedia/slices/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
N_BYTES = 18_000_000


def main() -> None:
    """Measure, write JSON to benchmarks/out, print a Markdown table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--repetitions", type=int, default=5)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        jobs = jobs_of(options.data / SLICE, Path(folder))
        seconds: dict[str, list[float]] = {name: [] for name in jobs}
        for work, _ in jobs.values():
            work()  # compiles, and fills the file cache
        for _ in range(options.repetitions):
            for name, (work, _) in jobs.items():
                start = time.process_time()
                work()
                seconds[name].append(time.process_time() - start)
    rates = {name: [size / 1e6 / one for one in seconds[name]] for name, (_, size) in jobs.items()}
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "dump_speed.json").write_text(json.dumps(rates, indent=1) + "\n")
    print("| | MB per CPU-second | lowest and highest |\n| --- | ---: | ---: |")
    for name, measured in rates.items():
        low, high = min(measured), max(measured)
        print(f"| {name} | {statistics.median(measured):.1f} | {low:.1f} – {high:.1f} |")


def jobs_of(slice_file: Path, folder: Path) -> dict[str, tuple[Callable[[], object], int]]:
    """Return what is measured, each with its decompressed bytes."""
    xml = bz2.decompress(slice_file.read_bytes())
    first = xml.index(b"  <page>")
    head, pages = xml[:first], xml[first : xml.rindex(b"</mediawiki>")]
    many = b"".join(repeat(pages, N_BYTES // len(pages) + 1))[:N_BYTES]
    plain = head + many[: many.rindex(b"</page>") + 7] + b"</mediawiki>"
    files = {"plain": plain, "bz2": bz2.compress(plain), "streams": streams_of(plain)}
    for name, data in files.items():
        (folder / name).write_bytes(data)
    table = sql_of(N_BYTES)
    (folder / "sql").write_bytes(table)
    (folder / "sql.gz").write_bytes(gzip.compress(table))
    with Dump(folder / "plain") as dump:
        blocks, site = [block.data for block in dump.blocks()], dump.site

    size = len(plain)
    return {
        "bz2 of the standard library alone": (lambda: bz2.decompress(files["bz2"]), size),
        "bz2 to bytes": (lambda: drain(read_chunks(folder / "bz2", Dropped())), size),
        "bz2 to pages": (lambda: read(folder / "bz2"), size),
        "bz2 of many streams to pages, 2 workers": (
            lambda: read(folder / "streams", workers=2),
            size,
        ),
        "plain to blocks": (lambda: drain(Dump(folder / "plain").blocks()), size),
        "plain to pages": (lambda: read(folder / "plain"), size),
        "blocks to pages": (lambda: [parse_pages(block, site) for block in blocks], size),
        "plain to pages with mwxml": (lambda: with_mwxml(folder / "plain"), size),
        "SQL to columns": (lambda: drain(read_table(folder / "sql", "langlinks")), len(table)),
        "SQL in gz to columns": (
            lambda: drain(read_table(folder / "sql.gz", "langlinks")),
            len(table),
        ),
    }


def drain(items: object) -> int:
    """Take everything, keep nothing."""
    return sum(1 for _ in items)  # type: ignore[attr-defined]


def read(path: Path, *, workers: int = 1) -> int:
    """Return the number of pages."""
    with Dump(path, workers=workers) as dump:
        return drain(dump.pages())


def with_mwxml(path: Path) -> int:
    """Return the number of pages, by another reader."""
    import mwxml

    with path.open("rb") as file:
        return sum(len([*page][-1].text or "") > 0 for page in mwxml.Dump.from_file(file))


def streams_of(xml: bytes) -> bytes:
    """Return bz2 of many streams of 100 pages, as Wikimedia's multistream dumps are."""
    head, *pages = xml.split(b"  <page>")
    parts = [head, *(b"".join(b"  <page>" + p for p in pages[i : i + 100])
                     for i in range(0, len(pages), 100))]  # fmt: skip
    return b"".join(map(bz2.compress, parts))


def sql_of(n_bytes: int) -> bytes:
    """Return a made table of interlanguage links with INSERTs of a megabyte."""
    rng = random.Random(0)
    words = ["Tokyo", "Ville de Gen\u00e8ve", "O\\'Brien", "東京大学", "Порт", "a (b)", '\\"c\\"']
    columns = "  `ll_from` int(8),\n  `ll_lang` varbinary(35),\n  `ll_title` varbinary(255)\n"
    parts = [f"CREATE TABLE `langlinks` (\n{columns}) ENGINE=InnoDB;\n"]
    size = number = 0
    while size < n_bytes:
        rows = []
        while len(rows) < 25_000:
            number += 1
            rows.append(f"({number},'{rng.choice(['fr', 'ja', 'zh-yue'])}','{rng.choice(words)} "
                        f"{rng.randrange(10**6)}')")  # fmt: skip
        parts.append(f"INSERT INTO `langlinks` VALUES {','.join(rows)};\n")
        size += len(parts[-1].encode())
    return "".join(parts).encode()


if __name__ == "__main__":
    main()
