"""Small Wikipedias for tests: pages of pieces, from which come dump, text and a slow count."""

import gzip
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

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


def write_table(path: Path, table: str, columns: str, rows: Iterable[tuple[object, ...]]) -> Path:
    """Write an SQL table as mysqldump does (gzipped), from MediaWiki's documentation.

    `columns` are names, those of numbers with a ``#`` in front.
    """
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
        f"-- MySQL dump 10.19\n\nCREATE TABLE `{table}` (\n{defined}\n) ENGINE=InnoDB;\n\n"
        f"INSERT INTO `{table}` VALUES {listed};\n\n-- Dump completed\n"
    )
    path.write_bytes(gzip.compress(text.encode()))
    return path


class SlowCount:
    """Links and occurrences of the names of a wiki in plain Python.

    For names of Latin letters, in small letters or with a single capital at the start of a word.
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
        for page in pages:
            on_page = set()
            for piece in page.pieces:
                if not isinstance(piece, str) and (entity := end(piece[0])) is not None:
                    self.links[piece[1], entity] += 1
                    self.names[piece[1]].add(entity)
                    on_page.add(piece[1])
            if not page.redirect:
                own = re.sub(r" \(.*\)$", "", page.title)
                if _occurs(own, page.text):
                    on_page.add(own)
            linked_on.append(on_page)
        self.link_prob: dict[str, float] = {}
        for name in self.names:
            n_text = sum(_occurs(name, page.text) for page in pages)
            n_link = sum(any(_is_written(name, link) for link in links) for links in linked_on)
            if n_text:
                self.link_prob[name] = n_link / n_text


def _is_written(name: str, found: str) -> bool:
    """Whether a name may be written so: in small letters anyhow, else with its capital."""
    return found.lower() == name.lower() and (name[0].islower() or found[0].isupper())


def _occurs(name: str, text: str) -> bool:
    found = re.findall(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", text)
    return any(_is_written(name, one) for one in found)
