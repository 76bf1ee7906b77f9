r"""Count as wikipedia2vec 2.0.0 does: its entities, its names, and the pages that names stand in.

For comparison with it, and for vectors of its making. From its `dump_db.py`, `dictionary.py` and
`mention_db.py`, with its faults, where they change a count:

- A page's text has the names of its categories (or their sort keys) and no captions; a link ends
  at its brackets.
- Entities are the titles that are linked to `MIN_LINKS` times, whatever page they are of, if any;
  not categories and disambiguation pages. A link to a section counts for none.
- Links to a redirect count for its target, one step far, in the order of the redirects' titles by
  bytes; a chain ends in the middle where that order does not suit.
- Names are link texts of at most `LONGEST_NAME` characters as they are, in small letters.
- A name stands in a page where it begins and ends with a word of the text (``\w+``) in a section.
  Where small letters take more room (*İ*), what follows in the section is looked for out of place.

The functions work on the arrays of `extract`, which reads pages by other rules in this mode.
"""

import json
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.text.compiled import compiled, interrupts_wait
from isogloss.wiki.array_file import (
    Arrays,
    map_arrays,
    packed_strings,
    strings_of,
    write_arrays,
)
from isogloss.wiki.extract import DISAMBIGUATION, REDIRECT
from isogloss.wiki.parts import Extraction
from isogloss.wiki.site import CATEGORY, Site
from isogloss.wiki.string_index import find_strings, index_strings, place_of
from isogloss.wiki.targets import frequent_targets, together, without_a_page
from isogloss.wiki.titles import MoreTitles, ResolvedTitles, dead_ends
from isogloss.wiki.workers import run_tasks

MIN_LINKS = 5  # of an entity
LONGEST_NAME = 20  # characters
PAGES_AT_ONCE = 1000


def titles_with_links(
    extraction: Extraction, targets: Arrays, more: MoreTitles | None, site: Site
) -> MoreTitles:
    """Return the titles that may be entities, beside those of pages, for `write_titles`.

    Parameters
    ----------
    targets
        Links to each title (`isogloss.wiki.targets`).
    more
        Titles that are known from tables.
    """
    more = together(more, frequent_targets(targets, MIN_LINKS))
    ends = [
        title
        for title in dead_ends(extraction)
        if b":" not in title or site.namespace_of(title.decode())[0] != CATEGORY
    ]
    return together(more, without_a_page(*packed_strings(ends)))


def entities_by_links(
    titles: ResolvedTitles, targets: Arrays, *, keep_disambiguations: bool = False
) -> Ints1d:
    """Return the entity of each title, -1 where links to it count for none.

    Parameters
    ----------
    targets
        Links to each title (`isogloss.wiki.targets`).
    """
    n_titles = titles.flags.size
    row = find_strings(
        titles.slots, titles.titles, titles.offsets, targets["names"], targets["name_offsets"]
    )
    n_links = np.zeros(n_titles + 1, np.int64)  # the last: of redirects to a title that is not kept
    np.add.at(n_links, row[row >= 0], targets["n_links"][row >= 0])
    is_redirect = titles.flags & REDIRECT != 0
    leads_to = np.where(titles.leads_to < 0, n_titles, titles.leads_to)
    _move_counts(n_links, titles, is_redirect, leads_to)
    is_entity = n_links >= MIN_LINKS
    is_entity[n_titles] = False
    if not keep_disambiguations:
        is_entity[:-1] &= titles.flags & DISAMBIGUATION == 0
    own = np.where(is_redirect, np.arange(n_titles), leads_to)  # of two equal titles the first
    entity = np.where(is_entity[own], own, -1)
    return np.where(is_redirect & is_entity[leads_to], leads_to, entity)


def _move_counts(
    n_links: Ints1d, titles: ResolvedTitles, is_redirect: Any, leads_to: Ints1d
) -> None:
    """Give the links of each redirect to its target, in the order of the redirects' titles.

    The order matters only where a redirect leads to another.
    """
    rows = np.flatnonzero(is_redirect)
    in_chain = np.zeros(n_links.size, bool)
    follows = rows[np.append(is_redirect, False)[leads_to[rows]]]
    in_chain[follows] = in_chain[leads_to[follows]] = True
    plain = rows[~in_chain[rows]]
    np.add.at(n_links, leads_to[plain], n_links[plain])
    n_links[plain] = 0
    listed = strings_at(titles.titles, titles.offsets, np.flatnonzero(in_chain))
    for _, row in sorted(zip(listed, np.flatnonzero(in_chain).tolist(), strict=True)):
        n_links[leads_to[row]] += n_links[row]
        n_links[row] = 0


def strings_at(data: Bytes1d, offsets: Ints1d, rows: Ints1d) -> list[bytes]:
    """Return some of the strings, UTF-8."""
    ends = zip(offsets[rows].tolist(), offsets[rows + 1].tolist(), strict=True)
    return [data[a:b].tobytes() for a, b in ends]


def names_of_links(text: Bytes1d, starts: Ints1d, ends: Ints1d) -> tuple[Bytes1d, Ints1d]:
    """Return the names that links at places of a text are; one that is too long is empty."""
    listed = [
        text[a:b].tobytes().decode("utf-8", "replace")
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ]
    return packed_strings(
        [name.lower().encode() if len(name) <= LONGEST_NAME else b"" for name in listed]
    )


