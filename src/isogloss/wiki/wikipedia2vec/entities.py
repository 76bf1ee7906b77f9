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

The functions work on the arrays of `extract`, which reads pages by other rules in this mode. Here
are the entities; `names_like_wikipedia2vec` has the names of links, `pages_like_wikipedia2vec` the
pages with them.
"""

from typing import Any

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.storage.array_file import Arrays, packed_strings, strings_at
from isogloss.storage.string_index import find_strings
from isogloss.wiki.counts.targets import frequent_targets, together, without_a_page
from isogloss.wiki.counts.titles import MoreTitles, ResolvedTitles, dead_ends
from isogloss.wiki.dump.extract import DISAMBIGUATION, REDIRECT
from isogloss.wiki.dump.parts import Extraction
from isogloss.wiki.site import CATEGORY

MIN_LINKS = 5  # of an entity


def titles_with_links(
    extraction: Extraction, targets: Arrays, more: MoreTitles | None
) -> MoreTitles:
    """Return the titles that may be entities, beside those of pages, for `write_titles`.

    Parameters
    ----------
    targets
        Links to each title (`isogloss.wiki.counts.targets`).
    more
        Titles that are known from tables.
    """
    more = together(more, frequent_targets(targets, MIN_LINKS))
    ends = [
        title
        for title in dead_ends(extraction)
        if b":" not in title or extraction.site.namespace_of(title.decode())[0] != CATEGORY
    ]
    return together(more, without_a_page(*packed_strings(ends)))


def entities_by_links(
    titles: ResolvedTitles, targets: Arrays, *, keep_disambiguations: bool = False
) -> Ints1d:
    """Return the entity of each title, -1 where links to it count for none.

    Parameters
    ----------
    targets
        Links to each title (`isogloss.wiki.counts.targets`).
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
    chained = np.flatnonzero(in_chain)
    listed = strings_at(titles.titles, titles.offsets, chained)  # in order as their bytes are
    for _, row in sorted(zip(listed, chained.tolist(), strict=True)):
        n_links[leads_to[row]] += n_links[row]
        n_links[row] = 0
