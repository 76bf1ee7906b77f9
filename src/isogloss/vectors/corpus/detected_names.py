"""Names of a knowledge base in the text of a dump, taken for links: Wikipedia2Vec's link mentions.

A name that means one entity is a link to it. One that may mean several is a link only where exactly
one of them is linked on the same page, or is the page itself. Names that touch a link are left out.
"""

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, SmallInts1d
from isogloss.errors import InputError
from isogloss.kb import KnowledgeBase
from isogloss.kb.link.linker import Linker
from isogloss.kb.link.mentions import LinkedTexts
from isogloss.storage.array_file import Arrays, map_arrays, strings_of, write_arrays
from isogloss.storage.string_index import find_strings

BYTES_AT_ONCE = 4 << 20  # of text

Places = tuple[Ints1d, Ints1d, Ints1d, Ints1d]  # page, start, end (bytes), entity


def write_entities_of(kb: KnowledgeBase, lang: str, titles: Arrays, out: Path) -> None:
    """Write the entity of the wiki that each entity of a knowledge base is, by its title.

    Raises
    ------
    InputError
        When no title of the knowledge base in this language is one of the wiki.
    """
    language = kb.language_of(lang)
    if language is None:
        raise InputError(f"has no names in '{lang}', the language of the dump", path=kb.path)
    names = kb.names_in(language)
    row = find_strings(
        titles["slots"], titles["titles"], titles["title_offsets"], names["title_bytes"],
        names["title_offsets"],
    )  # fmt: skip
    entity = np.full(kb.n_entities, -1, np.int32)
    entity[names["title_entity"]] = np.where(row >= 0, titles["entity"][row], -1)
    if not (entity >= 0).any():
        raise InputError(
            f"none of its titles in '{lang}' is one of the dump's; make it from this Wikipedia",
            path=kb.path,
        )
    write_arrays(out, {"entity": entity})


@dataclass(frozen=True)
class DetectedNames:
    """Finds names in the texts of a part.

    Parameters
    ----------
    entity
        Of each entity of the knowledge base, the number of its title in the wiki, or -1.
    """

    linker: Linker
    entity: SmallInts1d

    @classmethod
    def open(
        cls, *, kb: str, lang: str, entities: str, min_link_prob: float, min_commonness: float
    ) -> "DetectedNames":
        """Open a knowledge base, and the file of `write_entities_of`."""
        linker = Linker(
            KnowledgeBase.open(Path(kb)),
            lang,
            min_link_prob=min_link_prob,
            min_commonness=min_commonness,
        )
        return cls(linker, map_arrays(Path(entities))[0]["entity"])

    def names(self, part: Arrays, links: Places, own: SmallInts1d) -> Places:
        """Return the names in a part's pages, in order.

        Parameters
        ----------
        links
            The links to entities, in the order of the pages.
        own
            The entity of each page, or -1.
        """
        offsets = part["text_offsets"]
        on_page = _keys(links[0], links[3])
        is_entity = np.flatnonzero(own >= 0)
        on_page = np.unique(np.concatenate([on_page, _keys(is_entity, own[is_entity])]))
        group = offsets[:-1] // BYTES_AT_ONCE
        begins = np.flatnonzero(np.diff(group, prepend=-1)).tolist()
        pieces = [
            self._of_pages(part["text"], offsets[first : last + 1], first, on_page)
            for first, last in pairwise([*begins, offsets.size - 1])
        ]
        none = np.zeros(0, np.int64)
        columns = [np.concatenate([none, *column]) for column in zip(*pieces, strict=True)]
        page, start, end, entity = columns if columns else [none] * 4
        is_free = ~_touches(start, end, links[1], links[2])
        return page[is_free], start[is_free], end[is_free], entity[is_free]

    def _of_pages(self, text: Bytes1d, offsets: Ints1d, first_page: int, on_page: Ints1d) -> Places:
        texts = strings_of(text, offsets)
        linked = self.linker.link(texts)
        page = first_page + np.repeat(np.arange(len(texts)), np.diff(linked.text_offsets))
        entity = self._meant(linked, page, on_page)
        is_meant = entity >= 0
        begins = np.flatnonzero(text[offsets[0] : offsets[-1]] & 0xC0 != 0x80)
        begins = offsets[0] + np.append(begins, offsets[-1] - offsets[0])
        origin = np.concatenate([[0], np.cumsum([len(one) for one in texts])])[page - first_page]
        start, end = begins[origin + linked.start], begins[origin + linked.end]
        return page[is_meant], start[is_meant], end[is_meant], entity[is_meant]

    def _meant(self, linked: LinkedTexts, page: Ints1d, on_page: Ints1d) -> Ints1d:
        """Return the entity that each name means, -1 where that is not sure."""
        n_names = linked.start.size
        name = np.repeat(np.arange(n_names), np.diff(linked.candidate_offsets))
        entity = self.entity[linked.entity].astype(np.int64)
        pairs = np.unique(_keys(name, entity)[entity >= 0])
        name, entity = pairs >> 32, pairs & 0xFFFFFFFF
        is_here = np.isin(_keys(page[name], entity), on_page)
        n_all = np.bincount(name, minlength=n_names)
        n_here = np.bincount(name[is_here], minlength=n_names)
        is_sure = (n_all[name] == 1) | (is_here & (n_here[name] == 1))
        meant = np.full(n_names, -1, np.int64)
        meant[name[is_sure]] = entity[is_sure]
        return meant


def _keys(first: Any, second: Any) -> Ints1d:
    return (first.astype(np.int64) << 32) | second.astype(np.int64)


def _touches(start: Ints1d, end: Ints1d, link_start: Ints1d, link_end: Ints1d) -> Any:
    """Say which spans share a byte with a link."""
    has_text = link_end > link_start
    n_begun = np.searchsorted(np.sort(link_start[has_text]), end, "left")
    n_over = np.searchsorted(np.sort(link_end[has_text]), start, "right")
    return n_begun > n_over
