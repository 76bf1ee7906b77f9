"""Plain text of a Wikipedia, paragraph by paragraph: what a language model learns from.

Articles of the main namespace alone; redirects, disambiguation pages and headings are left out, and
with a heading that only a template makes the line that follows it.
"""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from isogloss.errors import warn_omitted
from isogloss.storage.array_file import Arrays
from isogloss.wiki.dump.disambiguation import DisambiguationTemplates
from isogloss.wiki.dump.extract import DISAMBIGUATION, REDIRECT, extract_block
from isogloss.wiki.dump.reader import Dump
from isogloss.wiki.wikitext.rules import WikitextRules


def paragraphs(dump: Path, *, code: str) -> Iterator[str]:
    """Yield the paragraphs of a dump of pages-articles, a block of a few MB in memory at a time.

    Parameters
    ----------
    code
        Code of the Wikipedia: ``"ja"``, ``"simple"``.

    Raises
    ------
    InputError
        When the file is missing, or is no dump.

    Warns
    -----
    OmissionWarning
        At the end, with what could not be read.
    """
    lost: Counter[str] = Counter()
    with Dump(dump, language=code) as opened:
        rules, templates = WikitextRules.of(opened.site), DisambiguationTemplates(code)
        for block in opened.blocks():
            found = extract_block(block.data, opened.site, rules, templates)
            lost.update(found.dropped)
            yield from _paragraphs_of(found.arrays)
        lost.update(opened.dropped.pages)
    if lost:
        told = ", ".join(f"{n:,} {reason}" for reason, n in sorted(lost.items()))
        warn_omitted(f"{dump}: lost: {told}")


def _paragraphs_of(arrays: Arrays) -> Iterator[str]:
    is_article = (arrays["page_flags"] & (REDIRECT | DISAMBIGUATION)) == 0
    text, sections = arrays["text"], arrays["section_offsets"]
    for page in np.flatnonzero(is_article).tolist():
        first, last = arrays["text_offsets"][page : page + 2].tolist()
        # The first section begins at 0 and has no heading.
        starts = {*arrays["section_start"][sections[page] + 1 : sections[page + 1]].tolist()}
        place = 0
        for line in text[first:last].tobytes().split(b"\n"):
            is_heading = place in starts
            place += len(line) + 1
            if line and not is_heading:
                yield line.decode("utf-8")
