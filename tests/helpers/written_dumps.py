"""Small dumps for tests, in the form of MediaWiki's XML export 0.11, with any pages in them."""

import bz2
import random
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

HEAD = """<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.11/" version="0.11" xml:lang="bg">
  <siteinfo>
    <sitename>Уикипедия</sitename>
    <dbname>bgwiki</dbname>
    <base>https://bg.wikipedia.org/wiki/</base>
    <case>first-letter</case>
    <namespaces>
      <namespace key="-2" case="first-letter">Медия</namespace>
      <namespace key="0" case="first-letter" />
      <namespace key="4" case="first-letter">Уикипедия</namespace>
      <namespace key="6" case="first-letter">Файл</namespace>
      <namespace key="14" case="first-letter">Категория</namespace>
      <namespace key="2302" case="case-sensitive">Gadget definition</namespace>
    </namespaces>
  </siteinfo>
"""
TAIL = "</mediawiki>\n"
WORDS = [
    "порт",
    "Hafen",
    "港",
    "항구",
    "ميناء",
    "बंदरगाह",
    "ท่าเรือ",
    "λιμάνι",
    "&",
    "<ref>x</ref>",
    "[[b|c]]",
]


@dataclass(frozen=True)
class Written:
    """A page as it is written into a dump."""

    id: int
    title: str
    text: str = ""
    namespace: int = 0
    redirect: str | None = None
    model: str = "wikitext"

    @property
    def xml(self) -> str:
        redirect = f"    <redirect title={quoteattr(self.redirect)} />\n" if self.redirect else ""
        return (
            f"  <page>\n    <title>{escape(self.title)}</title>\n    <ns>{self.namespace}</ns>\n"
            f"    <id>{self.id}</id>\n{redirect}    <revision>\n      <id>{self.id + 5}</id>\n"
            f"      <contributor><username>Щъ</username><id>3</id></contributor>\n"
            f"      <model>{self.model}</model>\n      <format>text/x-wiki</format>\n"
            f'      <text bytes="{len(self.text.encode())}" xml:space="preserve">'
            f"{escape(self.text)}</text>\n    </revision>\n  </page>\n"
        )


def some_pages(n_pages: int, *, n_words: int = 300, seed: int = 0) -> list[Written]:
    """Return pages of random words in many scripts, a few of them redirects."""
    rng = random.Random(seed)
    pages = []
    for i in range(n_pages):
        if i % 7 == 3:
            pages.append(Written(i + 1, f"Пристан {i}", "#виж [[x]]", redirect=f"Порт {i - 1}"))
        else:
            words = [f"{rng.choice(WORDS)}{rng.randrange(999)}" for _ in range(n_words)]
            pages.append(Written(i + 1, f"Порт {i}", " ".join(words) + f"\n== {i} ==\n"))
    return pages


def dump_of(pages: list[Written]) -> bytes:
    """Return the XML of a whole dump."""
    return (HEAD + "".join(page.xml for page in pages) + TAIL).encode()


def multistream(pages: list[Written], *, a_stream: int = 10) -> tuple[bytes, bytes]:
    """Return a dump of many bz2 streams and the text of its index."""
    whole, index = bz2.compress(HEAD.encode()), []
    for first in range(0, len(pages), a_stream):
        some = pages[first : first + a_stream]
        index += [f"{len(whole)}:{page.id}:{page.title}\n" for page in some]
        whole += bz2.compress("".join(page.xml for page in some).encode())
    return whole + bz2.compress(TAIL.encode()), "".join(index).encode()
