"""Whether an English query finds what says the same in other languages, and news of its topic.

    python benchmarks/search_news.py --data DIR

Sentences: an index of the dev sentences of SIB-200 in 27 languages, searched with the English
sentences. `recall_1` and `recall_10`: whether the translation is among so many hits of its
language; `mixed_10`: share of the ten nearest of all 2,673 sentences that are translations.

News: an index of the headlines of MasakhaNEWS (dev and test) in one language, searched with the
English headlines of the test file. `precision_10`: share of the ten nearest headlines with the
topic of the query; `chance`: that of headlines drawn at random. Queries of topics that the language
lacks are left out. Intervals are over sentences, drawn jointly over languages, and over queries.
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from evaluation_data import NEWS_LANGUAGES, SIB_LANGUAGES, find
from isogloss import Encoder, TextIndex
from isogloss.data.documents import Documents, FileFormat, read_documents
from isogloss.report.table import Table
from isogloss.statistics.draws import Resampling, columns_of
from isogloss.statistics.intervals import interval_of_accuracy
from isogloss.statistics.scores import interval_of_language_mean
from records import Record, add_json

K = 10


def sentences(data: Path, out: Path, encoder: Encoder) -> list[dict[str, Any]]:
    """Return a row for each language, and their mean."""

    def read(lang: str) -> Documents:
        file = find(data / "sib200" / lang / "dev.tsv")
        return read_documents(file, format=FileFormat(quoting="csv"), needs_label=False)

    english = read("eng_Latn")
    others = {lang: read(lang) for lang in SIB_LANGUAGES}
    index = TextIndex.build(
        [text for some in others.values() for text in some.texts],
        out / "sentences",
        ids=[str(name) for some in others.values() for name in some.ids or ()],
        langs=[lang for lang, some in others.items() for _ in some.texts],
        encoder=encoder,
        overwrite=True,
    )
    rows = []
    right: dict[str, dict[str, np.ndarray]] = {"recall_1": {}, "recall_10": {}}
    for lang in SIB_LANGUAGES:
        hits = index.search(english.texts, k=K, langs=[lang])
        places = [
            [hit.id for hit in of_query].index(name) if name in [hit.id for hit in of_query] else K
            for name, of_query in zip(english.ids or (), hits, strict=True)
        ]
        right["recall_1"][lang] = np.array(places) < 1
        right["recall_10"][lang] = np.array(places) < K
        row: dict[str, Any] = {"lang": lang, "n": len(places)}
        for name, of_langs in right.items():
            row |= columns_of(name, interval_of_accuracy(of_langs[lang]))
        rows.append(row)
    rows.sort(key=lambda row: -row["recall_1"])
    ids = {lang: [str(name) for name in english.ids or ()] for lang in SIB_LANGUAGES}
    mean: dict[str, Any] = {"lang": "mean", "n": len(SIB_LANGUAGES)}
    for name, of_langs in right.items():
        mean |= columns_of(name, interval_of_language_mean(of_langs, ids, seed=0))
    mixed = [
        np.mean([hit.id == name for hit in of_query])
        for name, of_query in zip(english.ids or (), index.search(english.texts, k=K), strict=True)
    ]
    resampling = Resampling.of(len(mixed), np.random.default_rng(0))
    mean |= columns_of("mixed_10", resampling.mean(np.array(mixed)).interval)
    return [*rows, mean]


def news(data: Path, out: Path, encoder: Encoder) -> list[dict[str, Any]]:
    """Return a row for each language."""
    format = FileFormat(text=("headline",), label="category", quoting="csv")

    def read(lang: str, *splits: str) -> tuple[list[str], np.ndarray]:
        files = [find(data / "masakhanews" / lang / f"{split}.tsv") for split in splits]
        read = [read_documents(file, format=format, needs_label=True) for file in files]
        texts = [text for some in read for text in some.texts]
        return texts, np.array([label for some in read for label in some.labels or ()])

    queries, topics = read("eng", "test")
    rows = []
    for lang in NEWS_LANGUAGES:
        texts, labels = read(lang, "dev", "test")
        index = TextIndex.build(texts, out / lang, encoder=encoder, overwrite=True)
        shares = {topic: float((labels == topic).mean()) for topic in set(topics)}
        asked = [row for row, topic in enumerate(topics) if shares[topic]]
        hits = index.search([queries[row] for row in asked], k=K)
        right = np.array([
            np.mean([labels[hit.row] == topics[row] for hit in of_query])
            for row, of_query in zip(asked, hits, strict=True)
        ])  # fmt: skip
        resampling = Resampling.of(len(right), np.random.default_rng(0))
        rows.append(
            {"lang": lang, "queries": len(asked), "headlines": len(texts)}
            | columns_of("precision_10", resampling.mean(right).interval)
            | {"chance": float(np.mean([shares[topics[row]] for row in asked]))}
        )
    return rows


def main() -> None:
    """Build the indexes, search them, print both tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="the evaluation data")
    parser.add_argument("--out", type=Path, default=Path("benchmarks/out/search_news"))
    parser.add_argument("--encoder", default="bundled")
    add_json(parser)
    given = parser.parse_args()
    record = Record(given.json)
    given.out.mkdir(parents=True, exist_ok=True)
    encoder = Encoder.load(given.encoder, cache=given.out / "vectors")
    rows = sentences(given.data, given.out, encoder)
    record.show("sentences", Table(rows))
    record.show("not always first", Table([row for row in rows if row["recall_1"] < 1]))
    record.show("news", Table(news(given.data, given.out, encoder)))
    record.write()


if __name__ == "__main__":
    main()
