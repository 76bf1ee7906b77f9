"""The titles of a wiki: which page each leads to in the end, in one file to be mapped.

Titles are numbered in the order of the dump; an entity of the wiki is the number of its title.
About 60 bytes of memory a page are taken while the file is made.
"""

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, offsets_of
from isogloss.storage.array_file import Arrays, map_arrays, taken, write_arrays
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.wiki.dump.extract import DISAMBIGUATION, REDIRECT
from isogloss.wiki.dump.parts import Extraction

RedLinks: TypeAlias = tuple[Bytes1d, Ints1d]
_LONGEST_CHAIN = 1 << 16  # redirects; longer ones are taken for circles


def write_titles(
    extraction: Extraction,
    path: Path,
    *,
    disambiguations: Collection[int] | None = None,
    keep_disambiguations: bool = False,
    red_links: RedLinks | None = None,
) -> Counter[str]:
    """Write the table of titles, and return what was found.

    Arrays: ``titles``, ``title_offsets`` (UTF-8, as the dump has them), ``slots`` (for
    `find_strings`), ``page_id``, ``flags`` (`REDIRECT`, `DISAMBIGUATION`), ``part_first``
    (number of a part's first title, and of the first without a page) and ``entity``: the
    title at the end of all redirects, -1 where that is no page, a disambiguation page or none at
    all, because they lead in a circle.

    Parameters
    ----------
    disambiguations
        Ids of the disambiguation pages; None: as the pages' templates say.
    keep_disambiguations
        Let disambiguation pages be entities.
    red_links
        Titles, UTF-8, and their offsets, that come behind those of the dump, unless they are among
        them.
    """
    parts = list(extraction.arrays())
    part_first = np.cumsum([0, *(part["page_id"].size for part in parts)], dtype=np.int64)
    if red_links is not None:
        parts.append(_without_known(*red_links, parts))
    titles = _joined([part["titles"] for part in parts], np.uint8)
    offsets = _joined_offsets([part["title_offsets"] for part in parts])
    page_id = _joined([part["page_id"] for part in parts], np.int64)
    flags = _joined([part["page_flags"] for part in parts], np.uint8)
    if disambiguations is not None:
        flags &= np.uint8(~DISAMBIGUATION & 255)
        listed = np.isin(page_id, np.fromiter(disambiguations, np.int64, len(disambiguations)))
        flags[listed & (flags & REDIRECT == 0)] |= DISAMBIGUATION
    slots, first_equal = index_strings(titles, offsets)
    leads_to = first_equal.copy()
    first = 0
    for part in parts:
        last = first + part["page_id"].size
        found = find_strings(slots, titles, offsets, part["redirects"], part["redirect_offsets"])
        is_redirect = flags[first:last] & REDIRECT != 0
        leads_to[first:last][is_redirect] = found[is_redirect]
        first = last
    entity, counts = _entities(leads_to, first_equal, flags, keep_disambiguations)
    n_pages = int(part_first[-1])
    counts["pages"] = n_pages
    counts["redirects"] = int((flags[:n_pages] & REDIRECT != 0).sum())
    counts["titles without a page"] = flags.size - n_pages
    arrays = {
        "titles": titles, "title_offsets": offsets, "slots": slots, "page_id": page_id,
        "flags": flags, "entity": entity.astype(np.int32), "part_first": part_first,
    }  # fmt: skip
    write_arrays(path, arrays, {"counts": counts})
    return counts


def read_titles(path: Path) -> tuple[Arrays, Counter[str]]:
    """Map the table of titles, and return its counts too."""
    arrays, facts = map_arrays(path)
    return arrays, Counter(facts["counts"])


def ends_of_redirects(leads_to: Ints1d) -> Ints1d:
    """Follow each number until it leads to itself; -1 at a dead end or in a circle.

    Examples
    --------
    >>> ends_of_redirects(np.array([0, 0, 1, 4, 3, -1, 5]))
    array([ 0,  0,  0, -1, -1, -1, -1])
    """
    if not leads_to.size:
        return leads_to
    end, length = leads_to, 1
    while length < min(leads_to.size + 1, _LONGEST_CHAIN):
        end = np.where(end >= 0, end[end], -1)
        length *= 2
    is_end = leads_to[end] == end
    return np.where((end >= 0) & is_end, end, -1)


def _entities(
    leads_to: Ints1d, first_equal: Ints1d, flags: Any, keep_disambiguations: bool
) -> tuple[Ints1d, Counter[str]]:
    end = ends_of_redirects(leads_to)
    is_redirect = flags & REDIRECT != 0
    is_disambiguation = flags & DISAMBIGUATION != 0
    n_dead = int((is_redirect & (_dead_ends(leads_to))).sum())
    n_omitted = int((is_redirect & (end < 0)).sum())
    if not keep_disambiguations:
        end = np.where((end >= 0) & is_disambiguation[end], -1, end)
    counts = Counter(
        {
            "disambiguations": int(is_disambiguation.sum()),
            "redirects to no page": n_dead,
            "redirects in circles": n_omitted - n_dead,
            "titles given twice": int((first_equal != np.arange(flags.size)).sum()),
            "entities": int((end == np.arange(flags.size)).sum()),
        }
    )
    return end, counts


def _without_known(new: Bytes1d, new_offsets: Ints1d, parts: list[Arrays]) -> Arrays:
    """Return the titles that no part has, in the form of a part."""
    titles = _joined([part["titles"] for part in parts], np.uint8)
    offsets = _joined_offsets([part["title_offsets"] for part in parts])
    slots, _ = index_strings(titles, offsets)
    rows = np.flatnonzero(find_strings(slots, titles, offsets, new, new_offsets) < 0)
    titles, offsets = taken(new, new_offsets, rows)
    return {
        "titles": titles, "title_offsets": offsets, "page_id": np.full(rows.size, -1, np.int64),
        "page_flags": np.zeros(rows.size, np.uint8), "redirects": np.zeros(0, np.uint8),
        "redirect_offsets": np.zeros(rows.size + 1, np.int64),
    }  # fmt: skip


def _dead_ends(leads_to: Ints1d) -> Any:
    """Say which numbers lead to nothing, as against in a circle."""
    return ends_of_redirects(np.append(np.where(leads_to < 0, leads_to.size, leads_to),
                                       leads_to.size))[:-1] == leads_to.size  # fmt: skip


def _joined(arrays: list[Any], kind: Any) -> Any:
    return np.concatenate([np.zeros(0, kind), *arrays])


def _joined_offsets(listed: list[Ints1d]) -> Ints1d:
    sizes = [np.diff(offsets) for offsets in listed]
    return offsets_of(_joined(sizes, np.int64))
