"""Which pages of several Wikipedias are one entity: by Wikidata item, or by language links.

A page's item comes from ``page_props`` or ``wb_items_per_site``, or from the articles that the
items of a Wikidata dump name. A page without one is joined to pages of other wikis by their links
to each other: those of ``langlinks``, or, where that is not given and no item is known, those that
stand in old wikitext (``[[de:Berlin]]``). Such links contradict each other here and there; one that
would make two pages of one wiki, or two items, one entity is left out and counted.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from isogloss.arrays import Ints1d
from isogloss.errors import counted, warn_omitted
from isogloss.kb.build.gathered import Gathered
from isogloss.kb.build.wikipedia_source import Wiki
from isogloss.progress import logger
from isogloss.storage.array_file import packed_strings, strings_of, taken
from isogloss.storage.string_index import find_strings
from isogloss.wiki.dump.extract import TO_LANGUAGE
from isogloss.wiki.site import Site
from isogloss.wiki.sql.tables import read_language_links, read_sitelinks

_UNKNOWN = -1


def items_of(wikis: Sequence[Wiki], sitelinks: Path | None = None) -> list[Ints1d]:
    """Return the number of each title's Wikidata item, -1 where none is known, for each wiki.

    Says how many pages have one by the tables given, and warns of wikis unknown to `sitelinks`.

    Parameters
    ----------
    sitelinks
        Path of ``wb_items_per_site``; ``page_props`` goes before it.
    """
    found = [_of_properties(wiki) for wiki in wikis]
    if sitelinks is not None:
        tables = read_sitelinks(sitelinks, {wiki.site: wiki.titles for wiki in wikis})
        for wiki, items in zip(wikis, found, strict=True):
            titles, numbers = tables[wiki.site]
            is_new = items[titles] == _UNKNOWN
            items[titles[is_new]] = numbers[is_new]
        unknown = [wiki for wiki in wikis if not tables[wiki.site][0].size]
        if len(unknown) < len(wikis):  # then what page_props knows is enough
            unknown = [wiki for wiki in unknown if wiki.properties is None]
        if unknown:
            sites = ", ".join(wiki.site for wiki in unknown)
            warn_omitted(f"{sitelinks}: it has the Wikidata item of no page of {sites}")
    for wiki, items in zip(wikis, found, strict=True):
        if wiki.properties is not None or sitelinks is not None:
            n_known, n_pages = int((items[wiki.is_entity] >= 0).sum()), int(wiki.is_entity.sum())
            logger.info(
                "%s: Wikidata items are known of %s of %s",
                wiki.dump, f"{n_known:,}", counted(n_pages, "page"),
            )  # fmt: skip
    return found


def pairs_of_wikidata(
    wikis: Sequence[Wiki], folder: Path, gathered: Gathered
) -> Iterator[tuple[int, int]]:
    """Yield entity of a wiki and of Wikidata for the articles of a dump's items.

    Parameters
    ----------
    folder
        Parts of the dump (`wikidata_parts`). They tell languages apart, not wikis; of
        two in one language, as Simple English is, the one of its own code is meant.
    """
    from isogloss.kb.build.wikidata_parts import read_parts
    from isogloss.wiki.wikidata.columns import TITLE

    for part in read_parts(folder):
        item = np.repeat(part.ids, np.diff(part.name_offsets))
        for wiki in wikis:
            if wiki.code == "simple" or wiki.tag not in part.langs:
                continue
            lang = part.langs.index(wiki.tag)
            rows = np.flatnonzero((part.name_lang == lang) & (part.name_kind == TITLE))
            data, offsets = taken(part.text, part.text_offsets, rows)
            table = wiki.titles
            title = find_strings(
                table["slots"], table["titles"], table["title_offsets"], data, offsets
            )
            for at, number in zip(title.tolist(), item[rows].tolist(), strict=True):
                if at >= 0 and wiki.is_entity[at] and (f"Q{number}" in gathered.index):
                    yield wiki.ids[at], gathered.index[f"Q{number}"]


class LanguageLinks:
    """Join entities of wikis that are gathered by the links between their pages."""

    def __init__(self, wikis: Sequence[Wiki], gathered: Gathered) -> None:
        self.n_joined = self.n_contradictions = 0
        self._wikis = {wiki.code: wiki for wiki in wikis}
        self._gathered = gathered
        self._ids = list(gathered.index)
        self._root: dict[object, object] = {}
        self._members: dict[object, set[str]] = {}  # root → what it may have once: wikis, an item
        self._real: dict[object, int] = {}  # root → one entity that is gathered
        for wiki in wikis:
            for number in wiki.ids:
                if number >= 0:
                    self._add(number, wiki.code)

    def join(self, code: str, links: Iterable[tuple[int, str, str]]) -> None:
        """Join the entities of a wiki: title's number, code of the other wiki, title there."""
        wiki = self._wikis[code]
        listed = [(row, other, title) for row, other, title in links if wiki.ids[row] >= 0]
        targets = self._targets(listed)
        for (row, _, _), target in zip(listed, targets, strict=True):
            self._unite(self._find(wiki.ids[row]), self._find(target))

    def join_items(self, pairs: Iterable[tuple[int, int]]) -> None:
        """Join entities of wikis to items of Wikidata."""
        for number, item in pairs:
            root = self._find(item)
            self._members[root].add("item")
            self._real.setdefault(root, item)
            self._unite(self._find(number), root)

    def _add(self, number: int, code: str) -> None:
        members = self._members.setdefault(number, set())
        members.add(code)
        if self._ids[number].startswith("Q"):
            members.add("item")
        self._real[number] = number

    def _targets(self, links: Sequence[tuple[int, str, str]]) -> list[object]:
        """Return the entity that each link leads to, or code and title where it is not gathered."""
        targets: list[object] = [(other, title) for _, other, title in links]
        for code, wiki in self._wikis.items():
            rows = [i for i, (_, other, _) in enumerate(links) if other == code]
            data, offsets = packed_strings([links[i][2].encode() for i in rows])
            table = wiki.titles
            found = find_strings(
                table["slots"], table["titles"], table["title_offsets"], data, offsets
            )
            for i, title in zip(rows, found.tolist(), strict=True):
                entity = int(table["entity"][title]) if title >= 0 else _UNKNOWN
                if entity >= 0:
                    targets[i] = wiki.ids[entity]
        return targets

    def _find(self, node: object) -> object:
        path = []
        while (above := self._root.get(node, node)) != node:
            path.append(node)
            node = above
        for passed in path:
            self._root[passed] = node
        if node not in self._members:
            self._members[node] = {node[0]} if isinstance(node, tuple) else set()
        return node

    def _unite(self, left: object, right: object) -> None:
        if left == right:
            return
        if not self._members[left].isdisjoint(self._members[right]):
            self.n_contradictions += 1
            return
        self._root[right] = left
        self._members[left] |= self._members.pop(right)
        ours, theirs = self._real.get(left), self._real.pop(right, None)
        if theirs is not None:
            if ours is None:
                self._real[left] = theirs
            else:
                self.n_joined += 1
                self._gathered.same_as.append((ours, theirs))


