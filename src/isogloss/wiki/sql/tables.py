"""What a wiki's SQL tables say of its pages: items of Wikidata, other languages.

Each function streams one table (`isogloss.wiki.sql.reader`).
"""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.errors import counted, warn_omitted
from isogloss.progress import logger
from isogloss.storage.array_file import Arrays, packed_strings
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.wiki.sql.reader import Strings, read_table
from isogloss.wiki.streams.dropped import Dropped

_LONGEST_NUMBER = 18  # digits; of an item they are ten at most


class PageProperties(NamedTuple):
    """What `page_props` says of a wiki.

    Parameters
    ----------
    items
        Page id → number of its Wikidata item.
    disambiguations
        Ids of the disambiguation pages; None where none of the wiki's pages is one by the table,
        which then says nothing of them.
    """

    items: dict[int, int]
    disambiguations: set[int] | None


def check_table(path: Path, table: str) -> None:
    """Look whether a file holds a table with the columns that are read here.

    Read up to the first rows of the table: its head, unless other tables come before it.

    Raises
    ------
    InputError
        When it does not, or cannot be read.
    """
    rows = read_table(path, table)
    next(rows, None)
    if isinstance(rows, Generator):
        rows.close()  # else its thread reads on


def read_page_properties(path: Path, pages: Ints1d) -> PageProperties:
    """Read a table ``page_props``; warn where it has the item of no page, as another wiki's has.

    An item that is no ``Q`` and number is a row lost.

    Parameters
    ----------
    pages
        Ids of the wiki's pages.
    """
    dropped = Dropped()
    items: dict[int, int] = {}
    disambiguations: set[int] = set()
    for rows in read_table(path, "page_props", dropped=dropped):
        names = rows.strings["pp_propname"]
        known, number = packed_strings([b"wikibase_item", b"disambiguation"])
        kind = _find(known, number, names)
        of_page = rows.numbers["pp_page"]
        disambiguations.update(of_page[kind == 1].tolist())
        for row in np.flatnonzero(kind == 0).tolist():
            value = rows.strings["pp_value"][row]
            if value[:1] == b"Q" and value[1:].isdigit() and len(value) <= 1 + _LONGEST_NUMBER:
                items[int(of_page[row])] = int(value[1:])
            else:
                dropped.n_rows += 1
    known_pages = pages.tolist()
    if items.keys().isdisjoint(known_pages):
        warn_omitted(
            f"{path}: it has the Wikidata item of none of {counted(pages.size, 'page')}; is it the "
            "table of another wiki?"
        )
    if disambiguations.isdisjoint(known_pages):
        logger.info("%s: knows no disambiguation page; templates tell them", path)
        return PageProperties(items, None)
    return PageProperties(items, disambiguations)


def read_language_links(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield page id, code of the other wiki and title there of a table ``langlinks``."""
    for rows in read_table(path, "langlinks"):
        languages, titles = (rows.strings[name].tolist() for name in ("ll_lang", "ll_title"))
        for page, language, title in zip(
            rows.numbers["ll_from"].tolist(), languages, titles, strict=True
        ):
            if title:
                code = language.decode("ascii", "replace")
                yield page, code, title.decode("utf-8", "replace").replace("_", " ")


def read_sitelinks(path: Path, titles: Mapping[str, Arrays]) -> dict[str, tuple[Ints1d, Ints1d]]:
    """Read of ``wb_items_per_site`` the items of wikis' pages.

    Parameters
    ----------
    titles
        Site (``"jawiki"``) → its table of titles (`isogloss.wiki.counts.titles`).

    Returns
    -------
    Site → numbers of titles, and of their items.
    """
    sites = sorted(titles)
    known, number = packed_strings([site.encode() for site in sites])
    found: dict[str, list[tuple[Ints1d, Ints1d]]] = {site: [] for site in sites}
    for rows in read_table(path, "wb_items_per_site"):
        site_of = _find(known, number, rows.strings["ips_site_id"])
        pages = rows.strings["ips_site_page"]
        for i, site in enumerate(sites):
            here = np.flatnonzero(site_of == i)
            if here.size:
                wanted, offsets = packed_strings([pages[row] for row in here.tolist()])
                table = titles[site]
                title = find_strings(
                    table["slots"], table["titles"], table["title_offsets"], wanted, offsets
                )
                items = rows.numbers["ips_item_id"][here]
                found[site].append((title[title >= 0], items[title >= 0]))
    none = np.zeros(0, np.int64)
    return {
        site: (
            np.concatenate([none, *(title for title, _ in listed)]),
            np.concatenate([none, *(items for _, items in listed)]),
        )
        for site, listed in found.items()
    }


def _find(known: Bytes1d, offsets: Ints1d, wanted: Strings) -> Ints1d:
    slots, _ = index_strings(known, offsets)
    return find_strings(slots, known, offsets, wanted.data, wanted.offsets)
