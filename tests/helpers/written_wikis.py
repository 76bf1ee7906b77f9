"""Small Wikipedias for tests: pages of pieces, from which come dump, text and a slow count."""

import gzip
import hashlib
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from isogloss.kb import KnowledgeBase, build_knowledge_base
from isogloss.kb.build.wikipedia_options import WikipediaOptions

Piece = str | tuple[str, str]  # text, or target and text of a link


@dataclass(frozen=True)
class WikiPage:
    """A page of the main namespace."""

    title: str
    pieces: Sequence[Piece] = ()
    redirect: str | None = None
    id: int = 0

    @property
    def wikitext(self) -> str:
        listed = (p if isinstance(p, str) else f"[[{p[0]}|{p[1]}]]" for p in self.pieces)
        return "".join(listed)

    @property
    def text(self) -> str:
        return "".join(p if isinstance(p, str) else p[1] for p in self.pieces)


ENGLISH = [
    WikiPage("Berlin", ["Berlin is on the ", ("Spree (river)", "Spree"), ", in ",
                        ("Germany", "Germany"), ". The Spree is a river."]),
    WikiPage("Germany", [("Berlin", "Berlin"), ". ", ("FRG", "the republic"), ", germany "]),
    WikiPage("FRG", redirect="German Republic"),
    WikiPage("German Republic", redirect="Germany"),
    WikiPage("Spree (river)", ["A river in ", ("Berlin", "the city"), " and Berlin, Berlin."]),
    WikiPage("Spree (band)", ["The ", ("Spree (band)", "Spree"), " played in Germany."]),
    WikiPage("River", ["A ", ("River", "river"), " runs. ", ("Berlin", "Berlin"), " River"]),
    WikiPage("Loop", redirect="Pool"),
    WikiPage("Pool", redirect="Loop"),
    WikiPage("Spree", ["{{disambig}}", ("Spree (river)", "Spree"), ("Spree (band)", "Spree")]),
]  # fmt: skip
GERMAN = [
    WikiPage("Berlin", ["Stadt in ", ("Deutschland", "Deutschland"), ". [[en:Berlin]]"], id=70),
    WikiPage("Deutschland", [("Berlin", "Berlin"), " [[en:FRG]]"], id=71),
    WikiPage("Fluss", ["Ein Fluss. ", ("Berlin", "Hauptstadt"), " [[en:River]]"], id=72),
]


def write_wiki(path: Path, code: str, pages: Sequence[WikiPage], *, more: str = "") -> Path:
    """Write a dump; `more` is further XML."""
    listed = []
    for number, page in enumerate(pages, 1):
        redirect = f"<redirect title={quoteattr(page.redirect)} />" if page.redirect else ""
        listed.append(
            f"<page><title>{escape(page.title)}</title><ns>0</ns><id>{page.id or number}</id>"
            f"{redirect}<revision><id>9</id><model>wikitext</model>"
            f"<text>{escape(page.wikitext)}</text></revision></page>\n"
        )
    head = f'<mediawiki xml:lang="{code}">\n'
    path.write_text(head + "".join(listed) + more + "</mediawiki>\n", "utf-8")
    return path


def write_table(
    path: Path, table: str, columns: str, rows: Iterable[tuple[object, ...]], *, of: str = ""
) -> Path:
    """Write an SQL table as mysqldump does (gzipped), from MediaWiki's documentation.

    `columns` are names, those of numbers with a ``#`` in front; `of` is the database it names.
    """
    host = f"-- Host: db1    Database: {of}\n" if of else ""
    defined = ",\n".join(
        f"  `{name.lstrip('#')}` {'int(10) unsigned' if name[0] == '#' else 'varbinary(255)'}"
        for name in columns.split()
    )

    def value(one: object) -> str:
        if one is None:
            return "NULL"
        quoted = str(one).replace("\\", "\\\\").replace("'", "\\'")
        return str(one) if isinstance(one, int) else f"'{quoted}'"

    listed = ",".join(f"({','.join(map(value, row))})" for row in rows)
    text = (
        f"-- MySQL dump 10.19\n{host}\nCREATE TABLE `{table}` (\n{defined}\n) ENGINE=InnoDB;\n\n"
        f"INSERT INTO `{table}` VALUES {listed};\n\n-- Dump completed\n"
    )
    path.write_bytes(gzip.compress(text.encode()))
    return path


