"""From a block of a dump to flat arrays: pages, plain text, sections and links.

`extract_block` is a function of the block and the wiki's rules alone, so blocks can be worked on
anywhere; `parts` writes what comes out to disk. Kept are the pages of the main namespace.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import offsets_of
from isogloss.storage.array_file import Arrays, packed, packed_strings
from isogloss.storage.string_index import index_strings
from isogloss.wiki.dump.disambiguation import DisambiguationTemplates
from isogloss.wiki.dump.pages import Page, parse_pages
from isogloss.wiki.site import ARTICLE, Site, language_prefixes
from isogloss.wiki.streams.decompression import GAP
from isogloss.wiki.wikitext.plain_targets import begin_plain_targets, capitals
from isogloss.wiki.wikitext.rules import WikitextRules
from isogloss.wiki.wikitext.wikitext import (
    ARTICLE_LINK,
    CATEGORY_LINK,
    WIKI_LINK,
    ScannedPages,
    scan_pages,
)

# Kinds of links: to a page of the main namespace, to a category without text, to a page of another
# namespace, to the same page in another language, to another wiki.
TO_ARTICLE, TO_CATEGORY, TO_OTHER_NAMESPACE, TO_LANGUAGE, TO_OTHER_WIKI = range(5)
REDIRECT, DISAMBIGUATION = 1, 2  # bits of a page's flags

# Array → the array of whose rows its values are places, for blocks to be joined; None: plain rows.
COLUMNS: Mapping[str, tuple[Any, str | None]] = {
    "page_id": (np.int64, None),
    "page_flags": (np.uint8, None),
    "title_offsets": (np.int64, "titles"),
    "titles": (np.uint8, None),
    "redirect_offsets": (np.int64, "redirects"),
    "redirects": (np.uint8, None),
    "text_offsets": (np.int64, "text"),
    "text": (np.uint8, None),
    "section_offsets": (np.int64, "section_start"),
    "section_start": (np.int64, None),
    "link_offsets": (np.int64, "link_target"),
    "link_target": (np.int32, "target_kind"),
    "link_start": (np.int32, None),
    "link_end": (np.int32, None),
    "target_kind": (np.uint8, None),
    "target_offsets": (np.int64, "targets"),
    "targets": (np.uint8, None),
}


class Extracted(NamedTuple):
    """What was read of a block or part.

    Parameters
    ----------
    arrays
        By name, of one axis; ``x_offsets`` has a first 0 and the end of each row.

        ===================  ======================================================================
        ``page_id``          number of each page of the main namespace, in the order of the dump
        ``page_flags``       bits `REDIRECT` and `DISAMBIGUATION` (by its templates)
        ``titles``           of each page, as the dump has them, UTF-8
        ``redirects``        of each page: the title that it leads to; empty if it is no redirect
        ``text``             of each page: plain text, UTF-8 (`ScannedPages`); empty for redirects
        ``section_start``    of each page: as in `ScannedPages`
        ``link_target``      of each page: rows of targets; start and end are bytes of its text
        ``targets``          normal titles, each once a block, without fragment; a language's title
                             keeps its prefix and first letter
        ``target_kind``      `TO_ARTICLE` …
        ===================  ======================================================================
    dropped
        Pages that could not be read by reason, stretches of the dump that are missing.
    others
        What is left out on purpose: pages of other namespaces and of other content models.
    """

    arrays: Arrays
    dropped: Counter[str]
    others: Counter[str]


def extract_block(
    block: bytes,
    site: Site,
    rules: WikitextRules,
    disambiguates: DisambiguationTemplates,
) -> Extracted:
    """Read the pages of a block of `isogloss.wiki.dump.reader.Dump`.

    Examples
    --------
    >>> site = Site.default("en")
    >>> block = (b"<page><title>A</title><ns>0</ns><id>7</id><revision><text>An [[apple]]."
    ...          b"</text></revision></page>")
    >>> found = extract_block(block, site, WikitextRules.of(site), DisambiguationTemplates("en"))
    >>> found.arrays["targets"].tobytes(), found.arrays["text"].tobytes()
    (b'Apple', b'An apple.')
    """
    parsed = parse_pages(block, site, namespaces={ARTICLE})
    dropped = Counter(parsed.dropped)
    if n_gaps := block.count(GAP.strip()):
        dropped["damaged stretches"] = n_gaps
    others = Counter(
        "pages of other namespaces" if page.namespace else "pages without wikitext"
        for page in parsed.pages
        if not _is_kept(page)
    )
    pages = [page for page in parsed.pages if _is_kept(page)]
    scanned = scan_pages([page.text for page in pages], rules)
    arrays = {**_pages(pages, scanned, disambiguates), **_links(scanned, site)}
    return Extracted({name: arrays[name] for name in COLUMNS}, dropped, others)


def joined(blocks: Sequence[Arrays]) -> Arrays:
    """Return the arrays of several blocks as those of one."""
    found: Arrays = {}
    for name, (kind, into) in COLUMNS.items():
        listed = [block[name] for block in blocks]
        if into is not None:
            sizes = [0, *np.cumsum([block[into].size for block in blocks])]
            listed = [rows + shift for rows, shift in zip(listed, sizes, strict=False)]
        if name.endswith("_offsets"):
            listed = [np.zeros(1, kind), *(rows[1:] for rows in listed)]
        found[name] = np.concatenate(listed).astype(kind)
    return found


def settings_of(site: Site, code: str) -> dict[str, Any]:
    """Return what `worker` needs, as JSON holds it."""
    return {"site": site.facts(), "code": code}


def worker(settings: Any) -> Any:
    """Return the function from block to bytes that a process of its own runs: see `workers`."""
    site = Site.of_facts(settings["site"])
    rules, disambiguates = WikitextRules.of(site), DisambiguationTemplates(settings["code"])

    def work(block: bytes) -> bytes:
        found = extract_block(block, site, rules, disambiguates)
        return packed(found.arrays, {"dropped": found.dropped, "others": found.others})

    return work


def _is_kept(page: Page) -> bool:
    return page.namespace == ARTICLE and (page.redirect is not None or page.model == "wikitext")


def _pages(
    pages: Sequence[Page], scanned: ScannedPages, disambiguates: DisambiguationTemplates
) -> Arrays:
    names = scanned.template_names.tobytes()
    ends = scanned.template_name_offsets.tolist()
    bounds = scanned.template_offsets.tolist()
    flags = np.zeros(len(pages), np.uint8)
    for i, page in enumerate(pages):
        if page.redirect is not None:
            flags[i] = REDIRECT
        elif any(disambiguates(names[ends[r] : ends[r + 1]]) for r in range(*bounds[i : i + 2])):
            flags[i] = DISAMBIGUATION
    titles, title_offsets = packed_strings([page.title.encode() for page in pages])
    redirects, redirect_offsets = packed_strings([(p.redirect or "").encode() for p in pages])
    return {
        "page_id": np.array([page.id for page in pages], np.int64),
        "page_flags": flags,
        "titles": titles,
        "title_offsets": title_offsets,
        "redirects": redirects,
        "redirect_offsets": redirect_offsets,
        "text": scanned.text,
        "text_offsets": scanned.text_offsets,
        "section_offsets": scanned.section_offsets,
        "section_start": scanned.section_start,
    }


def _links(scanned: ScannedPages, site: Site) -> Arrays:
    """Return the links whose targets are titles, and the table of targets."""
    number, rows = _numbered_targets(scanned, site)
    is_kept = number >= 0
    targets, target_offsets = packed_strings([title for title, _ in rows])
    return {
        "link_offsets": offsets_of(is_kept)[scanned.link_offsets],
        "link_target": number[is_kept],
        "link_start": scanned.link_start[is_kept].astype(np.int32),
        "link_end": scanned.link_end[is_kept].astype(np.int32),
        "target_kind": np.array([kind for _, kind in rows], np.uint8),
        "target_offsets": target_offsets,
        "targets": targets,
    }


_Target = tuple[bytes, int]  # title, kind


def _numbered_targets(scanned: ScannedPages, site: Site) -> tuple[Any, list[_Target]]:
    """Return a number for each link, -1 where its target is no title, and what is numbered."""

    def capital(raw: str) -> str:
        found = _normal_target(site, raw, ARTICLE_LINK)
        return "" if found is None else found[0].decode()

    offsets = scanned.target_offsets
    _, first = index_strings(scanned.targets, offsets)
    distinct = np.flatnonzero(first == np.arange(first.size))
    data, is_plain = begin_plain_targets(scanned.targets, offsets, distinct, capitals(capital))
    whole, rows = data.tobytes(), dict[_Target, int]()
    number = np.full(first.size, -1, np.int32)
    for row, start, end, plain in zip(
        distinct.tolist(), offsets[distinct].tolist(), offsets[distinct + 1].tolist(),
        is_plain.tolist(), strict=True,
    ):  # fmt: skip
        found: _Target | None = (whole[start:end], TO_ARTICLE)
        if not plain:  # the kind of a link depends on its target alone
            raw = whole[start:end].decode("utf-8", "replace")
            found = _normal_target(site, raw, int(scanned.link_kind[row]))
        if found is not None:
            number[row] = rows.setdefault(found, len(rows))
    return number[first], list(rows)


def _normal_target(site: Site, raw: str, kind: int) -> _Target | None:
    if _PLAIN.fullmatch(raw):
        title, to = site.title(raw), TO_ARTICLE
    else:
        number, rest = site.namespace_of(raw)
        title, to = site.title(raw), TO_OTHER_NAMESPACE if number else TO_ARTICLE
        prefix, colon, _ = rest.partition(":")
        if kind == CATEGORY_LINK:
            to = TO_CATEGORY
        elif not number and colon and site.is_interwiki(prefix):
            is_hidden = kind == WIKI_LINK and not raw.startswith(":")
            to = TO_LANGUAGE if is_hidden and prefix in language_prefixes() else TO_OTHER_WIKI
    return (title.encode(), to) if title else None


_PLAIN = re.compile("[^:%#]*")
