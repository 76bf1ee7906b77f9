"""Count how often each name is a link to each entity of a wiki: parts in, one sorted run out.

A name is the text of a link as it is written, runs of blanks being one space; case is kept, since
what a capital means is decided where a knowledge base is compiled. Titles and the titles of
redirects are names too, without what stands in brackets at their end: *Mercury (planet)* is
*Mercury*. They count as no link.

`count_links` is a function of one part and the table of titles, so parts can be counted anywhere.
"""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bools1d, Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.storage.array_file import (
    Arrays,
    map_arrays,
    packed_strings,
    strings_of,
    write_arrays,
)
from isogloss.storage.string_index import find_strings
from isogloss.wiki.counts.runs import merge_runs, run_of
from isogloss.wiki.counts.titles import read_titles
from isogloss.wiki.dump.extract import TO_ARTICLE
from isogloss.wiki.dump.parts import Extraction
from isogloss.workers import make_of_parts

LONGEST_NAME = 100  # characters; longer link texts are sentences

_BRACKETS = re.compile(r"(?<=\S)(\s+\([^()]*\)|\s*（[^（）]*）)$")


def write_counts(
    extraction: Extraction,
    titles: Path,
    out: Path,
    *,
    workers: int = 1,
    min_link_count: int = 1,
) -> Counter[str]:
    """Count the links of all parts into one run (`runs`), and return what was found.

    A file that is there is taken as it is; a stopped count goes on.

    Parameters
    ----------
    titles
        The file of `isogloss.wiki.counts.titles.write_titles`.
    out
        The run.
    min_link_count
        Pairs of name and entity with fewer links are left out, unless a title reads so.
    """
    parts = [*map(str, extraction.parts), ""]  # the last: titles without a page
    make_of_parts(
        out, __name__, str(titles), list(enumerate(parts)),
        lambda runs: _join(runs, out, min_link_count), workers=workers, doing="counting links",
    )  # fmt: skip
    return read_counts(out)[1]


def read_counts(path: Path) -> tuple[Arrays, Counter[str]]:
    """Map the run that `write_counts` wrote, and return what it returned."""
    arrays, facts = map_arrays(path)
    return arrays, Counter(facts["counts"])


def _join(runs: list[Path], out: Path, min_link_count: int) -> None:
    counts = Counter[str]()
    for run in runs:
        counts.update(map_arrays(run)[1]["counts"])
    whole = runs[0].with_name("all")
    merge_runs(runs, whole)
    found = map_arrays(whole)[0]
    kept = _with_pairs(found, (found["n_links"] >= min_link_count) | (found["is_title"] == 1))
    counts["pairs with too few links"] = found["entity"].size - kept["entity"].size
    counts["names"] = kept["hash"].size
    counts["pairs"] = kept["entity"].size
    write_arrays(out, kept, {"counts": counts})


def worker(titles: Any) -> Any:
    """Return the function that counts a part in a process of its own: see `workers`."""
    table, _ = read_titles(Path(titles))

    def work(task: bytes) -> bytes:
        number, part, out = json.loads(task)
        if part:
            run, counts = count_links(map_arrays(Path(part))[0], table, number)
        else:
            run, counts = run_of(*_of_titles(table, number)), Counter[str]()
        write_arrays(Path(out), run, {"counts": counts})
        return b""

    return work


def count_links(part: Arrays, titles: Arrays, number: int) -> tuple[Arrays, Counter[str]]:
    """Return the run of one part, and its links by what became of them.

    Parameters
    ----------
    part
        Its arrays (`isogloss.wiki.dump.extract`).
    titles
        The table of titles (`isogloss.wiki.counts.titles`).
    number
        Place of the part among the parts.
    """
    row, target_entity = entities_of_targets(part, titles)
    entity = target_entity[part["link_target"]]
    starts, ends = link_places(part)
    counts = Counter(_fates(part, row, entity))
    is_kept = (entity >= 0) & (ends > starts)
    names, offsets = names_at(part["text"], starts[is_kept], ends[is_kept])
    fits = np.diff(offsets) > 0
    counts["links without a name"] = int(((entity >= 0) & (ends == starts)).sum())
    counts["links with a text too long"] = int((~fits).sum())
    counts["links counted"] = int(fits.sum())
    # A link whose name is left out has no bytes: its end is the next one's start.
    kept_offsets = np.append(offsets[:-1][fits], names.size)
    n_links, is_title = np.ones(kept_offsets.size - 1, np.int64), np.zeros(fits.sum(), np.uint8)
    linked = (names, kept_offsets, entity[is_kept][fits], n_links, is_title)
    own = _of_titles(titles, number)
    rows = [np.concatenate([a, b]) for a, b in zip(linked, own, strict=True)]
    rows[1] = np.concatenate([kept_offsets, own[1][1:] + names.size])
    return run_of(*rows), counts


