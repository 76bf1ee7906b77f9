"""What pruning the vocabulary and 8 bits make of an encoder: its size, its vectors, its Tatoeba.

    python benchmarks/export_size.py --data DIR --out DIR [--encoder bundled] [--min-count 2]
        [--names]

The vocabulary is cut to the pairs of `parallel/` that may be given away (without the rows tagged
lafand, multi30k and bible), English and the languages among the 36 of XTREME, and with --names to
the names of concepts in these languages (`names/omw.jsonl.gz`), which are words of all walks of
life; Tatoeba's sentences are not among them. Both exports are kept under ``--out``: `pruned`, and
`small` (in 8 bits too).
"""

import argparse
import gzip
import json
from pathlib import Path
from typing import Any

from isogloss import Encoder
from isogloss.align.export.exporter import Quantize, export_encoder
from isogloss.arrays import Floats2d
from isogloss.report.table import Table
from isogloss.retrieve.benchmarks import XTREME, evaluate_tatoeba
from isogloss.text.languages import parse_language
from records import Record, add_json

NOT_GIVEN_AWAY = ("lafand", "multi30k", "bible")


def texts_of(folder: Path) -> list[str]:
    """Return both sides of the pairs in the languages of XTREME, each text once."""
    langs = {parse_language(code) for code in XTREME}
    found: dict[str, None] = {}
    for file in sorted(folder.glob("*.tsv.gz")):
        if parse_language(file.name.partition(".")[0]) not in langs:
            continue
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            for line in lines:
                english, other, tag = line.rstrip("\n").split("\t")
                if tag not in NOT_GIVEN_AWAY:
                    found |= {english: None, other: None}
    return list(found)


def names_of(file: Path) -> list[str]:
    """Return the names of concepts in English and the languages of XTREME."""
    langs = {"en"} | {parse_language(code) for code in XTREME}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        concepts = [json.loads(line)["names"] for line in lines]
    return [name for one in concepts for lang, names in one.items() if lang in langs
            for name in names]  # fmt: skip


def tatoeba(encoder: Encoder, data: Path) -> dict[str, Any]:
    """Return the mean over the languages of Tatoeba, with its interval."""

    def vectors(texts: list[str]) -> Floats2d:
        return encoder.encode(texts, normalize=True)  # type: ignore[return-value]

    return evaluate_tatoeba(data / "tatoeba", vectors).means[0]


def main() -> None:
    """Export twice, score three encoders, print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--encoder", default="bundled")
    parser.add_argument("--overwrite", action="store_true")
    parser.add_argument("--min-count", type=int, default=2, help="of tokens in `small`")
    parser.add_argument("--names", action="store_true", help="cut to names of concepts too")
    parser.add_argument("--without-tatoeba", action="store_true")
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    given.out.mkdir(exist_ok=True)
    encoder = Encoder.load(given.encoder)
    texts = texts_of(given.data / "parallel")
    if given.names:
        texts += names_of(given.data / "names" / "omw.jsonl.gz")
    rows: list[dict[str, Any]] = []
    ways: dict[str, tuple[int, Quantize | None]] = {
        "pruned": (1, None),
        "small": (given.min_count, "int8"),
    }
    for name, (min_count, quantize) in ways.items():
        made = export_encoder(
            encoder,
            given.out / name,
            texts=texts,
            min_count=min_count,
            quantize=quantize,
            overwrite=given.overwrite,
        )
        if not rows:
            rows.append({"encoder": given.encoder, "tokens": made.before.n_tokens,
                         "MB": made.before.n_bytes / 1e6, "least cosine": 1.0})  # fmt: skip
        rows.append({"encoder": name, "tokens": made.after.n_tokens,
                     "MB": made.after.n_bytes / 1e6, "least cosine": made.cosines.min(),
                     "mean cosine": made.cosines.mean(),
                     "largest difference": made.largest_difference,
                     "texts changed": made.n_changed})  # fmt: skip
        print(json.dumps(Table(rows).rows[-1]), flush=True)
    names = [given.encoder, *(given.out / name for name in ways)]
    for row, name in zip(rows, names, strict=True):
        if not given.without_tatoeba:
            mean = tatoeba(Encoder.load(name), given.data)
            row |= {key: mean[key] for key in ("mean", "mean_low", "mean_high")}
    table = Table(rows, caption=f"{len(texts):,} texts; Tatoeba: mean of 36 languages.")
    record.show("encoders", table)
    record.write()


if __name__ == "__main__":
    main()