def links_of_table(wiki: Wiki, path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield title's number, code and title of the links of a table ``langlinks``."""
    ids = wiki.titles["page_id"]
    order = np.argsort(ids, kind="stable")
    ordered = ids[order]
    sites: dict[str, Site] = {}
    for page, code, title in read_language_links(path):
        place = int(np.searchsorted(ordered, page))
        if place < ordered.size and ordered[place] == page:
            yield int(order[place]), code, _normal(sites, code, title)


def links_of_texts(wiki: Wiki) -> Iterator[tuple[int, str, str]]:
    """Yield title's number, code and title of the links between languages in old wikitext."""
    sites: dict[str, Site] = {}
    for number, part in enumerate(wiki.extraction.arrays()):
        kind = part["target_kind"]
        if not (kind == TO_LANGUAGE).any():
            continue
        targets = strings_of(part["targets"], part["target_offsets"])
        page = np.repeat(np.arange(part["page_id"].size), np.diff(part["link_offsets"]))
        for link in np.flatnonzero(kind[part["link_target"]] == TO_LANGUAGE).tolist():
            code, _, title = targets[part["link_target"][link]].partition(":")
            row = int(wiki.titles["part_first"][number]) + int(page[link])
            yield row, code, _normal(sites, code, title)


def _normal(sites: dict[str, Site], code: str, title: str) -> str:
    if code not in sites:
        sites[code] = Site.default(code)
    return sites[code].title(title)


def _of_properties(wiki: Wiki) -> Ints1d:
    items = np.full(wiki.is_entity.size, _UNKNOWN, np.int64)
    if wiki.properties is None:
        return items
    known: Mapping[int, int] = wiki.properties.items
    pages = np.fromiter(known.keys(), np.int64, len(known))
    numbers = np.fromiter(known.values(), np.int64, len(known))
    order = np.argsort(pages)
    pages, numbers = pages[order], numbers[order]
    if pages.size:
        place = np.minimum(np.searchsorted(pages, wiki.titles["page_id"]), pages.size - 1)
        has = pages[place] == wiki.titles["page_id"]
        items[has] = numbers[place[has]]
    return items
