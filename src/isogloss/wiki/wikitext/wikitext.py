"""Read wikitext: the plain text of pages, their links with spans in that text, and sections.

Many pages go in at once and flat arrays come out; there is no tree and no object for a link or
page. What is read of a page, and what is left out, is in `docs/wiki.md`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, offsets_of
from isogloss.compiled import compiled, interrupts_wait
from isogloss.wiki.wikitext.cuts import find_cuts
from isogloss.wiki.wikitext.rules import WikitextRules
from isogloss.wiki.wikitext.scan import scan_page
from isogloss.wiki.wikitext.state import (
    ARTICLE_LINK,
    CATEGORY_LINK,
    MOST_OPEN,
    NAME_BYTES,
    NAMES,
    OPEN_LINK_SIZE,
    OUT,
    ROW,
    SECTIONS,
    STATE_SIZE,
    STEPS,
    TARGETS,
    WIKI_LINK,
)

__all__ = ["ARTICLE_LINK", "CATEGORY_LINK", "WIKI_LINK", "ScannedPages", "scan_pages"]

_MARKUP = b"\n'[]|<&{}_"


@dataclass(frozen=True, eq=False)
class ScannedPages:
    """What was read of some pages; every array is flat, with offsets by page or by row.

    Row r of an array ``x`` belongs to page p where ``x_offsets[p] <= r < x_offsets[p + 1]``.

    Attributes
    ----------
    text, text_offsets
        Plain text of all pages, UTF-8. A paragraph, heading or caption is a line; there are no
        empty lines and no line break at the end of a page.
    link_offsets, link_kind, link_start, link_end
        Links in the order of the text: `ARTICLE_LINK` (any page of the wiki), `CATEGORY_LINK`, or
        `WIKI_LINK` (another wiki or language). Start and end, in bytes from the page's start, are
        the link's text, with the letters behind it; they are equal where it has none: categories,
        links to the page in another language, ``[[a| ]]``, a text that a template makes.
    targets, target_offsets
        Targets of the links, UTF-8, as written but for entities, comments and blanks at the ends;
        with leading colon and ``#fragment``.
    section_offsets, section_level, section_start, heading_length
        Sections: level 0, without heading, is what comes before the first heading; the others
        have the level of their heading, 1 to 6. Start and heading length are in bytes; the heading
        is a line of the text (no line where only a template makes it).
    template_offsets, template_names, template_name_offsets
        Names of the templates that are in no other template, table or reference, as written.
    n_damaged
        Pages with bytes that are not UTF-8; those are replaced by U+FFFD.
    n_steps
        Bytes looked at, all scans together: at most a small multiple of the input.
    """

    text: Bytes1d
    text_offsets: Ints1d
    link_offsets: Ints1d
    link_kind: Bytes1d
    link_start: Ints1d
    link_end: Ints1d
    targets: Bytes1d
    target_offsets: Ints1d
    section_offsets: Ints1d
    section_level: Bytes1d
    section_start: Ints1d
    heading_length: Ints1d
    template_offsets: Ints1d
    template_names: Bytes1d
    template_name_offsets: Ints1d
    n_damaged: int
    n_steps: int

    @property
    def n_pages(self) -> int:
        """Number of pages."""
        return self.text_offsets.size - 1

    def text_of(self, page: int) -> str:
        """Return the plain text of a page."""
        first, last = self.text_offsets[page : page + 2]
        return self.text[first:last].tobytes().decode("utf-8")

    def links_of(self, page: int) -> list[tuple[str, str, int]]:
        """Return target, text and kind of a page's links; for tests and small inputs."""
        whole = self.text[self.text_offsets[page] :]
        found = []
        for row in range(*self.link_offsets[page : page + 2].tolist()):
            first, last = self.target_offsets[row : row + 2]
            target = self.targets[first:last].tobytes().decode("utf-8")
            shown = whole[self.link_start[row] : self.link_end[row]].tobytes().decode("utf-8")
            found.append((target, shown, int(self.link_kind[row])))
        return found


