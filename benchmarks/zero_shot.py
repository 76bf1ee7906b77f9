"""Zero-shot classification with and without entities: the tables of docs/results-zero-shot.md.

Trains on English alone and evaluates other languages, on SIB-200 (one sentence a text) and
MasakhaNEWS (news articles). Rows: the encoder alone, both presets, their ablations −emb (random
entity vectors), −att (plain sum) and equal weights, and of `mboe-plus` nested names, emoji
annotations, and (news only) English names as a fallback. Every cell is kept, so a stopped run goes
on where it was; after a change of the code, name another --out.

    python benchmarks/zero_shot.py --data DATA --out benchmarks/out
"""

import argparse
import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluation_data import NEWS_LANGUAGES, SIB_LANGUAGES, find
from isogloss import Encoder, KnowledgeBase, build_knowledge_base
from isogloss.classify.compare.comparison import (
    ComparedRow,
    Comparison,
    compare,
    compared_rows,
)
from isogloss.classify.compare.scores import scores_of
from isogloss.classify.compare.tables import by_language, mean_languages, summary
from isogloss.data.documents import FileFormat, read_documents
from isogloss.data.labelled import LabelledTexts
from isogloss.errors import OmissionWarning
from isogloss.report.table import Table
from isogloss.text.languages import parse_language
from records import Record, add_json

KB_LANGUAGES = "en fr de es it pt ru zh ja ko ar hi th tr vi id sw yo uk el he fi ta bn ka am fa ne"
ROWS = [
    *compared_rows(["mboe", "mboe-plus", "-emb", "-att", "mean"]),
    ComparedRow("mboe-plus nested", {"preset": "mboe-plus", "nested": True}),
]
WITH_EMOJI = ComparedRow("mboe-plus emoji", {"preset": "mboe-plus"})
WITH_FALLBACK = ComparedRow("mboe-plus fallback en", {"preset": "mboe-plus"})
SHOWN_BY_LANGUAGE = ("mboe", "mboe-plus", WITH_FALLBACK.name)


def read(data: Path, files: dict[str, str], format: FileFormat) -> LabelledTexts:
    """Read labelled files of some languages, each as it is or gzipped."""
    whole = LabelledTexts()
    for name, lang in files.items():
        documents = read_documents(find(data / name), format=format, needs_label=True)
        whole.texts += documents.texts
        whole.labels += documents.labels or []
        whole.langs += [parse_language(lang)] * len(documents.texts)
        whole.ids += documents.ids or [None] * len(documents.texts)
    return whole


def datasets(data: Path) -> dict[str, tuple[LabelledTexts, LabelledTexts]]:
    """Return English training texts and the test texts of other languages of each data set."""
    sib = FileFormat(quoting="csv")
    news = FileFormat(text=("headline", "text"), quoting="csv")
    return {
        "sib200": (
            read(data, {"sib200/eng_Latn/train.tsv": "en"}, sib),
            read(data, {f"sib200/{code}/dev.tsv": code for code in SIB_LANGUAGES}, sib),
        ),
        "masakhanews": (
            read(data, {f"masakhanews/eng/{part}.tsv": "en" for part in ("dev", "test")}, news),
            read(data, {f"masakhanews/{code}/test.tsv": code for code in NEWS_LANGUAGES}, news),
        ),
    }


def knowledge_base(data: Path, out: Path, *names: str) -> KnowledgeBase:
    """Build the knowledge base of CLDR and some names files once."""
    path = out / "-".join(("kb", *names))
    if not path.exists():
        sources = ["cldr", *(f"names:{data / 'names' / name}.jsonl.gz" for name in names)]
        build_knowledge_base(sources, path, langs=KB_LANGUAGES.split())
    return KnowledgeBase.open(path)


def run(
    name: str, train: LabelledTexts, tests: LabelledTexts, encoder: Encoder, n_seeds: int,
    data: Path, out: Path,
) -> Comparison:  # fmt: skip
    """Fill the cells of all rows of a data set."""
    concepts = knowledge_base(data, out, "omw")
    shared = {"encoder": encoder, "n_seeds": n_seeds}
    whole = compare(train, tests, kb=concepts, rows=ROWS, out=out / name, **shared)
    emoji = compare(
        train, tests, kb=knowledge_base(data, out, "omw", "annotations"), rows=[WITH_EMOJI],
        out=out / f"{name}-emoji", **shared,
    )  # fmt: skip
    parts = [whole, emoji]
    if name == "masakhanews":
        parts.append(
            compare(
                train, tests, kb=concepts, rows=[WITH_FALLBACK], fallback_lang="en",
                out=out / f"{name}-fallback", **shared,
            )
        )  # fmt: skip
    return replace(
        parts[0],
        rows=list(dict.fromkeys(row for part in parts for row in part.rows)),
        baselines={row: base for part in parts for row, base in part.baselines.items()},
        cells={key: cell for part in parts for key, cell in part.cells.items()},
    )


def main() -> None:
    """Run what is missing and write the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out"))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--datasets", nargs="*", default=["sib200", "masakhanews"])
    add_json(parser)
    arguments = parser.parse_args()
    record = Record(arguments.json)
    warnings.filterwarnings("ignore", category=OmissionWarning)  # counted in the table
    arguments.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load("bundled", dtype=arguments.dtype)
    for name, (train, tests) in datasets(arguments.data).items():
        if name not in arguments.datasets:
            continue
        result = run(name, train, tests, encoder, arguments.seeds, arguments.data, arguments.out)
        details = by_language(result)
        lines = [line for line in details.rows if line["row"] in SHOWN_BY_LANGUAGE]
        tables = {"systems": summary(result, details), "without pt": without_one(result, "pt"),
                  "by language": Table(lines), "languages": side_by_side(lines)}  # fmt: skip
        for shown, table in tables.items():
            record.show(f"{name}, {shown}", table)
        text = "\n".join(table.to_markdown() for table in tables.values())
        (arguments.out / f"zero_shot_{name}.md").write_text(text, encoding="utf-8")
    record.write()


def side_by_side(lines: list[dict[str, Any]]) -> Table:
    """Return a row a language: texts without a link, and accuracy and difference of each system."""
    rows: dict[str, dict[str, Any]] = {}
    for line in lines:
        row = rows.setdefault(
            line["lang"], {"lang": line["lang"], "n_unlinked": line["n_unlinked"]}
        )
        for end in ("", "_low", "_high"):
            row[f"{line['row']}{end}"] = line[f"accuracy{end}"]
            row[f"{line['row']}: difference{end}"] = line[f"difference{end}"]
    return Table(list(rows.values()))


def without_one(result: Comparison, lang: str) -> Table:
    """Return each row's mean over the other languages, and the difference there."""
    langs = [other for other in mean_languages(result) if other != lang]
    if lang not in mean_languages(result) or not langs:
        return Table([])
    rows = []
    for row in result.rows:
        found = scores_of(result).over(row, langs)
        rows.append(
            {"row": row}
            | {
                f"{name}{end}": value
                for name, one in (found.values | found.gains).items()
                for end, value in (("", one.value), ("_low", one.low), ("_high", one.high))
            }
        )
    return Table(rows, caption=f"The mean of {len(langs)} languages, without {lang}.")


if __name__ == "__main__":
    main()
