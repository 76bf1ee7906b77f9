"""Measure how fast wikitext is read, per CPU-second, beside a parser and beside bare `re`.

    python benchmarks/wikitext_speed.py --data DIR

Text: the articles of the English slice (206 pages, 106 of them no redirects), repeated for the
fast ones until there are 20 MB. mwparserfromhell parses and gives its links, without any text;
`re` finds brackets wherever they are, templates included: a bound for what Python can do, not a
reader. All three run in this process, one after the other, the best of three rounds.
"""

import argparse
import bz2
import re
import time
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import mwparserfromhell

from isogloss.wiki.site import Site
from isogloss.wiki.wikitext.rules import WikitextRules
from isogloss.wiki.wikitext.wikitext import scan_pages

N_BYTES = 20_000_000
N_ROUNDS = 3
SLICE = "wikipedia/slices/enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
LINK = re.compile(rb"\[\[([^\[\]{}|<>\n]+)(?:\|((?:[^\[\]]|\[(?!\[)|\](?!\]))*))?\]\]([a-z]*)")


def main() -> None:
    """Print one line for each way to read."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation data")
    texts = articles(parser.parse_args().data / SLICE)
    n_bytes = sum(map(len, texts))
    many = texts * max(1, N_BYTES // n_bytes)
    rules = WikitextRules.of(Site.default("en"))
    start = time.process_time()
    scan_pages(texts[:1], rules)
    print(f"{len(texts)} pages, {n_bytes / 1e6:.1f} MB; first call {elapsed(start):.1f} cpu-s")
    report("isogloss, text and links", lambda: scan_pages(many, rules).link_kind.size, many, texts)
    report("re, links alone", lambda: sum(len(LINK.findall(text)) for text in many), many, texts)
    report("mwparserfromhell, links alone", lambda: sum(map(parsed, texts)), texts, texts)


def articles(path: Path) -> list[bytes]:
    """Return the wikitext of the pages that are no redirects."""
    found = []
    for page in ElementTree.fromstring(bz2.decompress(path.read_bytes())).iter():
        if page.tag.endswith("}page"):
            parts = {part.tag.rpartition("}")[2]: part.text or "" for part in page.iter()}
            if "redirect" not in parts:
                found.append(parts["text"].encode())
    return found


def parsed(text: bytes) -> int:
    """Return the number of links that mwparserfromhell finds in a page."""
    return len(mwparserfromhell.parse(text.decode()).filter_wikilinks())


def elapsed(start: float) -> float:
    """Return the CPU seconds since `start`."""
    return time.process_time() - start


def report(name: str, work: Callable[[], int], read: list[bytes], texts: list[bytes]) -> None:
    """Print megabytes per CPU-second of the best round, and the links of the pages."""
    best = float("inf")
    for _ in range(N_ROUNDS):
        start = time.process_time()
        n_links = work()
        best = min(best, elapsed(start))
    rate = sum(map(len, read)) / 1e6 / best
    print(f"{name}: {rate:.1f} MB per cpu-s, {n_links * len(texts) // len(read)} links")


if __name__ == "__main__":
    main()
