"""Geometry of the bundled encoder on sentences of Ethayarajh (2019): docs/results-geometry.md.

    python benchmarks/geometry.py --data DIR [--scored] [--published FILE] [--out DIR]

Sentences of SemEval STS 2012 to 2015 in English, each once; with --scored those of pairs with a
score alone, as the paper's own preparation takes them (it keeps repeats, too). Both units: words,
and the encoder's own tokens, which are nearer to the unit of the released figures of BERT and
GPT-2. With --published (a table with the columns paper, model, metric, value) these stand beside
ours, layer by layer. Their explained variance, which that table calls centred, is ``mev_released``
here: at the commit of the released figures the authors' code took TruncatedSVD for words and
baseline alike. Printed beside: seconds of wall and of CPU time, and the most memory of the process
so far (for that of one unit run one of --units alone). With --out all is kept, curves too.
"""

import argparse
import csv
import json
import re
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isogloss import Encoder
from isogloss.probe import GeometryOptions, GeometryResult, measure_geometry
from isogloss.report.table import Table
from isogloss.reproduce.data import sentences_of_sts
from records import Record, add_json

YEARS = range(2012, 2016)
RELEASE = "ethayarajh2019-release"
METRICS = {
    "baseline": "baseline cosine (random words)",
    "self_similarity": "self-similarity, raw",
    "intra_similarity": "intra-sentence similarity, raw",
    "mev_released": "explained variance (centred), raw",
}
SHOWN_BESIDE = (("baseline", "self_similarity"), ("intra_similarity", "mev_released"))
MODELS = ("BERT base", "GPT-2", "ELMo")

Published = dict[tuple[str, str, int], float]


def main() -> None:
    """Measure words and tokens, and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with sts/YEAR/*.tsv")
    parser.add_argument("--scored", action="store_true", help="pairs with a score alone")
    parser.add_argument("--published", type=Path, help="CSV of the released figures")
    parser.add_argument("--out", type=Path, help="existing folder for tables and curves")
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--max-words", type=int, default=2000)
    parser.add_argument("--limit", type=int, help="first so many sentences, to try it")
    parser.add_argument("--units", nargs="+", choices=("word", "token"), default=["word", "token"])
    parser.add_argument("--threads", type=int)
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    sentences = sentences_of_sts(options.data / "sts", years=YEARS, only_scored=options.scored)[
        : options.limit
    ]
    published = {} if options.published is None else read_published(options.published)
    drawn = GeometryOptions(max_words=options.max_words)
    encoder = Encoder.load(options.encoder, threads=options.threads, pooling="mean")
    for unit in options.units:
        wall, cpu = time.perf_counter(), time.process_time()
        measured = measure_geometry(encoder, sentences, lang="en", unit=unit, options=drawn)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        result = GeometryResult([measured], options=drawn)
        print(f"\n## {unit}: {wall:.0f} s, {cpu:.0f} CPU-s, at most {memory:.2f} GB\n")
        print("\n".join(f"- {note}" for note in result.notes), end="\n\n")
        for name in ("layers", "isotropy", "claims", "extremes"):
            record.show(f"{unit}, {name}", getattr(result, name))
        for metrics in SHOWN_BESIDE if published else ():
            record.show(f"{unit}, {metrics[0]}", beside(result, published, metrics))
        if options.out is not None:
            result.write(options.out / f"geometry-{unit}", overwrite=True)
            cost = {"wall_seconds": wall, "cpu_seconds": cpu, "memory_gb": memory}
            text = json.dumps(cost, indent=2)
            (options.out / f"geometry-{unit}-cost.json").write_text(text, encoding="utf-8")
    record.write()


def read_published(path: Path) -> Published:
    """Return the released figures: (metric of ours, model, layer) → value."""
    found: Published = {}
    names = {name: metric for metric, name in METRICS.items()}
    with path.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            layer = re.search(r", layer (\d+)$", row["metric"])
            name = re.sub(r"(, mean over words)?, layer \d+$", "", row["metric"])
            if row["paper"] == RELEASE and layer is not None and name in names:
                found[names[name], row["model"], int(layer[1])] = float(row["value"])
    return found


def beside(result: GeometryResult, published: Published, metrics: Sequence[str]) -> Table:
    """Return a row a layer: our values of some metrics, and those of the released models."""
    rows: list[dict[str, Any]] = []
    for row in result.layers.rows:
        shown: dict[str, Any] = {"layer": row["layer"]}
        for metric in metrics:
            shown |= {
                name: row[name] for name in row if re.fullmatch(f"{metric}(_low|_high)?", name)
            }
            for model in MODELS:
                shown[f"{metric}, {model}"] = published.get((metric, model, row["layer"]))
        rows.append(shown)
    return Table(rows, caption="Raw; the other models' figures are those released with the paper.")


if __name__ == "__main__":
    main()
