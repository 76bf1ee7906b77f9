"""Does one offset between two languages translate? Vector translation by layer: docs/transfer.md.

    python benchmarks/translation.py --data DIR [--set pud|parallel] [--out DIR]

Figure 3 of Pires et al. (2019) on two sets: `pud`, 1,000 sentences of the parallel treebanks, each
language with English, joined by ``sent_id``; `parallel`, at most 5,000 sentence pairs (``--langs``)
with English, and Urdu with Hindi by the English that they share. Nothing is chosen on them. What is
printed: the accuracy of each pair by layer, with and without the offset, means over pairs with
other offsets, scores and directions, and the claims.
"""

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import find
from isogloss import Encoder
from isogloss.data.pairs import SentencePairs, parse_pair_file, read_pairs
from isogloss.data.parallel import ParallelTexts, parallel_texts
from isogloss.probe import TranslationOptions, TranslationResult
from isogloss.probe.saved import by_series
from isogloss.probe.translation.runs import translations
from isogloss.report.table import Table
from isogloss.text.languages import parse_language
from neutrality import PIVOT, sentences_of
from records import Record, add_json

LANGS = ("de", "hi", "ur", "zh")
COLUMNS = (
    "accuracy", "accuracy_back", "without_offset", "cosine", "csls", "in_half", "held_out",
    "optimism",
)  # fmt: skip


def main() -> None:
    """Measure one set and print tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder with ud/ and parallel/")
    parser.add_argument("--set", choices=("pud", "parallel"), default="pud")
    parser.add_argument("--langs", nargs="+", default=LANGS, help="of parallel, beside English")
    parser.add_argument("--encoder", nargs="+", default=["bundled"])
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--threads", type=int)
    parser.add_argument("--checkpoints", type=Path, help="folder that a stopped run resumes from")
    parser.add_argument("--out", type=Path, help="existing folder for tables and curves")
    add_json(parser)
    options = parser.parse_args()
    record = Record(options.json)
    asked = TranslationOptions()
    measured = []
    with translations(asked, options.checkpoints) as kept:
        for name in options.encoder:
            encoder = Encoder.load(
                name, dtype=options.dtype, threads=options.threads, encoder_half=True
            )
            found = (
                pud_pairs(options.data) if options.set == "pud"
                else parallel_pairs(options.data, options.langs)
            )  # fmt: skip
            measured += [kept.measure(encoder, pairs) for pairs in found]
    result = TranslationResult(measured, options=asked)
    if options.out is not None:
        result.write(options.out / f"translation-{options.set}", overwrite=True)
    print("\n".join(f"- {note}" for note in result.notes), end="\n\n")
    with_offset = by_pair(result, "accuracy", caption="With the mean offset added, nearest by L2.")
    without = by_pair(result, "without_offset", caption="The same without the offset.")
    record.show("with the offset", with_offset)
    record.show("without", without)
    record.show("means", over_pairs(result))
    record.show("claims", result.claims)
    record.write()


def pud_pairs(data: Path) -> Iterator[ParallelTexts]:
    """Yield English with each other language, the sentences that both have."""
    found = {
        parse_language(file.name.partition("_")[0]): dict(sentences_of(file))
        for file in sorted((data / "ud").glob("*_pud-ud-test.conllu*"))
    }
    if PIVOT not in found or len(found) < 2:
        raise SystemExit(
            f"{data / 'ud'} holds no parallel treebanks; name the folder with the data"
        )
    english = found.pop(PIVOT)
    for lang, texts in found.items():
        shared = [name for name in english if name in texts]
        yield parallel_texts({
            PIVOT: [english[name] for name in shared], lang: [texts[name] for name in shared]
        })  # fmt: skip


def parallel_pairs(data: Path, langs: list[str]) -> Iterator[ParallelTexts]:
    """Yield English with each language, then Urdu with Hindi."""
    for lang in langs:
        pairs = pairs_with_english(data, lang)
        yield parallel_texts({PIVOT: pairs.firsts, lang: pairs.seconds})
    by_english = [
        dict(zip(pairs.firsts, pairs.seconds, strict=True))
        for pairs in (pairs_with_english(data, lang) for lang in ("ur", "hi"))
    ]
    shared = [english for english in by_english[0] if english in by_english[1]]
    yield parallel_texts({
        lang: [texts[english] for english in shared]
        for lang, texts in zip(("ur", "hi"), by_english, strict=True)
    })  # fmt: skip


def pairs_with_english(data: Path, lang: str) -> SentencePairs:
    """Return the pairs of a language, English first."""
    return read_pairs(parse_pair_file(f"{PIVOT}-{lang}={find(data / 'parallel' / f'{lang}.tsv')}"))


def by_pair(result: TranslationResult, measure: str, *, caption: str) -> Table:
    """Return a row a layer, a column an encoder and pair."""
    rows: dict[int, dict[str, Any]] = {}
    series = by_series(result.layers.rows)
    several = len({one.encoder for one in series}) > 1
    for one, some in series.items():
        name = f"{one.lang}-{one.other}" + (f" ({one.encoder})" if several else "")
        for row in some:
            column = {f"{name}{end}": row[f"{measure}{end}"] for end in ("", "_low", "_high")}
            rows.setdefault(row["layer"], {"layer": row["layer"]}).update(column)
    return Table(list(rows.values()), caption=caption)


def over_pairs(result: TranslationResult) -> Table:
    """Return a row an encoder and layer: means over the pairs, without intervals."""
    found: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in result.layers.rows:
        found.setdefault((row["encoder"], row["layer"]), []).append(row)
    rows = [
        {"encoder": encoder, "layer": layer}
        | {name: float(np.mean([row[name] for row in some])) for name in COLUMNS}
        for (encoder, layer), some in found.items()
    ]
    return Table(rows, caption="Means over the pairs.")


if __name__ == "__main__":
    main()
