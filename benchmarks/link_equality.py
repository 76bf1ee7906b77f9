r"""Compare our mentions with those of wikipedia2vec 2.0.0 on dumps, news and sentences.

    python benchmarks/link_equality.py --data DIR --peer PYTHON [--work DIR]

Names and weights: its own, from the English slice at its thresholds. Texts: the paragraphs of every
page of the dumps, and 600 news articles and sentences. Twice: our matcher under its rules (small
letters, tokens `[\w\d]+`), where mentions must be equal, and our linker as it is, where the
differences are counted by class. It finds an ambiguous name, and gives nothing; its spans are
compared, with all candidates that its dictionary has.
"""

import argparse
import csv
import gzip
import json
import re
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.link.linker import Linker
from isogloss.kb.matching.matcher import find_names
from isogloss.kb.matching.name_table import build_table, views_of
from isogloss.text.scripts import BEGIN, END, OTHER, WORD
from isogloss.wiki.dump.reader import Dump
from isogloss.wiki.wikitext.rules import WikitextRules
from isogloss.wiki.wikitext.wikitext import scan_pages
from link_speed_peer import SLICE, WORKER, run, write_entities, write_lines

TOKEN = re.compile(r"[\w\d]+")
Spans = list[set[tuple[int, int]]]


def main() -> None:
    """Print the two comparisons, and write them to benchmarks/out."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    parser.add_argument("--peer", required=True, help="interpreter with wikipedia2vec 2.0.0")
    parser.add_argument("--work", type=Path, help="keep what is made in this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = options.work or Path(temporary)
        work.mkdir(exist_ok=True)
        told = compared(options.data, work, options.peer)
    out = Path(__file__).parent / "out"
    out.mkdir(exist_ok=True)
    (out / "link_equality.json").write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n")
    print(json.dumps(told, indent=1, ensure_ascii=False))


def compared(data: Path, work: Path, peer: str) -> dict[str, Any]:
    """Return counts of equal and different mentions, by the kind of text."""
    table, kb = work / "names.tsv", work / "names.kb"
    if not table.exists():
        run(peer, WORKER, "names", data / "wikipedia" / "slices" / SLICE, work)
    if not kb.exists():
        write_entities(table, work / "names.jsonl")
        build_knowledge_base([f"names:{work / 'names.jsonl'}"], kb)
    linker = Linker(KnowledgeBase.open(kb), "en", min_link_prob=0.0, min_commonness=0.0)
    told = {}
    for kind, texts in texts_of(data).items():
        write_lines(work / "compared.jsonl", texts)
        run(peer, WORKER, "link", table, work / "compared.jsonl", work / "compared.json")
        listed = json.loads((work / "compared.json").read_text())["spans"]
        theirs = [{(start, end) for start, end in spans} for spans in listed]
        told[kind] = {
            "texts": len(texts),
            "mentions": sum(map(len, theirs)),
            "under its rules": by_its_rules(table, texts, theirs),
            "as it is": as_it_is(linker, table, texts, theirs),
        }
    return told


def texts_of(data: Path) -> dict[str, list[str]]:
    """Return the texts to compare on."""
    dumps = sorted((data / "wikipedia").glob("*/*.bz2"))
    paragraphs = [line for path in dumps for page in pages_of(path) for line in page.split("\n")]
    csv.field_size_limit(10**9)
    with gzip.open(data / "masakhanews" / "eng" / "test.tsv.gz", "rt", encoding="utf-8") as file:
        news = [row["text"] for row in csv.DictReader(file, delimiter="\t")]
    sentences = [
        row.split("\t")[1]
        for path in sorted((data / "sts").glob("*/*.tsv"))
        for row in path.read_text("utf-8").splitlines()
    ]
    chosen = [some[:: len(some) // 300][:300] for some in (news, sentences)]
    lines = [line for text in chosen[0] for line in text.split("\n")]
    return {"pages": [p for p in paragraphs if p.strip()], "news and STS": lines + chosen[1]}


def pages_of(path: Path) -> list[str]:
    """Return the text of every page of a dump."""
    with Dump(path) as dump:
        texts = [page.text for page in dump.pages(namespaces={0}) if page.text]
        scanned = scan_pages(texts, WikitextRules.of(dump.site))
    return [scanned.text_of(i) for i in range(len(texts))]


def rows_of(table: Path) -> dict[str, set[tuple[str, float, float]]]:
    """Return name → entity, link probability and commonness of its candidates."""
    rows: dict[str, set[tuple[str, float, float]]] = {}
    for line in table.read_text("utf-8").split("\n")[:-1]:
        name, entity, *numbers = line.split("\t")
        n_links, total, n_pages = map(int, numbers)
        weights = np.float32(min(1.0, total / n_pages)), np.float32(n_links / total)
        rows.setdefault(name, set()).add((f"e:{entity}", *map(float, weights)))
    return rows


def lowered(text: str) -> str:
    """Return the text in small letters, as long as it was: only İ is longer, and stays."""
    low = text.lower()
    return low if len(low) == len(text) else "".join(c.lower()[:1] for c in text)


def by_its_rules(table: Path, texts: list[str], theirs: Spans) -> dict[str, int]:
    """Return how the matcher's spans differ when it gets their tokens and small letters."""
    names = sorted(rows_of(table))
    units, offsets, kinds = arrays_of(names)
    name_rows = np.repeat(np.arange(len(names), dtype=np.int32)[:, None], 3, axis=1)
    slots, records = build_table(units, offsets, kinds, np.ascontiguousarray(name_rows))
    found, starts, bounds, kinds = arrays_and_bounds(texts)
    begins, first, stop, row = find_names(
        (starts, found, kinds, np.zeros(found.size, np.uint8), bounds), slots, views_of(records),
        np.ones(len(names), np.bool_), None, None, None, False,
    )  # fmt: skip
    counts: Counter[str] = Counter()
    for i, text in enumerate(texts):
        part = slice(int(begins[i]), int(begins[i + 1]))
        ours = set(zip(first[part].tolist(), stop[part].tolist(), strict=True))
        assert all(
            names[name] == lowered(text)[a:b]
            for a, b, name in zip(*(x[part].tolist() for x in (first, stop, row)), strict=True)
        )
        is_shifted = len(text.lower()) != len(text)
        counts["equal"] += len(ours & theirs[i])
        counts["other, in a text with İ" if is_shifted else "other"] += len(ours ^ theirs[i])
    return dict(counts)