def write_pages_with_names(
    extraction: Extraction, counts: Path, out: Path, *, workers: int = 1
) -> Counter[str]:
    """Count the pages in which each name stands, and return how many names were found.

    Arrays written: ``n_text``, ``n_link``, by name of the run `counts`: these pages, and all links
    with this name.

    Parameters
    ----------
    counts, out
        File of `isogloss.wiki.counts.write_counts`; the file to make. Those of the parts are
        written beside it, and a stopped count goes on.
    """
    folder = out.parent / "texts"
    folder.mkdir(exist_ok=True)
    done = [folder / f"{part.stem}.rows" for part in extraction.parts]
    tasks = [
        [str(part), str(path)]
        for part, path in zip(extraction.parts, done, strict=True)
        if not path.exists()
    ]
    run_tasks(__name__, str(counts), tasks, workers=workers, doing="looking for names in texts")
    run = map_arrays(counts)[0]
    n_text = np.zeros(run["hash"].size, np.int64)
    for path in done:
        found = map_arrays(path)[0]
        n_text[found["name"]] += found["n_pages"]
    name = np.repeat(np.arange(n_text.size), np.diff(run["pair_offsets"]))
    n_link = np.bincount(name, run["n_links"], minlength=n_text.size).astype(np.int64)
    told = Counter({"names found in texts": int((n_text > 0).sum())})
    write_arrays(out, {"n_text": n_text, "n_link": n_link}, {"counts": told})
    for path in done:
        path.unlink()
    folder.rmdir()
    return told


def worker(counts: Any) -> Any:
    """Return the function that searches a part in a process of its own: see `workers`."""
    run = map_arrays(Path(counts))[0]
    names = NamesInTexts(run["names"], run["name_offsets"])

    def work(task: bytes) -> bytes:
        part, out = json.loads(task)
        n_pages = names.pages(map_arrays(Path(part))[0])
        found = np.flatnonzero(n_pages)
        write_arrays(Path(out), {"name": found, "n_pages": n_pages[found]})
        return b""

    return work


class NamesInTexts:
    """Names to look for in the pages of parts.

    Parameters
    ----------
    names, offsets
        UTF-8, in small letters.
    """

    def __init__(self, names: Bytes1d, offsets: Ints1d) -> None:
        listed = strings_of(names, offsets)
        self._names, self._offsets = _code_points(listed)
        self._slots, _ = index_strings(self._names.view(np.uint8), self._offsets * 4)
        self._is_word = _word_table()

    def pages(self, part: Arrays) -> Ints1d:
        """Return for each name in how many pages of a part it stands."""
        n_pages = np.zeros(self._offsets.size - 1, np.int64)
        last_page = np.full(n_pages.size, -1, np.int64)
        size = part["page_id"].size
        for first in range(0, size, PAGES_AT_ONCE):
            last = min(first + PAGES_AT_ONCE, size)
            sections, page = _sections(part, first, last)
            codes, offsets = _code_points(sections)
            small, small_offsets = _code_points([section.lower() for section in sections])
            with interrupts_wait():
                _look(
                    codes, offsets, small.view(np.uint8), small_offsets, page, self._is_word,
                    self._slots, self._names.view(np.uint8), self._offsets * 4, last_page, n_pages,
                )  # fmt: skip
        return n_pages


def _sections(part: Arrays, first: int, last: int) -> tuple[list[str], Ints1d]:
    """Return the texts of the sections of some pages, and the page of each."""
    begin, end = part["section_offsets"][[first, last]].tolist()
    page = np.repeat(np.arange(first, last), np.diff(part["section_offsets"][first : last + 1]))
    starts = part["text_offsets"][page] + part["section_start"][begin:end]
    ends = np.append(starts[1:], part["text_offsets"][last])
    text = part["text"]
    return [
        text[a:b].tobytes().decode("utf-8", "replace")
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ], page


def _code_points(texts: list[str]) -> tuple[Any, Ints1d]:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32), offsets


@cache
def _word_table() -> Bytes1d:
    """Return for each code point whether it is part of a word, as `re` sees it."""
    found = np.zeros(sys.maxunicode + 1, np.uint8)
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]))
    for word in re.finditer(r"\w+", every):
        for code in map(ord, word[0]):
            found[code] = 1
    return found


@compiled
def _look(
    codes: Any, offsets: Any, small: Any, small_offsets: Any, page: Any, is_word: Any, slots: Any,
    names: Any, name_offsets: Any, last_page: Any, n_pages: Any,
) -> Any:  # fmt: skip
    """Count the pages with each name.

    `codes` are sections as they are, where words begin and end; `small` the bytes of the code
    points in small letters, which are compared.
    """
    for section in range(offsets.size - 1):
        first, last = offsets[section], offsets[section + 1]
        shift, stop = small_offsets[section] - first, small_offsets[section + 1]
        for begin in range(first, last):
            if not is_word[codes[begin]] or (begin > first and is_word[codes[begin - 1]]):
                continue
            for end in range(begin + 1, min(last, begin + LONGEST_NAME) + 1):
                if not is_word[codes[end - 1]] or (end < last and is_word[codes[end]]):
                    continue
                if end + shift > stop:
                    break
                name = place_of(
                    slots, names, name_offsets, small, 4 * (begin + shift), 4 * (end + shift)
                )  # fmt: skip
                if name >= 0 and last_page[name] != page[section]:
                    last_page[name] = page[section]
                    n_pages[name] += 1
