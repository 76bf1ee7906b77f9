"""How likely a name of a wiki is a link where it occurs: documents with it as link and as text.

Link probability is the share of the pages with a name in their text in which it is a link (Mihalcea
and Csomai 2007, "keyphraseness"). Names are looked for as the linker does, nested ones too: folded,
at the boundaries of their script, with the case rule of `compile_names`. So a name in small letters
is counted however it is written, one with a capital only where it has it; where a name in capitals
exists, capitals count for it alone. A page never links to itself: its own title in its text counts
as a link.

A row is a folded name in one of its three variants (`VARIANTS`). Variants that may mean the same
are a group: all three of a name, or those in capitals apart where they are a name of their own.
"""

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import interrupts_wait
from isogloss.kb.build.spellings import how_written
from isogloss.kb.matching.blocking import ACRONYM_NAME, CAPITAL_NAME, LOWER_NAME
from isogloss.kb.matching.matcher import find_names
from isogloss.kb.matching.name_table import build_table, views_of
from isogloss.progress import activity
from isogloss.storage.array_file import (
    Arrays,
    map_arrays,
    packed_strings,
    strings_at,
    strings_in_blocks,
    strings_of,
    taken,
    write_arrays,
)
from isogloss.storage.string_index import find_strings, index_strings
from isogloss.text.folding import FoldedTexts, fold_texts, kinds_of_units
from isogloss.wiki.counts.counts import (
    entities_of_targets,
    link_places,
    name_of_title,
    names_at,
    read_counts,
)
from isogloss.wiki.counts.titles import read_titles
from isogloss.wiki.dump.parts import Extraction
from isogloss.workers import make_of_parts, scratch_of

VARIANTS = 3  # `LOWER_NAME`, `CAPITAL_NAME`, `ACRONYM_NAME`
BYTES_AT_ONCE = 1 << 20  # of text; folding takes about 20 bytes a character
UNITS_AT_ONCE = 1 << 22  # of folded names; a unit takes some tens of bytes while it is looked at

_KINDS = ("text", "link")
_PAGE, _ROW = 40, (1 << 40) - 1  # bits below those of the page, and those of the row


def write_occurrences(
    extraction: Extraction,
    titles: Path,
    counts: Path,
    out: Path,
    *,
    turkic: bool = False,
    workers: int = 1,
) -> Counter[str]:
    """Count the pages in which each name occurs, and in which it is a link.

    Arrays written: ``n_text``, ``n_link``, int32, by name of the run `counts`. A file that is there
    is taken as it is; a stopped count goes on.

    Parameters
    ----------
    titles, counts
        Files of `write_titles` and `write_counts`.
    out
        The file to make.
    turkic
        Fold *I* and *İ* as Turkish and Azerbaijani do.
    """
    names = scratch_of(out) / "names"
    if not out.exists() and not names.exists():
        names.parent.mkdir(exist_ok=True)
        with activity("preparing the search for names"):
            write_arrays(names, compiled_names(read_counts(counts)[0], turkic))
    settings = [str(names), str(counts), str(titles), turkic]
    tasks = [[i, str(part)] for i, part in enumerate(extraction.parts)]
    make_of_parts(
        out, __name__, settings, tasks, lambda made: _join(made, names, out),
        workers=workers, doing="looking for names in texts",
    )  # fmt: skip
    return Counter(map_arrays(out)[1]["counts"])


def _join(made: list[Path], names: Path, out: Path) -> None:
    prepared = map_arrays(names)[0]
    totals = {kind: np.zeros(VARIANTS * prepared["is_apart"].size, np.int32) for kind in _KINDS}
    for path in made:
        found = map_arrays(path)[0]
        for kind, total in totals.items():
            total[found[f"{kind}_row"]] += found[f"{kind}_pages"]
    by_name = {f"n_{kind}": _of_names(total, prepared) for kind, total in totals.items()}
    n_found = int((by_name["n_text"] > 0).sum())
    write_arrays(out, by_name, {"counts": {"names found in texts": n_found}})


def worker(settings: Any) -> Any:
    """Return the function that searches a part in a process of its own: see `workers`."""
    names, counts, titles, turkic = settings
    search = Occurrences(
        map_arrays(Path(names))[0],
        read_counts(Path(counts))[0],
        read_titles(Path(titles))[0],
        turkic,
    )

    def work(task: bytes) -> bytes:
        number, part, out = json.loads(task)
        write_arrays(Path(out), search.of_part(map_arrays(Path(part))[0], number))
        return b""

    return work


class _Links(NamedTuple):
    """Links of a part to entities: the page of each, and its text's place in that of the part."""

    page: Ints1d
    start: Ints1d
    end: Ints1d