def arrays_of(strings: list[str]) -> tuple[Any, Any, Any]:
    """Return code points in small letters, offsets, and kinds by their tokens."""
    whole = "".join(map(lowered, strings))
    units = np.frombuffer(whole.encode("utf-32-le", "surrogatepass"), np.uint32)
    offsets = np.cumsum([0, *map(len, strings)])
    kinds = [WORD if TOKEN.match(character) else OTHER for character in "".join(strings)]
    return units, offsets, np.array(kinds, np.uint8)


def arrays_and_bounds(texts: list[str]) -> tuple[Any, Any, Any, Any]:
    """Return code points, offsets, where tokens begin and end, and kinds."""
    units, offsets, kinds = arrays_of(texts)
    bounds = np.zeros(units.size + len(texts), np.uint8)
    for i, text in enumerate(texts):
        for token in TOKEN.finditer(text):
            bounds[offsets[i] + i + token.start()] |= BEGIN
            bounds[offsets[i] + i + token.end()] |= END
    return units, offsets, bounds, kinds


def as_it_is(linker: Linker, table: Path, texts: list[str], theirs: Spans) -> dict[str, Any]:
    """Return how the linker's mentions differ, by class, with some examples of each."""
    rows = rows_of(table)
    is_known = {
        name: any(m.surface == name for m in linker.link([name]).mentions(0)) for name in rows
    }
    linked = linker.link(texts)
    counts: Counter[str] = Counter()
    examples: dict[str, Counter[str]] = {}
    for i, text in enumerate(texts):
        mentions = {(m.start, m.end): m for m in linked.mentions(i)}
        for span in mentions.keys() & theirs[i]:
            listed = {
                (c.entity, c.link_probability, c.commonness) for c in mentions[span].candidates
            }
            is_equal = listed == rows[text.lower()[slice(*span)]]
            counts["equal" if is_equal else "equal span, other candidates"] += 1
        for side, spans in (
            ("only theirs", theirs[i] - mentions.keys()),
            ("only ours", mentions.keys() - theirs[i]),
        ):
            for span in spans:
                others = mentions.keys() if side == "only theirs" else theirs[i]
                why = f"{side}: {reason(text, span, others, rows, is_known)}"
                counts[why] += 1
                examples.setdefault(why, Counter())[text[slice(*span)]] += 1
    most = {why: [name for name, _ in seen.most_common(8)] for why, seen in examples.items()}
    return {"counts": dict(counts), "examples": most}


def reason(
    text: str, span: tuple[int, int], others: Any, rows: dict[str, Any], is_known: dict[str, bool]
) -> str:
    """Return why only one tool has a mention."""
    start, end = span
    low = text.lower()
    if len(low) != len(text):
        return "İ shifts the other's places"
    name = low[start:end]
    if name not in rows:
        return "a spelling that differs in apostrophe, hyphen, space or composition"
    if not is_known[name]:
        return "function word, number, single letter"
    tokens = list(TOKEN.finditer(text))
    if start not in {t.start() for t in tokens} or end not in {t.end() for t in tokens}:
        return "an edge for us, inside a token for them"
    if any(a < end and start < b for a, b in others):
        return "another mention takes the place"
    return "an edge for them, inside a word for us"


if __name__ == "__main__":
    main()
