"""Pages of a dump: from a block of whole ``<page>`` elements to titles, redirects and texts.

A function of bytes alone, to be run anywhere. XML is parsed by libxml2 without entities, DTD and
network: a block holds no declarations, so that nothing can be declared. A page that is not
well-formed is counted, the others of its block are read. So is one with a comment or a CDATA
section, which MediaWiki never writes: a damaged file could be well-formed within.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from isogloss.compat import require
from isogloss.wiki.site import Site
from isogloss.wiki.streams.decompression import GAP

END_OF_PAGE = b"</page>"
END_OF_DUMP = b"</mediawiki>"
BEGINNING_OF_PAGE = re.compile(rb"<page[\s>]")

_WIKITEXT = "wikitext"
_SECTION = b"<!"  # begins a comment, a CDATA section or a declaration
_REDIRECT = re.compile(r"\[\[([^]|\[{}]+)")
# What may stand between pages: the ends and heads of dumps that were joined.
_HEAD = re.compile(rb"<\?xml[^>]*>|</?mediawiki[^>]*>|<siteinfo[\s>].*?</siteinfo>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Page:
    """A page in its latest revision.

    Parameters
    ----------
    id, namespace, title
        As the dump has them; the title holds the namespace's name.
    redirect
        The title that it leads to, or None.
    model
        Kind of its text: ``"wikitext"``, ``"json"``, ``"Scribunto"`` …
    text
        Wikitext in UTF-8; empty for redirects, other models, and namespaces not asked for.
    """

    id: int
    namespace: int
    title: str
    redirect: str | None
    model: str
    text: bytes


class ParsedPages(NamedTuple):
    """The pages of a block in order, and how many were lost for which reason."""

    pages: list[Page]
    dropped: Counter[str]


def parse_pages(
    block: bytes, site: Site, *, namespaces: Collection[int] | None = None
) -> ParsedPages:
    """Read the pages of a block.

    Parameters
    ----------
    block
        UTF-8 that begins with a page (`Dump.blocks`).
    site
        The wiki, for old dumps that do not give a page's namespace or a redirect's target.
    namespaces
        Namespaces whose texts are kept; all when None.

    Examples
    --------
    >>> block = b"<page><title>A</title><ns>0</ns><id>1</id><redirect title='B'/></page> <page>?"
    >>> parse_pages(block, Site.default("en")).pages[0].redirect
    'B'
    >>> parse_pages(block, Site.default("en")).dropped
    Counter({'cut off': 1})
    """
    reader = _Reader(site, namespaces)
    data = block.rstrip().removesuffix(END_OF_DUMP)
    root = None if _SECTION in data else reader.parsed(b"<pages>", data, b"</pages>")
    elements = [] if root is None else root.findall("page")
    if root is not None and len(elements) == len(BEGINNING_OF_PAGE.findall(data)):
        for outside in (root.text, *(element.tail for element in root)):
            reader.skip((outside or "").encode())
        pages = [reader.page(element) for element in elements]
    else:
        pages = [reader.page(element) for element in reader.one_by_one(data)]
    return ParsedPages([page for page in pages if page is not None], reader.dropped)


class _Reader:
    def __init__(self, site: Site, namespaces: Collection[int] | None) -> None:
        self.dropped: Counter[str] = Counter()
        self._site, self._namespaces = site, namespaces
        self._etree = require("lxml.etree", extra="wiki", why="reading dumps")

    def parsed(self, head: bytes, data: bytes, tail: bytes = b"") -> Any:
        """Return the root element, or None when the XML is not well-formed UTF-8."""
        parser = self._etree.XMLParser(
            encoding="utf-8",
            resolve_entities=False,
            load_dtd=False,
            no_network=True,
            huge_tree=True,  # else a text ends at 10 MB; a page's size is bounded by its block
            remove_pis=True,
        )
        try:
            return self._etree.fromstring(head + data + tail, parser)
        except self._etree.XMLSyntaxError:
            return None

    def one_by_one(self, data: bytes) -> Iterator[Any]:
        """Yield the elements of a block that is damaged somewhere, each parsed alone."""
        starts = [match.start() for match in BEGINNING_OF_PAGE.finditer(data)]
        self.skip(data[: starts[0]] if starts else data)
        for start, end in pairwise([*starts, len(data)]):
            page, found, outside = data[start:end].partition(END_OF_PAGE)
            if not found:
                self.dropped["cut off"] += 1
                continue
            element = self.parsed(page, found)
            if _SECTION in page:
                self.dropped["with a comment or CDATA section"] += 1
            elif element is None:
                self.dropped["not well-formed XML or UTF-8"] += 1
            else:
                yield element
            self.skip(outside)

    def skip(self, outside: bytes) -> None:
        """Count as one page what stands between pages; blanks and the heads of dumps do not."""
        if outside.strip() and _HEAD.sub(b"", outside.replace(GAP, b"")).strip():
            self.dropped["without its beginning"] += 1

    def page(self, element: Any) -> Page | None:
        fields = _first_children(element)
        title = fields["title"].text if "title" in fields else None
        try:
            number = int((fields["id"].text or "") if "id" in fields else "")
            given = fields["ns"].text if "ns" in fields else None
            namespace = int(given or self._site.namespace_of(title or "")[0])
        except ValueError:
            title = None
        if not title:
            self.dropped["without title or number"] += 1
            return None
        revision = fields
        if "revision" in fields:
            revision = _first_children(element.findall("revision")[-1])
        body = revision.get("text")
        if body is not None and len(body):  # unescaped; the text would end there
            self.dropped["with tags in its text"] += 1
            return None
        model = (revision["model"].text if "model" in revision else None) or _WIKITEXT
        redirect = self._redirect(fields.get("redirect"), body)
        is_kept = (
            redirect is None
            and model == _WIKITEXT
            and (self._namespaces is None or namespace in self._namespaces)
        )
        text = (body.text or "").encode() if is_kept and body is not None else b""
        return Page(number, namespace, title, redirect, model, text)

    def _redirect(self, node: Any, body: Any) -> str | None:
        """Return where a page leads; dumps before 2012 have it in the text alone."""
        if node is None:
            return None
        title: str | None = node.get("title")
        if title is None:
            link = _REDIRECT.search((body is not None and body.text) or "")
            title = self._site.title(link[1]) if link else ""
        return title


def _first_children(element: Any) -> dict[str, Any]:
    """Return the first child of each name."""
    found: dict[str, Any] = {}
    for child in element:
        found.setdefault(child.tag, child)
    return found