def scan_pages(texts: Sequence[bytes], rules: WikitextRules) -> ScannedPages:
    """Read the wikitext of some pages, best some megabytes of them.

    It takes time in proportion to the input, whatever is nested or left open in it.

    Parameters
    ----------
    texts
        Wikitext of each page, UTF-8.
    rules
        The rules of their wiki.

    Examples
    --------
    >>> from isogloss.wiki.wikitext.rules import WikitextRules
    >>> pages = scan_pages([b"'''Bonn''' is a [[city]] on the [[Rhine|river]]{{cite}}."],
    ...                    WikitextRules.of_names("en"))
    >>> pages.text_of(0), pages.links_of(0)
    ('Bonn is a city on the river.', [('city', 'city', 0), ('Rhine', 'river', 0)])
    """
    sound = [_repaired(text) for text in texts]
    offsets = offsets_of([len(text) for text in sound])
    source = np.frombuffer(b"".join(sound), np.uint8)
    special = np.zeros(256, np.uint8)
    special[list(_MARKUP)] = 1
    n_signs = np.array([np.count_nonzero(source == sign) for sign in b"{<[="], np.int64)
    with interrupts_wait():
        arrays = _scan(
            source, offsets, n_signs, special, rules.trail, rules.has_variants, rules.words
        )
    n_damaged = sum(a is not b for a, b in zip(sound, texts, strict=True))
    text, targets, names, links, sections, name_ends, by_page, n_steps = arrays
    return ScannedPages(
        text=text,
        text_offsets=by_page[:, 0].copy(),
        link_offsets=by_page[:, 1].copy(),
        link_kind=links[:, 0].astype(np.uint8),
        link_start=links[:, 2].copy(),
        link_end=links[:, 3].copy(),
        targets=targets,
        target_offsets=np.concatenate([[0], links[:, 1]]).astype(np.int64),
        section_offsets=by_page[:, 2].copy(),
        section_level=sections[:, 0].astype(np.uint8),
        section_start=sections[:, 1].copy(),
        heading_length=sections[:, 2].copy(),
        template_offsets=by_page[:, 3].copy(),
        template_names=names,
        template_name_offsets=np.concatenate([[0], name_ends]).astype(np.int64),
        n_damaged=n_damaged,
        n_steps=int(n_steps),
    )


def _repaired(text: bytes) -> bytes:
    """Return the text itself if it is UTF-8, else with U+FFFD for what is not."""
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", "replace").encode()
    return text


@compiled
def _scan(
    source: Any, offsets: Any, n_signs: Any, special: Any, trail: Any, has_variants: Any, words: Any
) -> Any:
    """Return text, targets, template names; rows of links, sections, ends of names; by page."""
    n_pages, size = offsets.size - 1, source.size
    n_braces, n_tags, n_brackets, n_equals = n_signs[0], n_signs[1], n_signs[2], n_signs[3]
    # Room for the worst: an entity of five bytes stands for six, ``-{`` makes two cuts.
    text = np.empty(size + size // 4 + 64, np.uint8)
    targets = np.empty(size + size // 4 + 64, np.uint8)
    names = np.empty(size + 8, np.uint8)
    links = np.empty((n_brackets // 2 + 8, 4), np.int64)
    sections = np.empty((n_equals + n_pages + 8, 3), np.int64)
    name_ends = np.empty(n_braces // 2 + 8, np.int64)
    cuts = np.empty((2 * n_braces + n_tags + 8, 5), np.int64)
    stack = np.empty((n_braces + n_tags + 8, 3), np.int64)
    open_links = np.zeros((MOST_OPEN, OPEN_LINK_SIZE), np.int64)
    state = np.zeros(STATE_SIZE, np.int64)
    by_page = np.zeros((n_pages + 1, 4), np.int64)
    for page in range(n_pages):
        first, last = offsets[page], offsets[page + 1]
        find_cuts(source, first, last, has_variants, words, cuts, stack, state)
        scan_page(
            source, first, last, cuts, open_links, (special, trail, words), text, links, targets,
            sections, (names, name_ends), state,
        )  # fmt: skip
        by_page[page + 1, 0], by_page[page + 1, 1] = state[OUT], state[ROW]
        by_page[page + 1, 2], by_page[page + 1, 3] = state[SECTIONS], state[NAMES]
    return (
        text[: state[OUT]].copy(), targets[: state[TARGETS]].copy(),
        names[: state[NAME_BYTES]].copy(), links[: state[ROW]].copy(),
        sections[: state[SECTIONS]].copy(), name_ends[: state[NAMES]].copy(), by_page,
        state[STEPS] + 2 * size,
    )  # fmt: skip
