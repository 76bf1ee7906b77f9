"""The titles of a wiki: which page each leads to in the end, in one file to be mapped.

Titles are numbered in the order of the dump; an entity of the wiki is the number of its title.
About 60 bytes of memory a page are taken while the file is made.
"""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Bools1d, Bytes1d, Ints1d
from isogloss.storage.array_file import Arrays, map_arrays, packed_strings, taken, write_arrays
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.wiki.dump.extract import DISAMBIGUATION, REDIRECT
from isogloss.wiki.dump.parts import Extraction

_LONGEST_CHAIN = 1 << 16  # redirects; longer ones are taken for circles


class MoreTitles(NamedTuple):
    """Titles that the dump may lack, from the wiki's tables or its links.

    Parameters
    ----------
    titles, offsets
        UTF-8.
    page_id, is_redirect
        Of each title; page -1: none is known.
    redirects
        Page id → title, UTF-8; for those among them that are redirects.
    """

    titles: Bytes1d
    offsets: Ints1d
    page_id: Ints1d
    is_redirect: Bools1d
    redirects: Mapping[int, bytes]


class ResolvedTitles(NamedTuple):
    """Titles whose redirects are looked up, one step far.

    Parameters
    ----------
    titles, offsets, slots
        UTF-8; `slots` are for `find_strings`.
    flags
        `REDIRECT`, `DISAMBIGUATION`.
    leads_to
        Title that a redirect leads to, -1 if there is none; any other: the first equal title.
    """

    titles: Bytes1d
    offsets: Ints1d
    slots: Any
    flags: Bytes1d
    leads_to: Ints1d


def write_titles(
    extraction: Extraction,
    path: Path,
    *,
    disambiguations: Collection[int] | None = None,
    keep_disambiguations: bool = False,
    more: MoreTitles | None = None,
    entities: Callable[[ResolvedTitles], Ints1d] | None = None,
) -> Counter[str]:
    """Write the table of titles, and return what was found.

    Arrays: ``titles``, ``title_offsets`` (UTF-8, as the dump has them), ``slots`` (for
    `find_strings`), ``page_id``, ``flags`` (`REDIRECT`, `DISAMBIGUATION`), ``part_first``
    (number of a part's first title, and of the first that only a table has) and ``entity``: the
    title at the end of all redirects, -1 where that is no page, a disambiguation page or none at
    all, because they lead in a circle.

    Parameters
    ----------
    disambiguations
        Ids of the disambiguation pages; None: as the pages' templates say.
    keep_disambiguations
        Let disambiguation pages be entities.
    more
        Titles that come behind those of the dump, unless they are among them.
    entities
        Return the entity of each title by other rules; those named above when None.
    """
    parts = list(extraction.arrays())
    part_first = np.cumsum([0, *(part["page_id"].size for part in parts)], dtype=np.int64)
    if more is not None:
        parts.append(_without_known(more, parts))
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
    if entities is not None:
        entity = entities(ResolvedTitles(titles, offsets, slots, flags, leads_to))
        counts["entities"] = np.unique(entity[entity >= 0]).size
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


def dead_ends(extraction: Extraction) -> list[bytes]:
    """Return the titles that redirects lead to and no page has, in UTF-8, sorted."""
    parts = list(extraction.arrays())
    titles = _joined([part["titles"] for part in parts], np.uint8)
    offsets = _joined_offsets([part["title_offsets"] for part in parts])
    slots, _ = index_strings(titles, offsets)
    found: set[bytes] = set()
    for part in parts:
        redirects, ends = part["redirects"], part["redirect_offsets"]
        is_dead = find_strings(slots, titles, offsets, redirects, ends) < 0
        for row in np.flatnonzero(is_dead & (np.diff(ends) > 0)).tolist():
            found.add(redirects[ends[row] : ends[row + 1]].tobytes())
    return sorted(found)


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


def _without_known(more: MoreTitles, parts: list[Arrays]) -> Arrays:
    """Return the titles that no part has, in the form of a part."""
    titles = _joined([part["titles"] for part in parts], np.uint8)
    offsets = _joined_offsets([part["title_offsets"] for part in parts])
    slots, _ = index_strings(titles, offsets)
    known = find_strings(slots, titles, offsets, more.titles, more.offsets)
    rows = np.flatnonzero(known < 0)
    new, new_offsets = taken(more.titles, more.offsets, rows)
    ids, is_redirect = more.page_id[rows].tolist(), more.is_redirect[rows]
    leads = [
        more.redirects.get(number, b"") if leads_on else b""
        for number, leads_on in zip(ids, is_redirect.tolist(), strict=True)
    ]
    redirects, redirect_offsets = packed_strings(leads)
    return {
        "titles": new, "title_offsets": new_offsets, "page_id": more.page_id[rows],
        "page_flags": np.where(is_redirect, REDIRECT, 0).astype(np.uint8),
        "redirects": redirects, "redirect_offsets": redirect_offsets,
    }  # fmt: skip


def _dead_ends(leads_to: Ints1d) -> Any:
    """Say which numbers lead to nothing, as against in a circle."""
    return ends_of_redirects(np.append(np.where(leads_to < 0, leads_to.size, leads_to),
                                       leads_to.size))[:-1] == leads_to.size  # fmt: skip


def _joined(arrays: list[Any], kind: Any) -> Any:
    return np.concatenate([np.zeros(0, kind), *arrays])


def _joined_offsets(listed: list[Ints1d]) -> Ints1d:
    sizes = [np.diff(offsets) for offsets in listed]
    offsets = np.zeros(sum(size.size for size in sizes) + 1, np.int64)
    np.cumsum(_joined(sizes, np.int64), out=offsets[1:])
    return offsets
