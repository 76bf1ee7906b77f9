"""How likely a name of a wiki is a link where it occurs: documents with it as link and as text.

Link probability is the share of the pages with a name in their text in which it is a link (Mihalcea
and Csomai 2007, "keyphraseness"). Names are looked for as the linker does, nested ones too: folded,
at the boundaries of their script, with the case rule of `compile_names`. So a name in small letters
is counted however it is written, one with a capital only where it has it. A page never links to
itself: its own title in its text counts as a link.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.kb.matcher import build_slots, find_names
from isogloss.kb.spellings import how_written
from isogloss.progress import activity
from isogloss.text.compiled import interrupts_wait
from isogloss.text.folding import FoldedTexts, fold_texts, kinds_of_units
from isogloss.wiki.array_file import (
    Arrays,
    map_arrays,
    packed_strings,
    strings_of,
    taken,
    write_arrays,
)
from isogloss.wiki.counts import (
    entities_of_targets,
    link_places,
    name_of_title,
    names_at,
    read_counts,
)
from isogloss.wiki.parts import Extraction
from isogloss.wiki.string_index import find_strings, index_strings
from isogloss.wiki.titles import read_titles
from isogloss.wiki.workers import run_tasks

VARIANTS = 3  # lower case, capital, capitals: see `compile_names`
BYTES_AT_ONCE = 1 << 20  # of text; folding takes about 20 bytes a character
NAMES_AT_ONCE = 50_000


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

    Arrays written: ``n_text``, ``n_link``, int32, by name of the run `counts`.

    Parameters
    ----------
    titles, counts
        Files of `write_titles` and `write_counts`.
    out
        The file to make; those of the parts are written beside it, and a stopped count goes on.
    turkic
        Fold *I* and *İ* as Turkish and Azerbaijani do.
    """
    folder = out.parent / "texts"
    folder.mkdir(exist_ok=True)
    names = folder / "names.bin"
    if not names.exists():
        with activity("preparing the search for names"):
            write_arrays(names, _compiled(read_counts(counts)[0], turkic))
    done = [folder / f"{part.stem}.rows" for part in extraction.parts]
    tasks = [
        [i, str(extraction.parts[i]), str(path)] for i, path in enumerate(done) if not path.exists()
    ]
    settings = [str(names), str(counts), str(titles), turkic]
    run_tasks(__name__, settings, tasks, workers=workers, doing="looking for names in texts")
    prepared = map_arrays(names)[0]
    n_rows = VARIANTS * (prepared["unit_offsets"].size - 1)
    totals = {kind: np.zeros(n_rows, np.int32) for kind in ("text", "link")}
    for path in done:
        found = map_arrays(path)[0]
        for kind, total in totals.items():
            total[found[f"{kind}_row"]] += found[f"{kind}_pages"]
    place = prepared["key"], prepared["written"]
    by_name = {f"n_{kind}": _of_names(total, *place) for kind, total in totals.items()}
    n_found = int((by_name["n_text"] > 0).sum())
    write_arrays(out, by_name, {"counts": {"names found in texts": n_found}})
    for path in (names, *done):
        path.unlink()
    folder.rmdir()
    return Counter({"names found in texts": n_found})


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
        ``unit_offsets``, ``units``, ``slot_hash``, ``slot_number`` (`build_slots`), ``key_slots``;
        ``key``, ``written`` and ``name_slots`` of the names as they are written.
    run
        The names as they are written (`write_counts`).
    titles
        The table of titles.
    """

    def __init__(self, names: Arrays, run: Arrays, titles: Arrays, turkic: bool) -> None:
        self._names, self._run, self._titles, self._turkic = names, run, titles, turkic
        n_keys = names["unit_offsets"].size - 1
        self._rows = np.arange(VARIANTS * n_keys, dtype=np.int32).reshape(n_keys, VARIANTS)
        self._is_active = np.ones(self._rows.size, np.bool_)

    def of_part(self, part: Arrays, number: int) -> Arrays:
        """Return for rows (3 * folded name + variant) the pages whose highest variant it is."""
        links = self._links_of(part)
        pieces = [
            self._of_pages(part, links, number, *pages) for pages in _groups(part["text_offsets"])
        ]
        found: Arrays = {}
        for kind in ("text", "link"):
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
                (names["slot_hash"], names["slot_number"]),
                (names["units"], names["unit_offsets"]),
                self._rows, self._is_active, np.zeros(folded.units.size, np.uint8), None, None,
                True,
            )  # fmt: skip
        in_text = _pages_and_rows(np.repeat(np.arange(last - first), np.diff(offsets)), row)
        linked = self._linked(part["text"], links, first, last)
        own = self._own(part, number, first, last)
        is_link = np.concatenate([linked, own[np.isin(own, in_text)]])
        return {"text": _highest(np.concatenate([in_text, is_link])), "link": _highest(is_link)}

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
        rest = self._folded(strings_of(*taken(names, offsets, rare)), page[rare])
        return np.concatenate([_pages_and_rows(page[is_counted], row)[key >= 0], rest])

    def _folded(self, names: list[str], page: Ints1d) -> Ints1d:
        """Return page and row of names that differ from others only in how they are written."""
        folded = fold_texts(names, turkic=self._turkic)
        data, offsets = _as_bytes(folded)
        key_bytes = self._names["units"].view(np.uint8)
        key = find_strings(
            self._names["key_slots"], key_bytes, self._names["unit_offsets"] * 4, data, offsets
        )
        is_known = key >= 0
        row = VARIANTS * key + how_written(folded)
        return _pages_and_rows(page[is_known], row[is_known])


def _compiled(run: Arrays, turkic: bool) -> Arrays:
    """Return the folded names, each once, as the matcher wants them, and those of each name."""
    units, sizes, written = [], [], []
    for names in _chunks(run):
        folded = fold_texts(names, turkic=turkic)
        units.append(folded.units)
        sizes.append(np.diff(folded.offsets))
        written.append(how_written(folded))
    every = np.concatenate([np.zeros(0, np.uint32), *units])
    offsets = np.zeros(run["hash"].size + 1, np.int64)
    np.cumsum(np.concatenate([np.zeros(0, np.int64), *sizes]), out=offsets[1:])
    _, first = index_strings(every.view(np.uint8), offsets * 4)
    rows = np.flatnonzero((first == np.arange(first.size)) & (np.diff(offsets) > 0))
    key_of = np.full(first.size, -1, np.int64)
    key_of[rows] = np.arange(rows.size)
    lengths = (offsets[rows + 1] - offsets[rows]).astype(np.int64)
    unit_offsets = np.append(0, np.cumsum(lengths)).astype(np.int64)
    place = np.arange(unit_offsets[-1]) + np.repeat(offsets[rows] - unit_offsets[:-1], lengths)
    key_units = every[place]
    slot_hash, slot_number = build_slots(key_units, unit_offsets, kinds_of_units(key_units))
    key_slots, _ = index_strings(key_units.view(np.uint8), unit_offsets * 4)
    name_slots, _ = index_strings(run["names"], run["name_offsets"])
    return {
        "unit_offsets": unit_offsets, "units": key_units, "slot_hash": slot_hash,
        "slot_number": slot_number, "key_slots": key_slots, "key": key_of[first],
        "name_slots": name_slots,
        "written": np.concatenate([np.zeros(0, np.uint8), *written]),
    }  # fmt: skip


def _chunks(run: Arrays) -> Iterator[list[str]]:
    offsets = run["name_offsets"]
    for first in range(0, offsets.size - 1, NAMES_AT_ONCE):
        last = min(first + NAMES_AT_ONCE, offsets.size - 1)
        yield strings_of(run["names"], offsets[first : last + 1])


def _groups(offsets: Ints1d) -> list[tuple[int, int]]:
    """Cut pages into groups of some megabytes of text."""
    number = offsets[:-1] // BYTES_AT_ONCE
    begins = np.flatnonzero(np.diff(number, prepend=-1)).tolist()
    return list(pairwise([*begins, offsets.size - 1]))


def _as_bytes(folded: FoldedTexts) -> tuple[Bytes1d, Ints1d]:
    return folded.units.view(np.uint8), folded.offsets * 4


def _pages_and_rows(page: Any, row: Any) -> Ints1d:
    return (page.astype(np.int64) << 40) | row


def _highest(found: Ints1d) -> Ints1d:
    """Return of each page and folded name the row of the highest variant."""
    found = np.sort(found)
    page, row = found >> 40, found & ((1 << 40) - 1)
    key = row // VARIANTS
    is_last = np.ones(found.size, bool)
    is_last[:-1] = (page[1:] != page[:-1]) | (key[1:] != key[:-1])
    return row[is_last]


def _of_names(total: Any, key: Ints1d, written: Bytes1d) -> Any:
    """Return the pages of each name: those with its own variant or a higher one."""
    at_least = np.cumsum(total.reshape(-1, VARIANTS)[:, ::-1], axis=1)[:, ::-1]
    if not at_least.size:
        return np.zeros(key.size, np.int32)
    return np.where(key >= 0, at_least[key, written], 0).astype(np.int32)