class Occurrences:
    """Names to look for in the pages of a part.

    Parameters
    ----------
    names
        Of `compiled_names`.
    run
        The names as they are written (`write_counts`).
    titles
        The table of titles.
    """

    def __init__(self, names: Arrays, run: Arrays, titles: Arrays, turkic: bool) -> None:
        self._names, self._run, self._titles, self._turkic = names, run, titles, turkic
        n_keys = names["unit_offsets"].size - 1
        self._is_active = np.ones(VARIANTS * n_keys, np.bool_)

    def of_part(self, part: Arrays, number: int) -> Arrays:
        """Return for rows (3 * folded name + variant) the pages whose highest of a group it is."""
        links = self._links_of(part)
        pieces = [
            self._of_pages(part, links, number, *pages) for pages in _blocks(part["text_offsets"])
        ]
        found: Arrays = {}
        for kind in _KINDS:
            highest = [piece[kind] for piece in pieces]
            row, n_pages = np.unique(
                np.concatenate([np.zeros(0, np.int64), *highest]), return_counts=True
            )
            found[f"{kind}_row"] = row.astype(np.int64)
            found[f"{kind}_pages"] = n_pages.astype(np.int32)
        return found

    def _of_pages(
        self, part: Arrays, links: _Links, number: int, first: int, last: int
    ) -> dict[str, Ints1d]:
        texts = strings_of(part["text"], part["text_offsets"][first : last + 1])
        folded = fold_texts(texts, turkic=self._turkic)
        names = self._names
        with interrupts_wait():
            offsets, _, _, row = find_names(
                (folded.offsets, folded.units, folded.kinds, folded.case, folded.boundary),
                names["slots"], views_of(names["records"]), self._is_active,
                np.zeros(folded.units.size, np.uint8), None, None, True,
            )  # fmt: skip
        in_text = _pages_and_rows(np.repeat(np.arange(last - first), np.diff(offsets)), row)
        linked = self._linked(part["text"], links, first, last)
        own = self._own(part, number, first, last)
        is_link = np.concatenate([linked, self._own_in_text(own, in_text, last - first)])
        in_text = np.concatenate([in_text, is_link])
        is_apart = names["is_apart"]
        return {"text": _highest(in_text, is_apart), "link": _highest(is_link, is_apart)}

    def _own_in_text(self, own: Ints1d, in_text: Ints1d, n_pages: int) -> Ints1d:
        """Return page and row of what in the texts can mean the title of its page."""
        title = np.full(n_pages, -1, np.int64)
        title[own >> _PAGE] = own & _ROW
        of_page, row = title[in_text >> _PAGE], in_text & _ROW
        has_title = np.flatnonzero(of_page >= 0)
        of_page, row, is_apart = of_page[has_title], row[has_title], self._names["is_apart"]
        is_own = (row >= of_page) & (_groups_of(row, is_apart) == _groups_of(of_page, is_apart))
        return in_text[has_title[is_own]]

    def _links_of(self, part: Arrays) -> _Links:
        """Return the links of a part that lead to an entity."""
        page = np.repeat(np.arange(part["page_id"].size), np.diff(part["link_offsets"]))
        _, entity = entities_of_targets(part, self._titles)
        starts, ends = link_places(part)
        is_kept = (entity[part["link_target"]] >= 0) & (ends > starts)
        return _Links(page[is_kept], starts[is_kept], ends[is_kept])

    def _linked(self, text: Bytes1d, links: _Links, first: int, last: int) -> Ints1d:
        """Return page and row of each link on some pages."""
        here = slice(*np.searchsorted(links.page, [first, last]).tolist())
        data, offsets = names_at(text, links.start[here], links.end[here])
        return self._known(data, offsets, links.page[here] - first)

    def _own(self, part: Arrays, number: int, first: int, last: int) -> Ints1d:
        """Return page and row of each page's own title."""
        listed = strings_of(part["titles"], part["title_offsets"][first : last + 1])
        origin = int(self._titles["part_first"][number]) + first
        entity = self._titles["entity"][origin : origin + last - first]
        pages = np.flatnonzero(entity == np.arange(origin, origin + last - first))
        names = [name_of_title(listed[page]) for page in pages.tolist()]
        return self._known(*packed_strings([name.encode() for name in names]), pages)

    def _known(self, names: Bytes1d, offsets: Ints1d, page: Ints1d) -> Ints1d:
        """Return page and row of the names that are looked for."""
        run, prepared = self._run, self._names
        place = find_strings(
            prepared["name_slots"], run["names"], run["name_offsets"], names, offsets
        )
        is_counted = place >= 0
        key, written = (prepared[column][place[is_counted]] for column in ("key", "written"))
        row = VARIANTS * key + written
        rare = np.flatnonzero(~is_counted)  # with too few links, or not of the wiki
        rest = self._folded(strings_at(names, offsets, rare), page[rare])
        return np.concatenate([_pages_and_rows(page[is_counted], row)[key >= 0], rest])

    def _folded(self, names: list[str], page: Ints1d) -> Ints1d:
        """Return page and row of names that differ from others only in how they are written."""
        folded = fold_texts(names, turkic=self._turkic)
        data, offsets = _as_bytes(folded)
        keys = self._names
        key = find_strings(
            keys["key_slots"], keys["units"].view(np.uint8), keys["byte_offsets"], data, offsets
        )
        is_known = key >= 0
        row = VARIANTS * key + how_written(folded)
        return _pages_and_rows(page[is_known], row[is_known])


