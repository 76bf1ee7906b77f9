"""From an extracted part of a dump to numbers: words of its sections, and its links as spans.

`read_part` is a function of one part and the table of titles, so parts can be read anywhere. Words
have numbers of their own in each part; `dump_corpus` gives them those of the whole dump.
"""

import json
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, offsets_of
from isogloss.storage.array_file import Arrays, map_arrays, taken, write_arrays
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.vectors.corpus.detected_names import DetectedNames
from isogloss.vectors.words import Words, split_words
from isogloss.wiki.counts.counts import entities_of_targets, link_places
from isogloss.wiki.counts.runs import run_of
from isogloss.wiki.counts.titles import read_titles
from isogloss.wiki.dump.extract import REDIRECT

NOWHERE = -1  # the place of a link in a section that is too short


class PageRules(NamedTuple):
    """How pages are read.

    Parameters
    ----------
    lowercase, turkic
        As `split_words` takes them.
    min_paragraph_len
        Sections of fewer words are left out; their links count for entities and the link graph.
    """

    lowercase: bool = True
    turkic: bool = False
    min_paragraph_len: int = 5


def worker(settings: Any) -> Any:
    """Return the function that reads a part in a process of its own: see `workers`."""
    titles, rules, detection = settings
    table, _ = read_titles(Path(titles))
    detected = None if detection is None else DetectedNames.open(**detection)

    def work(task: bytes) -> bytes:
        number, part, tokens, words = json.loads(task)
        arrays = map_arrays(Path(part))[0]
        found, run = read_part(arrays, table, number, PageRules(*rules), detected)
        write_arrays(Path(words), run)
        write_arrays(Path(tokens), found)
        return b""

    return work


def read_part(
    part: Arrays,
    titles: Arrays,
    number: int,
    rules: PageRules,
    detected: DetectedNames | None = None,
) -> tuple[Arrays, Arrays]:
    """Return the numbers of one part, and its words as a run (`isogloss.wiki.counts.runs`).

    Parameters
    ----------
    part
        Its arrays (`isogloss.wiki.dump.extract`); `number` is its place among the parts.
    titles
        The table of titles (`isogloss.wiki.counts.titles`).
    detected
        To take names in the text for links too.

    Returns
    -------
    ``tokens`` (int32, rows of the run), ``section_offsets`` (places in tokens), ``page_sections``,
    ``page_entity`` (number of its title, -1: none); links to entities: ``page_links``,
    ``link_start``, ``link_end`` (places in tokens, or `NOWHERE`), ``link_entity``; names found:
    ``page_names``, ``name_start``, ``name_end``, ``name_entity``. Redirects are no pages.
    """
    words = split_words(
        part["text"], part["text_offsets"], lowercase=rules.lowercase, turkic=rules.turkic
    )
    sections = _Sections(part, words, rules.min_paragraph_len)
    _, entity = entities_of_targets(part, titles)
    entity = entity[part["link_target"]]
    to_entity = np.flatnonzero(entity >= 0)
    starts, ends = (places[to_entity] for places in link_places(part))
    page = np.repeat(np.arange(part["page_id"].size), np.diff(part["link_offsets"]))[to_entity]
    entity = entity[to_entity]
    first_title = int(titles["part_first"][number])
    own = titles["entity"][first_title : first_title + part["page_id"].size]
    tokens, run = _numbered(words, sections.is_kept_word)
    is_page = part["page_flags"] & REDIRECT == 0
    arrays = {
        "tokens": tokens,
        "section_offsets": sections.offsets,
        "page_sections": offsets_of(sections.n_in_page[is_page]),
        "page_entity": own[is_page].astype(np.int32),
        **_spans("link", page, sections.spans(page, starts, ends), entity, is_page),
    }
    none = np.zeros(0, np.int64)
    found = page_of, name_starts, name_ends, name_entity = none, none, none, none
    if detected is not None:
        found = detected.names(part, (page, starts, ends, entity), own)
        page_of, name_starts, name_ends, name_entity = found
    spans = sections.spans(page_of, name_starts, name_ends)
    return arrays | _spans("name", page_of, spans, name_entity, is_page), run


class _Sections:
    """The sections of a part's pages that have enough words, as spans of their words."""

    def __init__(self, part: Arrays, words: Words, min_len: int) -> None:
        n_pages = part["page_id"].size
        page = np.repeat(np.arange(n_pages), np.diff(part["section_offsets"]))
        self._words = words
        self._origin = part["text_offsets"][page] + part["section_start"]
        self._last_of_page = part["section_offsets"][1:] - 1
        self._bounds = np.append(np.searchsorted(words.start, self._origin), words.start.size)
        self._is_long = np.diff(self._bounds) >= max(min_len, 1)
        sizes = np.diff(self._bounds)
        self.is_kept_word = np.repeat(self._is_long, sizes)
        self._moved = offsets_of(self.is_kept_word)
        self.offsets = offsets_of(sizes[self._is_long])
        self.n_in_page = np.bincount(page[self._is_long], minlength=n_pages)

    def spans(self, page: Ints1d, starts: Ints1d, ends: Ints1d) -> tuple[Ints1d, Ints1d]:
        """Return the first word and the one after the last of texts on pages, or `NOWHERE`."""
        section = np.searchsorted(self._origin, starts, "right") - 1
        section = np.minimum(section, self._last_of_page[page])
        low, high = self._bounds[section], self._bounds[section + 1]
        first = np.clip(np.searchsorted(self._words.end, starts, "right"), low, high)
        last = np.clip(np.searchsorted(self._words.start, ends, "left"), first, high)
        is_long = self._is_long[section]
        first, last = (np.where(is_long, self._moved[at], NOWHERE) for at in (first, last))
        return first, last


def _numbered(words: Words, is_kept: Any) -> tuple[Any, Arrays]:
    """Return the words that are kept as rows of the run of their counts, and that run."""
    _, first = index_strings(words.data, words.offsets)
    first = first[is_kept]
    counts = np.bincount(first, minlength=words.start.size)
    rows = np.flatnonzero(counts)
    data, offsets = taken(words.data, words.offsets, rows)
    nothing = np.zeros(rows.size, np.int64)
    run = run_of(data, offsets, nothing, counts[rows], nothing.astype(np.uint8))
    slots, _ = index_strings(run["names"], run["name_offsets"])
    row_in_run = np.zeros(words.start.size, np.int32)
    row_in_run[rows] = find_strings(slots, run["names"], run["name_offsets"], data, offsets)
    return row_in_run[first], run


def _spans(
    what: str, page: Ints1d, spans: tuple[Ints1d, Ints1d], entity: Ints1d, is_page: Bytes1d
) -> Arrays:
    n_of_page = np.bincount(page, minlength=is_page.size)  # a redirect's page has none
    return {
        f"page_{what}s": offsets_of(n_of_page[is_page]),
        f"{what}_start": spans[0].astype(np.int64),
        f"{what}_end": spans[1].astype(np.int64),
        f"{what}_entity": entity.astype(np.int32),
    }
