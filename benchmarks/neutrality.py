"""Language neutrality of an encoder's layers on parallel text: docs/results-neutrality.md.

    python benchmarks/neutrality.py --data DIR [--set sib200|pud] [--lang pt] [--out DIR]

Two sets: `sib200`, 99 sentences in 28 languages (the dev files, joined by ``index_id``), and `pud`,
1,000 sentences in 11 (the parallel treebanks, joined by ``sent_id``; ``--sentences`` draws fewer).
English is the pivot. Nothing is chosen on them. Printed: the layers, the languages in the best and
in the last layer, and layer by layer the shift of one language (``--lang``) beside the others'.
"""

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import find
from isogloss import Encoder
from isogloss.data.lines import open_lines, whole_lines
from isogloss.data.parallel import ParallelTexts, parallel_texts
from isogloss.probe import (
    NeutralityOptions,
    NeutralityResult,
    measure_neutrality,
)
from isogloss.report.table import Table
from isogloss.text.languages import parse_language
from records import Record, add_json

PIVOT = "en"


def main() -> None:
    """Measure one set and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with sib200/ and ud/")
    parser.add_argument("--set", choices=("sib200", "pud"), default="sib200")
    parser.add_argument("--lang", default="pt", help="language whose shift is shown by layer")
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--sentences", type=int, default=1000, help="most sentences a language")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--out", type=Path, help="existing folder for tables and curves")
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    read = {"sib200": read_sib200, "pud": read_pud}[options.set]
    asked = NeutralityOptions(max_sentences=options.sentences)
    encoder = Encoder.load(options.encoder, threads=options.threads)
    measured = measure_neutrality(encoder, read(options.data), options=asked)
    result = NeutralityResult([measured], options=asked)
    if options.out is not None:
        result.write(options.out / f"neutrality-{options.set}", overwrite=True)
    print("\n".join(f"- {note}" for note in result.notes), end="\n\n")
    record.show("layers", result.layers)
    record.show("retrieval", result.retrieval)
    record.show("languages", result.shown_languages)
    record.show("shift", shift_by_layer(result, parse_language(options.lang)))
    record.write()


def read_sib200(data: Path) -> ParallelTexts:
    """Return the dev sentences of all languages, joined by ``index_id``."""
    found = {}
    for folder in sorted((data / "sib200").glob("*_*")):
        lines = (line for _, line in whole_lines(find(folder / "dev.tsv")))
        rows = csv.DictReader(lines, delimiter="\t")
        found[parse_language(folder.name)] = {row["index_id"]: row["text"] for row in rows}
    return joined(found, data / "sib200")


def read_pud(data: Path) -> ParallelTexts:
    """Return the sentences of the parallel treebanks, joined by ``sent_id``."""
    found = {}
    for file in sorted((data / "ud").glob("*_pud-ud-test.conllu*")):
        found[parse_language(file.name.partition("_")[0])] = dict(sentences_of(file))
    return joined(found, data / "ud")


def sentences_of(file: Path) -> Iterator[tuple[str, str]]:
    """Yield id and text of the sentences of a treebank."""
    name = ""
    for _, line in open_lines(file):
        if line.startswith("# sent_id = "):
            name = line.removeprefix("# sent_id = ")
        elif line.startswith("# text = "):
            yield name, line.removeprefix("# text = ")


def joined(found: dict[str, dict[str, str]], folder: Path) -> ParallelTexts:
    """Return the sentences that all languages have, the pivot first."""
    if PIVOT not in found or len(found) < 2:
        raise SystemExit(f"{folder} holds no parallel files; name the folder with the data")
    shared = [name for name in found[PIVOT] if all(name in texts for texts in found.values())]
    langs = [PIVOT, *(lang for lang in found if lang != PIVOT)]
    return parallel_texts({lang: [found[lang][name] for name in shared] for lang in langs})


def shift_by_layer(result: NeutralityResult, lang: str) -> Table:
    """Return a row a layer: the shift of a language, its rank, and the others'."""
    rows: list[dict[str, Any]] = []
    for layer in sorted({row["layer"] for row in result.languages.rows}):
        of_layer = {row["lang"]: row for row in result.languages.rows if row["layer"] == layer}
        if lang not in of_layer:
            raise SystemExit(f"no language {lang} here; its languages are {', '.join(of_layer)}")
        own = of_layer.pop(lang)
        others = {name: row["shift"] for name, row in of_layer.items()}
        largest = max(others, key=others.__getitem__)
        rows.append(
            {
                "layer": layer,
                **{end: own[end] for end in ("shift", "shift_low", "shift_high")},
                "rank": 1 + sum(value > own["shift"] for value in others.values()),
                "median of the others": float(np.median(list(others.values()))),
                "largest of the others": f"{largest} {others[largest]:.3f}",
                "dimensions": own["dimensions_of_shift"],
                "shares": own["shares_of_shift"],
                "dimensions for half": own["dimensions_for_half"],
            }
        )
    return Table(rows, caption=f"The shift of {lang} by layer, in units of the spread.")


if __name__ == "__main__":
    main()