def compiled_names(run: Arrays, turkic: bool) -> Arrays:
    """Return the names of a run as `Occurrences` takes them, to be written once and mapped.

    Of the folded names, each once: ``units``, ``unit_offsets``, ``byte_offsets`` (4 bytes a unit),
    ``slots``, ``records`` (`build_table`; row 3 * name + variant), ``key_slots`` (for
    `find_strings`), and
    ``is_apart``, whether one in capitals is a name of its own. Of the names of the run: ``key``
    (its folded name, -1: none), ``written`` (its variant), ``name_slots``.
    """
    units, offsets, key, written = _folded_once(run, turkic)
    is_apart = np.zeros(offsets.size - 1, np.uint8)
    is_apart[key[(written == ACRONYM_NAME) & (key >= 0)]] = 1
    kinds = np.empty(units.size, np.uint8)
    for first in range(0, units.size, UNITS_AT_ONCE):
        part = slice(first, first + UNITS_AT_ONCE)
        kinds[part] = kinds_of_units(units[part])
    rows = np.arange(VARIANTS * is_apart.size, dtype=np.int32).reshape(-1, VARIANTS)
    slots, records = build_table(units, offsets, kinds, rows)
    del kinds, rows
    byte_offsets = offsets * 4
    return {
        "units": units, "unit_offsets": offsets, "byte_offsets": byte_offsets,
        "slots": slots, "records": records,
        "key_slots": index_strings(units.view(np.uint8), byte_offsets)[0],
        "is_apart": is_apart, "key": key, "written": written,
        "name_slots": index_strings(run["names"], run["name_offsets"])[0],
    }  # fmt: skip


def _folded_once(run: Arrays, turkic: bool) -> tuple[Any, Ints1d, Any, Bytes1d]:
    """Return units and offsets of the distinct folded names; of each name its own, and variant."""
    data, sizes = bytearray(), [np.zeros(1, np.int64)]
    written = [np.zeros(0, np.uint8)]
    for names in strings_in_blocks(run["names"], run["name_offsets"]):
        folded = fold_texts(names, turkic=turkic)
        data += folded.units.tobytes()
        sizes.append(np.diff(folded.offsets))
        written.append(how_written(folded))
    every: Any = np.frombuffer(data, np.uint32)
    offsets = np.cumsum(np.concatenate(sizes))
    first = index_strings(every.view(np.uint8), offsets * 4)[1]
    rows = np.flatnonzero((first == np.arange(first.size)) & (np.diff(offsets) > 0))
    key_of = np.full(first.size, -1, np.int32)
    key_of[rows] = np.arange(rows.size)
    return *taken(every, offsets, rows), key_of[first], np.concatenate(written)


def _blocks(offsets: Ints1d) -> list[tuple[int, int]]:
    """Cut pages into blocks of some megabytes of text."""
    number = offsets[:-1] // BYTES_AT_ONCE
    begins = np.flatnonzero(np.diff(number, prepend=-1)).tolist()
    return list(pairwise([*begins, offsets.size - 1]))


def _as_bytes(folded: FoldedTexts) -> tuple[Bytes1d, Ints1d]:
    return folded.units.view(np.uint8), folded.offsets * 4


def _pages_and_rows(page: Any, row: Any) -> Ints1d:
    return (page.astype(np.int64) << _PAGE) | row


def _groups_of(row: Ints1d, is_apart: Bytes1d) -> Ints1d:
    """Return a number for the group of each row."""
    key, variant = row // VARIANTS, row % VARIANTS
    return 2 * key + ((variant == ACRONYM_NAME) & (is_apart[key] != 0))


def _highest(found: Ints1d, is_apart: Bytes1d) -> Ints1d:
    """Return of each page and group the row of the highest variant."""
    found = np.sort(found)
    page, row = found >> _PAGE, found & _ROW
    group = _groups_of(row, is_apart)
    is_last = np.ones(found.size, bool)
    is_last[:-1] = (page[1:] != page[:-1]) | (group[1:] != group[:-1])
    return row[is_last]


def _of_names(total: Any, names: Arrays) -> Any:
    """Return the pages of each name: those with its own variant or a higher one of its group."""
    at_least = total.reshape(-1, VARIANTS).copy()
    at_least[:, CAPITAL_NAME] += np.where(names["is_apart"] != 0, 0, at_least[:, ACRONYM_NAME])
    at_least[:, LOWER_NAME] += at_least[:, CAPITAL_NAME]
    key, written = names["key"], names["written"]
    if not at_least.size:
        return np.zeros(key.size, np.int32)
    return np.where(key >= 0, at_least[key, written], 0).astype(np.int32)