class SlowCount:
    """Links and occurrences of the names of a wiki in plain Python.

    For names of Latin letters, in small letters, with a capital at the start of a word, or in
    capitals.
    """

    def __init__(self, pages: Sequence[WikiPage]) -> None:
        redirects = {page.title: page.redirect for page in pages if page.redirect}
        articles = {page.title for page in pages if not page.redirect}

        def end(title: str) -> str | None:
            for _ in range(len(redirects) + 1):
                title = redirects.get(title, title)
            return title if title in articles else None

        self.links: Counter[tuple[str, str]] = Counter()
        self.names: defaultdict[str, set[str]] = defaultdict(set)
        for page in pages:
            for name in {page.title, re.sub(r" \(.*\)$", "", page.title)}:
                if (entity := end(page.title)) is not None:
                    self.names[name].add(entity)
        linked_on: list[set[str]] = []
        own_title: list[str | None] = []
        for page in pages:
            on_page = set()
            for piece in page.pieces:
                if not isinstance(piece, str) and (entity := end(piece[0])) is not None:
                    self.links[piece[1], entity] += 1
                    self.names[piece[1]].add(entity)
                    on_page.add(piece[1])
            linked_on.append(on_page)
            own_title.append(None if page.redirect else re.sub(r" \(.*\)$", "", page.title))
        self._acronyms = {name.lower() for name in self.names if name.isupper()}
        self.link_prob: dict[str, float] = {}
        for name in self.names:
            n_text = n_link = 0
            for page, links, own in zip(pages, linked_on, own_title, strict=True):
                found = self._written_in(name, page.text)
                meant = {one for one in found if own is not None and self._is_written(own, one)}
                n_text += bool(found)
                n_link += bool(meant) or any(self._is_written(name, link) for link in links)
            if n_text:
                self.link_prob[name] = n_link / n_text

    def _is_written(self, name: str, found: str) -> bool:
        """Whether a name may be written so: in capitals, with a capital, in small letters.

        A higher form serves a lower one; but capitals mean no other where a name in capitals is.
        """
        if found.lower() != name.lower():
            return False
        if found.isupper() and found.lower() in self._acronyms:
            return name.isupper()
        return _form(found) >= _form(name)

    def _written_in(self, name: str, text: str) -> set[str]:
        found = re.findall(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text)
        return {one for one in found if self._is_written(name, one)}


def _form(name: str) -> int:
    return 2 if name.isupper() else int(name[0].isupper())


def some_pages(n_pages: int, seed: int) -> list[WikiPage]:
    """Return pages whose words are now and then links, in several cases, and nested in others."""
    rng = random.Random(seed)
    nouns = ["stone", "river", "old stone", "river bank", "Bank", "Old Town", "town", "Stone",
             "STONE", "TOWN"]  # fmt: skip
    shouted = ["BENCH", "OLD TOWN", "RIVER BANK"]  # in text alone: no names of their own
    titles = ["Stone", "River", "Bank", "Town (place)", "Town (album)", "Old Town", "Bench"]
    pages = []
    for i in range(n_pages):
        title = titles[i] if i < len(titles) else f"Page {'abcdefghij'[i % 10]}{'klm'[i // 10]}"
        pieces: list[Any] = []
        for _ in range(rng.randrange(30)):
            noun = rng.choice(nouns)
            pieces += [(rng.choice(titles), noun) if rng.random() < 0.3 else noun, " and "]
            if rng.random() < 0.2:
                pieces += [rng.choice(shouted), " or "]
        pages.append(WikiPage(title, pieces))
    return pages


def built(out: Path, *sources: str, workers: int = 1, **options: Any) -> KnowledgeBase:
    build_knowledge_base(
        sources, out, workers=workers, wikipedia=WikipediaOptions(**options), overwrite=True
    )
    return KnowledgeBase.open(out)


def digest(kb: KnowledgeBase) -> str:
    files = sorted(path for path in kb.path.rglob("*") if path.is_file())
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
