"""Time and peak memory of mining among two sets of random unit vectors.

    python benchmarks/mining_memory.py --n 100000

Vectors lie in files that are mapped, as those of `mine pairs` do. Peak memory is that of the
process, with what mapped files it had in memory.
"""

import argparse
import resource
import tempfile
import time
from pathlib import Path

import numpy as np

from isogloss.mine.pairs import mine_pairs
from isogloss.retrieve.approximate import nearest_both_by_faiss
from isogloss.retrieve.search import nearest_both

WIDTH = 384
AT_ONCE = 10_000


def made(path: Path, n: int, seed: int) -> np.ndarray:
    """Return random unit vectors, (n, WIDTH), mapped."""
    generator = np.random.default_rng(seed)
    with path.open("wb") as file:
        for start in range(0, n, AT_ONCE):
            some = generator.standard_normal((min(AT_ONCE, n - start), WIDTH), np.float32)
            file.write(some / np.linalg.norm(some, axis=1, keepdims=True))
    return np.memmap(path, np.float32, "r", shape=(n, WIDTH))


def megabytes() -> float:
    """Return the peak memory of the process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Mine, and print what it took."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--n", type=int, default=20_000, help="vectors of each of the two sets")
    parser.add_argument("--faiss", action="store_true", help="search approximately")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        one, other = (made(Path(folder) / f"{seed}.f32", given.n, seed) for seed in (0, 1))
        mine_pairs(one[:100], other[:100])
        before, start = megabytes(), time.perf_counter()
        found = mine_pairs(
            one, other, search=nearest_both_by_faiss if given.faiss else nearest_both
        )
        seconds = time.perf_counter() - start
    vectors = 2 * given.n * WIDTH * 4 / 1e6
    print(
        f"{given.n:,} x {given.n:,}: {seconds:.0f} s, peak {megabytes():.0f} MB ({before:.0f} MB "
        f"before, vectors {vectors:.0f} MB, all cosines would be {given.n**2 * 4 / 1e6:,.0f} MB), "
        f"{len(found.scores):,} pairs"
    )


if __name__ == "__main__":
    main()
