"""Measure the disk space of each stage of `vectors train`, by that of the parts of a dump.

    python benchmarks/vectors_disk.py --data DIR [--dump DUMP]

The English slice of the evaluation data (or another English dump) is brought through all stages
before training, with the minimum counts that are usual, in a temporary folder. The files that stay
with ``--work`` are added up by stage. Sizes do not vary: there is nothing to repeat. Prints a
Markdown table and writes ``benchmarks/out/vectors_disk.json``.
"""

import argparse
import json
import tempfile
from pathlib import Path

from isogloss.report.table import Table
from isogloss.vectors.corpus.dump_corpus import ROOM, DumpReading, corpus_of_dump

OUT = Path(__file__).with_name("out") / "vectors_disk.json"
SLICE = "wikipedia/slices/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
STAGES = {  # ending or name of a file → what it holds
    ".part": "parts",
    ".tokens": "words of the parts",
    ".words": "counts of words",
    "titles.bin": "titles",
    "vocabulary.bin": "vocabulary",
    "numbers.bin": "joined numbers",
    "graph.bin": "link graph",
}


def main() -> None:
    """Print a row for each stage, and one for all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--dump", type=Path, help="another English dump")
    arguments = parser.parse_args()
    dump = arguments.dump or arguments.data / SLICE
    with tempfile.TemporaryDirectory() as folder:
        corpus_of_dump(dump, Path(folder), DumpReading(), code="en", lang="en", workers=1)
        sizes = sizes_of(Path(folder))
    parts = sizes["parts"]
    sizes["all after the parts"] = sum(sizes.values()) - parts
    rows = [
        {"stage": stage, "MB": n_bytes / 1e6, "by the parts": n_bytes / parts}
        for stage, n_bytes in sizes.items()
    ]
    OUT.parent.mkdir(exist_ok=True)
    facts = {"dump": dump.name, "room": ROOM, "bytes": sizes}
    OUT.write_text(json.dumps(facts, indent=2) + "\n", "utf-8")
    print(Table(rows).to_markdown())
    print(f"{ROOM} times the parts must be free, for them and all after them")


def sizes_of(folder: Path) -> dict[str, int]:
    """Return the bytes of each stage in a work folder."""
    sizes = dict.fromkeys(STAGES.values(), 0)
    for file in folder.rglob("*"):
        stage = STAGES.get(file.name) or STAGES.get(file.suffix)
        if stage is not None:
            sizes[stage] += file.stat().st_size
        elif file.is_file() and file.suffix != ".json":
            raise SystemExit(f"{file.name} belongs to no stage; add it to STAGES")
    return sizes


if __name__ == "__main__":
    main()
