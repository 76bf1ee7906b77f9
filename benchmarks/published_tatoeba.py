"""Check of reader and metric: the bundled encoder on Tatoeba beside the published original.

    python benchmarks/published_tatoeba.py --data DIR [--report FILE.html] [--json FILE]

The bundled encoder is multilingual-e5-small in 4 bits; published is the accuracy from the other
language to English of its original weights. Prints a row for each language of the 36 of XTREME, how
many published values lie in our interval, and the means.
"""

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np

from isogloss import Encoder
from isogloss.arrays import Floats2d
from isogloss.report.retrieval import write_retrieval_report
from isogloss.report.table import Table
from isogloss.retrieve.benchmarks import XTREME, evaluate_tatoeba
from isogloss.retrieve.published import SEEN, column, sources

ORIGINAL = column("multilingual-e5-small")


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return ours beside the published value of each language of XTREME."""
    return [
        {"lang": row["lang"], "n": row["n"], "to_en": row["to_en"], "to_en_low": row["to_en_low"],
         "to_en_high": row["to_en_high"], "published": row[ORIGINAL],
         "difference": row["to_en"] - row[ORIGINAL]}
        for row in rows if row["lang"] in XTREME
    ]  # fmt: skip


def main() -> None:
    """Score, compare, print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    encoder = Encoder.load()

    def vectors(texts: list[str]) -> Floats2d:
        return encoder.encode(texts, normalize=True)  # type: ignore[return-value]

    found = evaluate_tatoeba(given.data / "tatoeba", vectors, seen=SEEN["bundled"])
    rows = compared(found.rows)
    print(Table(rows).to_markdown())
    print(Table(found.means).to_markdown())
    ours, theirs = (np.array([row[name] for row in rows]) for name in ("to_en", "published"))
    n_inside = sum(row["to_en_low"] <= row["published"] <= row["to_en_high"] for row in rows)
    print(
        f"Mean of {len(rows)}: to_en {ours.mean():.4f}, published {theirs.mean():.4f}; difference "
        f"{np.abs(ours - theirs).max():.4f} at most; {n_inside} published values in our interval."
    )
    tables = {"tatoeba": [Table(found.rows, caption="tatoeba"), Table(found.means)]}
    if given.json:
        document = {"tatoeba": {"rows": tables["tatoeba"][0].rows,
                                "means": tables["tatoeba"][1].rows}}  # fmt: skip
        given.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if given.report:
        write_retrieval_report(
            given.report, title="Tatoeba, bundled encoder", tables=tables,
            notes=sources([*found.rows, *found.means]), overwrite=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
