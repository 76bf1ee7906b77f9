"""Small dumps with sections and links, and what should come of them, counted slowly."""

import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from isogloss.vectors.corpus.corpus import Link, Page

Piece = str | tuple[str, str]  # text, or target and text of a link


@dataclass(frozen=True)
class Written:
    """A page: sections of pieces that stand with a space between them."""

    title: str
    sections: Sequence[Sequence[Piece]] = ()
    redirect: str | None = None

    @property
    def wikitext(self) -> str:
        listed = []
        for number, pieces in enumerate(self.sections):
            body = " ".join(p if isinstance(p, str) else f"[[{p[0]}|{p[1]}]]" for p in pieces)
            listed.append(f"== Heading {number} ==\n{body}" if number else body)
        return "\n".join(listed)


def write_dump(path: Path, code: str, pages: Sequence[Written]) -> Path:
    """Write pages of the main namespace."""
    listed = []
    for number, page in enumerate(pages, 1):
        redirect = f"<redirect title={quoteattr(page.redirect)} />" if page.redirect else ""
        listed.append(
            f"<page><title>{escape(page.title)}</title><ns>0</ns><id>{number}</id>{redirect}"
            f"<revision><id>9</id><text>{escape(page.wikitext)}</text></revision></page>\n"
        )
    path.write_text(f'<mediawiki xml:lang="{code}">\n{"".join(listed)}</mediawiki>\n', "utf-8")
    return path


def some_pages(n_pages: int, seed: int) -> list[Written]:
    """Make pages by chance, with redirects, chains and a circle of them."""
    rng = random.Random(seed)
    titles = [f"Page {i}" for i in range(n_pages)]
    redirects = [Written(f"To {i}", redirect=rng.choice(titles)) for i in range(n_pages // 3)]
    redirects += [Written("Chain", redirect="To 0"), Written("Loop", redirect="Pool"),
                  Written("Pool", redirect="Loop")]  # fmt: skip
    targets = titles + [page.title for page in redirects[:-2]]

    def piece() -> Piece:
        word = f"{'Word' if rng.random() < 0.3 else 'word'}{int(rng.paretovariate(0.7)) % 60}"
        return (rng.choice(targets), f"{word} link") if rng.random() < 0.15 else word

    pages = [
        Written(title, [[piece() for _ in range(rng.randint(1, 30))]
                        for _ in range(rng.randint(1, 4))])
        for title in titles
    ]  # fmt: skip
    return rng.sample(pages + redirects, n_pages + len(redirects))


def slow_pages(pages: Sequence[Written]) -> tuple[list[Page], dict[str, str]]:
    """Return the pages as tokens in small letters, and the redirects."""
    found = []
    for page in pages:
        if page.redirect:
            continue
        sections, links = [], []
        for number, pieces in enumerate(page.sections):
            words = ["heading", str(number)] if number else []
            of_section = []
            for piece in pieces:
                text = piece if isinstance(piece, str) else piece[1]
                new = re.findall("[a-z0-9]+", text.lower())
                if not isinstance(piece, str):
                    of_section.append(Link(len(words), len(words) + len(new), piece[0]))
                words += new
            sections.append(words)
            links.append(of_section)
        found.append(Page(page.title, sections, links))
    redirects = {
        p.title: p.redirect for p in pages if p.redirect and p.title not in ("Loop", "Pool")
    }
    return found, redirects
