"""What self-similarity costs: streamed sums against all pairs, at 1, 2 and 4 thousand occurrences.

    python benchmarks/geometry_cost.py --picture FILE.svg

Random vectors, float32, of one word. "sums": sums of unit vectors, in batches of 64, as
`isogloss.probe` does. "products": all pairs at once as one matrix product, in batches of 512 rows.
"pairs": a cosine a pair, as the paper's code does, of all pairs (the paper's code draws 1,000 of
them). CPU seconds, so that other work counts little: the median of --repeats, "pairs" once. All
three agree to 1e-6.
"""

import argparse
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.probe.geometry.measures import self_similarity
from isogloss.report.table import Table

SIZES = (1000, 2000, 4000)
N_IN_BATCH, N_IN_BLOCK = 64, 512
TOLERANCE = 1e-6


def main() -> None:
    """Measure, print a table, draw a picture."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--picture", type=Path, required=True, help="an .svg file to make")
    parser.add_argument("--width", type=int, default=384)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    options = parser.parse_args()
    rows = [measured(n, options.width, options.repeats) for n in options.sizes]
    print(Table(rows, caption="CPU seconds for one word and one layer.").to_markdown())
    draw(rows, options.picture)


def measured(n: int, width: int, repeats: int) -> dict[str, Any]:
    """Return the CPU seconds of each way for n occurrences."""
    vectors = np.random.default_rng(n).normal(0.1, 1, size=(n, width)).astype(np.float32)
    ways: dict[str, tuple[Callable[[np.ndarray], float], int]] = {
        "sums": (by_sums, repeats), "products": (by_products, repeats), "pairs": (by_pairs, 1),
    }  # fmt: skip
    row: dict[str, Any] = {"occurrences": n}
    values = []
    for name, (way, times) in ways.items():
        seconds = []
        for _ in range(times):
            start = time.process_time()
            value = way(vectors)
            seconds.append(time.process_time() - start)
        row[name] = statistics.median(seconds)
        values.append(value)
    if max(values) - min(values) > TOLERANCE:
        raise SystemExit(f"the ways differ: {values}")
    return row


def by_sums(vectors: np.ndarray) -> float:
    """Return the mean cosine over pairs from the sum of unit vectors."""
    total = np.zeros((1, vectors.shape[1]))
    for start in range(0, len(vectors), N_IN_BATCH):
        batch = vectors[start : start + N_IN_BATCH].astype(np.float64)
        total += (batch / np.linalg.norm(batch, axis=1, keepdims=True)).sum(0)
    return float(self_similarity(total, np.array([len(vectors)]))[0])


def by_products(vectors: np.ndarray) -> float:
    """Return it from the products of all pairs, block by block."""
    doubles = vectors.astype(np.float64)
    units = doubles / np.linalg.norm(doubles, axis=1, keepdims=True)
    total = sum(
        float((units[start : start + N_IN_BLOCK] @ units.T).sum())
        for start in range(0, len(units), N_IN_BLOCK)
    )
    return (total - len(units)) / (len(units) * (len(units) - 1))


def by_pairs(vectors: np.ndarray) -> float:
    """Return it pair by pair."""
    doubles = vectors.astype(np.float64)
    units = doubles / np.linalg.norm(doubles, axis=1, keepdims=True)
    total = sum(units[i] @ units[j] for i in range(len(units)) for j in range(i))
    return float(total) / (len(units) * (len(units) - 1) / 2)


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw CPU seconds by occurrences, both axes logarithmic."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "geometry", "font.size": 9}):
        figure = Figure(figsize=(6.2, 3.6), layout="constrained")
        axes = figure.subplots()
        sizes = [row["occurrences"] for row in rows]
        for name, label in {
            "pairs": "pair by pair", "products": "products\nof all pairs",
            "sums": "sums of unit\nvectors (isogloss)",
        }.items():  # fmt: skip
            seconds = [row[name] for row in rows]
            (line,) = axes.loglog(sizes, seconds, marker="o")
            axes.annotate(label, (sizes[-1], seconds[-1]), xytext=(9, -3), color=line.get_color(),
                          textcoords="offset points", annotation_clip=False)  # fmt: skip
        axes.set_xticks(sizes, [f"{size:,}" for size in sizes])
        axes.minorticks_off()
        axes.set(xlabel="occurrences of a word", ylabel="CPU seconds")
        axes.spines[["top", "right"]].set_visible(False)
        axes.margins(y=0.12)
        figure.savefig(path, format="svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
