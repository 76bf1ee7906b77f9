"""The picture of docs/routing.md: accuracy of each language, product names as they are and masked.

python benchmarks/routing_figure.py benchmarks/out/routing.json docs/images/routing.svg
"""

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

LIGHT, DARK, ACCENT = "#c9d3dd", "#1f2a36", "#b3541e"


def draw(rows: Sequence[Mapping[str, Any]], english: float, path: Path) -> None:
    """Draw languages by falling accuracy with their intervals, on white, into an SVG file.

    Parameters
    ----------
    rows
        Of the table "languages".
    english
        Accuracy on the same messages in English.
    """
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "routing", "font.size": 9})
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(12, 4.2), layout="constrained", facecolor="white")
    at = range(len(rows))
    axes.vlines(
        at, [row["accuracy_low"] for row in rows], [row["accuracy_high"] for row in rows],
        color=LIGHT, linewidth=4, label="95 % interval",
    )  # fmt: skip
    axes.plot(
        at, [row["accuracy"] for row in rows], "o", color=DARK, label="names as they are", ms=4
    )
    axes.plot(
        at, [row["masked"] for row in rows], "o", color=ACCENT, label="names masked", ms=5.5,
        fillstyle="none",
    )  # fmt: skip
    axes.axhline(english, color=DARK, linewidth=0.8, linestyle=":")
    axes.text(len(rows) - 0.5, english, "English", ha="right", va="bottom", color=DARK)
    axes.set_xticks(at, [row["lang"] for row in rows], fontsize=7, rotation=90)
    axes.set_xlim(-1, len(rows))
    axes.set_ylim(bottom=0)
    axes.set_ylabel("messages sent to the right team")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower left", ncols=3)
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    """Draw from what `routing.py` has kept."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("results", type=Path, help="OUT/routing.json")
    parser.add_argument("picture", type=Path, help="an .svg file")
    options = parser.parse_args()
    results = json.loads(options.results.read_text(encoding="utf-8"))
    draw(results["languages"], results["overview"][0]["en"], options.picture)


if __name__ == "__main__":
    main()
