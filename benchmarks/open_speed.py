"""Measure how fast a knowledge base with many names opens, what its first use costs, and vectors.

    python benchmarks/open_speed.py --names 5000000

Names are made up: two words of 3 to 8 letters each, every one of an entity of its own, in one
language; the vectors are random, of 100 dimensions, one for each name. All is written, built and
opened here; figures are milliseconds of the processor, the least of five, with the files in memory
as after a copy or a first use.
"""

import argparse
import json
import random
import tempfile
import time
from pathlib import Path

import numpy as np

from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.vectors import Vocabulary, WordEntityVectors, read_vectors, write_vectors

N_TIMES = 5
WIDTH = 100
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def main() -> None:
    """Print one line for the size, and one for each step."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--names", type=int, default=1_000_000)
    n_names = parser.parse_args().names
    with tempfile.TemporaryDirectory() as folder:
        names, path = Path(folder) / "names.jsonl", Path(folder) / "kb"
        write_names(names, n_names)
        build_knowledge_base([f"names:{names}"], path)
        names.unlink()
        facts = KnowledgeBase.open(path).info()
        print(f"{facts['languages']['en']['n_names']:,} names, {facts['n_bytes'] / 1e6:.0f} MB")
        warm = KnowledgeBase.open(path)
        warm.entity_id(0), warm.names_in("en")
        times: dict[str, list[float]] = {"opened": [], "entities": [], "language": []}
        for _ in range(N_TIMES):
            start = time.process_time()
            kb = KnowledgeBase.open(path)
            opened = time.process_time()
            kb.entity_id(0)
            entities = time.process_time()
            kb.names_in("en")
            times["opened"].append(opened - start)
            times["entities"].append(entities - opened)
            times["language"].append(time.process_time() - entities)
        for step, seconds in times.items():
            print(f"{step}: {1000 * min(seconds):.1f} ms")
        measure_vectors(Path(folder) / "vectors", n_names)


def measure_vectors(path: Path, n_names: int) -> None:
    """Print the size of a file of vectors in the native form, and how long it takes to open."""
    matrix = np.random.default_rng(0).standard_normal((n_names, WIDTH), np.float32)
    vocabulary = Vocabulary.of([f"word{number}" for number in range(n_names)])
    write_vectors(WordEntityVectors(vocabulary, matrix), path, "native")
    seconds = []
    for _ in range(N_TIMES):
        start = time.process_time()
        read_vectors(path)
        seconds.append(time.process_time() - start)
    n_megabytes = path.stat().st_size / 1e6
    print(f"vectors, {n_megabytes:.0f} MB: {1000 * min(seconds):.1f} ms")


def write_names(path: Path, n_names: int) -> None:
    """Write a file of names."""
    draw = random.Random(0)
    with path.open("w", encoding="utf-8") as file:
        for number in range(n_names):
            words = ["".join(draw.choices(LETTERS, k=draw.randint(3, 8))) for _ in range(2)]
            name = " ".join(words).title()
            file.write(json.dumps({"id": f"Q{number}", "names": {"en": [name]}}) + "\n")


if __name__ == "__main__":
    main()
