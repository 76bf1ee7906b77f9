"""Count the pages in which each name stands, as wikipedia2vec does: see `like_wikipedia2vec`."""

import json
import re
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.progress import activity
from isogloss.storage.array_file import Arrays, map_arrays, strings_in_blocks, write_arrays
from isogloss.storage.string_index import index_strings, place_of
from isogloss.wiki.counts.wikipedia2vec_names import LONGEST_NAME
from isogloss.wiki.dump.parts import Extraction
from isogloss.workers import make_of_parts, scratch_of

PAGES_AT_ONCE = 1000


def write_pages_with_names(
    extraction: Extraction, counts: Path, out: Path, *, workers: int = 1
) -> Counter[str]:
    """Count the pages in which each name stands, and return how many names were found.

    Arrays written: ``n_text``, ``n_link``, by name of the run `counts`: these pages, and all links
    with this name. A file that is there is taken as it is; a stopped count goes on.

    Parameters
    ----------
    counts, out
        File of `isogloss.wiki.counts.counts.write_counts`; the file to make.
    """
    names = scratch_of(out) / "names"
    if not out.exists() and not names.exists():
        names.parent.mkdir(exist_ok=True)
        with activity("preparing the search for names"):
            run = map_arrays(counts)[0]
            write_arrays(names, prepared_names(run["names"], run["name_offsets"]))
    tasks = [[str(part)] for part in extraction.parts]
    make_of_parts(
        out, __name__, str(names), tasks, lambda made: _join(made, counts, out),
        workers=workers, doing="looking for names in texts",
    )  # fmt: skip
    return Counter(map_arrays(out)[1]["counts"])


def _join(made: list[Path], counts: Path, out: Path) -> None:
    run = map_arrays(counts)[0]
    n_text = np.zeros(run["hash"].size, np.int64)
    for path in made:
        found = map_arrays(path)[0]
        n_text[found["name"]] += found["n_pages"]
    name = np.repeat(np.arange(n_text.size), np.diff(run["pair_offsets"]))
    n_link = np.bincount(name, run["n_links"], minlength=n_text.size).astype(np.int64)
    told = {"names found in texts": int((n_text > 0).sum())}
    write_arrays(out, {"n_text": n_text, "n_link": n_link}, {"counts": told})


def worker(names: Any) -> Any:
    """Return the function that searches a part in a process of its own: see `workers`."""
    search = NamesInTexts(map_arrays(Path(names))[0])

    def work(task: bytes) -> bytes:
        part, out = json.loads(task)
        n_pages = search.pages(map_arrays(Path(part))[0])
        found = np.flatnonzero(n_pages)
        write_arrays(Path(out), {"name": found, "n_pages": n_pages[found]})
        return b""

    return work


def prepared_names(names: Bytes1d, offsets: Ints1d) -> Arrays:
    """Return names as `NamesInTexts` takes them, to be written once and mapped by each process.

    Parameters
    ----------
    names, offsets
        UTF-8, in small letters.
    """
    codes, sizes = bytearray(), [np.zeros(0, np.int64)]
    for block in strings_in_blocks(names, offsets):
        units, ends = _code_points(block)
        codes += units.tobytes()
        sizes.append(np.diff(ends))
    data = np.frombuffer(codes, np.uint8)
    code_offsets = np.zeros(offsets.size, np.int64)
    np.cumsum(np.concatenate(sizes) * 4, out=code_offsets[1:])
    return {
        "codes": data, "code_offsets": code_offsets, "slots": index_strings(data, code_offsets)[0]
    }  # fmt: skip


class NamesInTexts:
    """Names to look for in the pages of parts.

    Parameters
    ----------
    names
        Of `prepared_names`: ``codes``, the bytes of their code points, four each, with
        ``code_offsets``, and ``slots`` for `place_of`.
    """

    def __init__(self, names: Arrays) -> None:
        self._names = names["slots"], names["codes"], names["code_offsets"]
        self._is_word = _word_table()

    def pages(self, part: Arrays) -> Ints1d:
        """Return for each name in how many pages of a part it stands."""
        n_pages = np.zeros(self._names[2].size - 1, np.int64)
        last_page = np.full(n_pages.size, -1, np.int64)
        size = part["page_id"].size
        for first in range(0, size, PAGES_AT_ONCE):
            last = min(first + PAGES_AT_ONCE, size)
            sections, page = _sections(part, first, last)
            codes, offsets = _code_points(sections)
            small, small_offsets = _code_points([section.lower() for section in sections])
            with interrupts_wait():
                _look(
                    codes, offsets, small.view(np.uint8), small_offsets, page, self._is_word,
                    *self._names, last_page, n_pages,
                )  # fmt: skip
        return n_pages


def _sections(part: Arrays, first: int, last: int) -> tuple[list[str], Ints1d]:
    """Return the texts of the sections of some pages, and the page of each."""
    begin, end = part["section_offsets"][[first, last]].tolist()
    page = np.repeat(np.arange(first, last), np.diff(part["section_offsets"][first : last + 1]))
    starts = part["text_offsets"][page] + part["section_start"][begin:end]
    ends = np.append(starts[1:], part["text_offsets"][last])
    text = part["text"]
    return [
        text[a:b].tobytes().decode("utf-8", "replace")
        for a, b in zip(starts.tolist(), ends.tolist(), strict=True)
    ], page


def _code_points(texts: Sequence[str]) -> tuple[Any, Ints1d]:
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum([len(text) for text in texts], out=offsets[1:])
    return np.frombuffer("".join(texts).encode("utf-32-le"), np.uint32), offsets


@cache
def _word_table() -> Bytes1d:
    """Return for each code point whether it is part of a word, as `re` sees it."""
    found = np.zeros(sys.maxunicode + 1, np.uint8)
    every = "".join(map(chr, [*range(0xD800), *range(0xE000, sys.maxunicode + 1)]))
    for word in re.finditer(r"\w+", every):
        for code in map(ord, word[0]):
            found[code] = 1
    return found


@compiled
def _look(
    codes: Any, offsets: Any, small: Any, small_offsets: Any, page: Any, is_word: Any, slots: Any,
    names: Any, name_offsets: Any, last_page: Any, n_pages: Any,
) -> Any:  # fmt: skip
    """Count the pages with each name.

    `codes` are sections as they are, where words begin and end; `small` the bytes of the code
    points in small letters, which are compared.
    """
    for section in range(offsets.size - 1):
        first, last = offsets[section], offsets[section + 1]
        shift, stop = small_offsets[section] - first, small_offsets[section + 1]
        for begin in range(first, last):
            if not is_word[codes[begin]] or (begin > first and is_word[codes[begin - 1]]):
                continue
            for end in range(begin + 1, min(last, begin + LONGEST_NAME) + 1):
                if not is_word[codes[end - 1]] or (end < last and is_word[codes[end]]):
                    continue
                if end + shift > stop:
                    break
                name = place_of(
                    slots, names, name_offsets, small, 4 * (begin + shift), 4 * (end + shift)
                )  # fmt: skip
                if name >= 0 and last_page[name] != page[section]:
                    last_page[name] = page[section]
                    n_pages[name] += 1