def entities_of_targets(part: Arrays, titles: Arrays) -> tuple[Ints1d, Ints1d]:
    """Return title and entity of each target of a part, -1 for none."""
    row = find_strings(
        titles["slots"], titles["titles"], titles["title_offsets"], part["targets"],
        part["target_offsets"],
    )  # fmt: skip
    row = np.where(part["target_kind"] == TO_ARTICLE, row, -1)
    entity = np.where(row >= 0, titles["entity"][row] if titles["entity"].size else -1, -1)
    return row, entity.astype(np.int64)


def link_places(part: Arrays) -> tuple[Ints1d, Ints1d]:
    """Return where the text of each link starts and ends in the text of the part."""
    page = np.repeat(part["text_offsets"][:-1], np.diff(part["link_offsets"]))
    return page + part["link_start"], page + part["link_end"]


def names_at(text: Bytes1d, starts: Ints1d, ends: Ints1d) -> tuple[Bytes1d, Ints1d]:
    """Return the names that stand at places of a text; one that is too long is empty.

    Examples
    --------
    >>> text = np.frombuffer("a  New\u00a0York b".encode(), np.uint8)
    >>> data, offsets = names_at(text, np.array([1]), np.array([12]))
    >>> data.tobytes()
    b'New York'
    """
    with interrupts_wait():
        return _names_at(text, starts, ends)


def name_of_title(title: str) -> str:
    """Return a title without what stands in brackets at its end.

    Examples
    --------
    >>> name_of_title("Mercury (planet)"), name_of_title("(What's the Story)")
    ('Mercury', "(What's the Story)")
    """
    return _BRACKETS.sub("", title)


def _fates(part: Arrays, row: Ints1d, entity: Ints1d) -> dict[str, int]:
    kind, found = part["target_kind"][part["link_target"]], row[part["link_target"]]
    to_article = kind == TO_ARTICLE
    return {
        "links to other namespaces and wikis": int((~to_article).sum()),
        "links to no page": int((to_article & (found < 0)).sum()),
        "links to disambiguations and broken redirects": int(((found >= 0) & (entity < 0)).sum()),
    }


def _of_titles(titles: Arrays, number: int) -> tuple[Bytes1d, Ints1d, Ints1d, Ints1d, Bytes1d]:
    """Return what `run_of` takes for the titles of a part's pages and redirects."""
    first = int(titles["part_first"][number])
    is_last = number + 1 == titles["part_first"].size
    last = titles["page_id"].size if is_last else int(titles["part_first"][number + 1])
    entity = titles["entity"][first:last].astype(np.int64)
    listed = strings_of(titles["titles"], titles["title_offsets"][first : last + 1])
    rows, names = [], []
    for i in np.flatnonzero(entity >= 0).tolist():
        for name in dict.fromkeys((listed[i], name_of_title(listed[i]))):
            rows.append(i)
            names.append(name.encode())
    data, offsets = packed_strings(names)
    n_rows = len(rows)
    none, are_titles = np.zeros(n_rows, np.int64), np.ones(n_rows, np.uint8)
    return data, offsets, entity[np.array(rows, np.int64)], none, are_titles


def _with_pairs(run: Arrays, keep: Bools1d) -> Arrays:
    """Return a run of some of its pairs, and of the names that have any."""
    if keep.all():
        return run
    name = np.repeat(np.arange(run["hash"].size), np.diff(run["pair_offsets"]))[keep]
    sizes = np.bincount(name, minlength=run["hash"].size)
    rows = np.flatnonzero(sizes)
    lengths = np.diff(run["name_offsets"])
    has_name = np.repeat(sizes > 0, lengths)
    return {
        "hash": run["hash"][rows],
        "name_offsets": np.append(0, np.cumsum(lengths[rows])),
        "names": run["names"][has_name],
        "pair_offsets": np.append(0, np.cumsum(sizes[rows])),
        "entity": run["entity"][keep],
        "n_links": run["n_links"][keep],
        "is_title": run["is_title"][keep],
    }


@compiled
def _names_at(text: Any, starts: Any, ends: Any) -> Any:
    room = np.int64(0)
    for i in range(starts.size):
        room += ends[i] - starts[i]
    data = np.empty(room, np.uint8)
    offsets = np.zeros(starts.size + 1, np.int64)
    n = np.int64(0)
    for i in range(starts.size):
        first, n_characters, is_blank = n, 0, False
        at = starts[i]
        while at < ends[i]:
            byte = text[at]
            if byte == 32 or 9 <= byte <= 13:
                is_blank = True
            elif byte == 0xC2 and at + 1 < ends[i] and text[at + 1] == 0xA0:
                is_blank = True
                at += 1
            else:
                if is_blank and n > first:
                    data[n] = 32
                    n += 1
                    n_characters += 1
                is_blank = False
                data[n] = byte
                n += 1
                n_characters += byte & 0xC0 != 0x80
            at += 1
        if n_characters > LONGEST_NAME:
            n = first
        offsets[i + 1] = n
    return data[:n].copy(), offsets
