"""Pages for the tests of wikitext: hand-written ones in many scripts, and those of real dumps."""

import bz2
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from repository import ROOT

from isogloss.wiki.site import Site
from isogloss.wiki.wikitext.wikitext import ScannedPages

DUMPS = ROOT / "../shared/data/wikipedia"
needs_dumps = pytest.mark.skipif(
    not (DUMPS / "minidumps").is_dir(), reason="the shared evaluation data is not here"
)

HAND_WRITTEN = [
    """{{Infobox city|name=[[Bonn]]|area={{convert|141|km2}}<!-- sic -->}}
'''Bonn''' ({{IPA|de|bɔn}}) is a [[city]] on the [[Rhine|river ''Rhine'']].<ref name="a">{{cite
web|url=https://example.org}}</ref> It has
[[university|universit]]ies&nbsp;&amp; <small>more</small>.

== History ==
[[File:Bonn.jpg|thumb|left|alt=A view|The [[Minster]] in {{circa}} 1900.]]
{| class="wikitable"
! Year !! [[Mayor]]
|-
| 1949 || x
|}
* [http://example.org its pages], [[:Category:Bonn]], [[wikt:city|word]]
=== Names === <!-- old -->
<gallery>
File:a.jpg|[[b]]
</gallery><math>a < b</math> <nowiki>[[not]]</nowiki>
[[Category:Bonn| ]]
[[fr:Bonn]]
""",
    "[[ファイル:東京.jpg|サムネイル|右|[[東京タワー]]]]'''東京'''は[[日本]]の[[首都]]。\n"
    "==歴史==\n江戸[[江戸幕府|幕府]]。",
    "'''ألمانيا''' ([[ألمانية|بالألمانية]]ات) [[ملف:علم.svg|تصغير|[[علم]] البلاد]] "
    "{{قالب|أ|ب}}\n== تاريخ ==",
    "'''Берлін''' — [[столиця]]ми [[Файл:a.jpg|міні|праворуч|[[Ратуша]]]] &#1041;&#x411;\n"
    "* [[Категорія:Б]]",
    "'''बर्लिन''' [[जर्मनी]] की [[राजधानी]] है।\n\n'''กรุงเทพ''' [[ไทย]] 😀 [[emoji|🎉]]",
    "L'''Italia'' e '''l'''arte''' ''l''''opera''''' [[a|b [[c]] d]] [[[e]]] [[f|[g]]] __NOTOC__",
    "",
]  # fmt: skip


@dataclass(frozen=True)
class DumpPage:
    """A page of a real dump: the site it is of, its title, and its wikitext."""

    site: Site
    title: str
    text: str


@lru_cache(maxsize=1)
def real_pages() -> tuple[DumpPage, ...]:
    """Return every page of wikitext in the dumps that is no redirect."""
    files = [*sorted((DUMPS / "minidumps").iterdir()), *sorted((DUMPS / "slices").iterdir())]
    return tuple(page for file in files for page in _pages(file))


def _pages(file: Path) -> Iterator[DumpPage]:
    data = bz2.decompress(file.read_bytes())
    code = file.name.split(".")[0].split("wiki")[0] or "en"
    site = Site.default({"commons": "en"}.get(code, code))
    for element in ElementTree.fromstring(data).iter():
        if element.tag.rpartition("}")[2] == "page":
            parts = {part.tag.rpartition("}")[2]: part.text or "" for part in element.iter()}
            if parts.get("model", "wikitext") == "wikitext" and "redirect" not in parts:
                yield DumpPage(site, parts["title"], parts.get("text", ""))


def check(pages: ScannedPages, n_bytes: int) -> None:
    """Assert all that holds for any input."""
    text = pages.text.tobytes()
    text.decode("utf-8")
    assert b"\n\n" not in text
    assert pages.n_steps <= 50 * n_bytes
    for offsets, size in (
        (pages.text_offsets, pages.text.size),
        (pages.link_offsets, pages.link_kind.size),
        (pages.target_offsets, pages.targets.size),
        (pages.section_offsets, pages.section_level.size),
        (pages.template_offsets, pages.template_name_offsets.size - 1),
        (pages.template_name_offsets, pages.template_names.size),
    ):
        assert offsets[0] == 0
        assert offsets[-1] == size
        assert (np.diff(offsets) >= 0).all()
    for strings, offsets in (
        (pages.targets, pages.target_offsets),
        (pages.template_names, pages.template_name_offsets),
    ):
        assert not is_inside_character(strings, offsets).any()
    links, sections = np.diff(pages.link_offsets), np.diff(pages.section_offsets)
    _check_spans(pages, links, pages.link_start, pages.link_end)
    ends = pages.section_start + pages.heading_length
    _check_spans(pages, sections, pages.section_start, ends)
    first = pages.section_offsets[:-1]
    assert not pages.section_level[first].any()
    assert not pages.section_start[first].any()
    assert not pages.heading_length[first].any()
    assert (sections >= 1).all()


def _check_spans(
    pages: ScannedPages, counts: np.ndarray, start: np.ndarray, end: np.ndarray
) -> None:
    sizes = np.repeat(np.diff(pages.text_offsets), counts)
    origin = np.repeat(pages.text_offsets[:-1], counts)
    assert (start >= 0).all()
    assert (start <= end).all()
    assert (end <= sizes).all()
    assert (np.diff(start + origin) >= 0).all()
    assert not is_inside_character(pages.text, start + origin).any()
    assert not is_inside_character(pages.text, end + origin).any()


def is_inside_character(strings: np.ndarray, places: np.ndarray) -> np.ndarray:
    """Return which places in UTF-8 are not at the start of a character (or at the end of all)."""
    return (np.append(strings, 0)[places] & 0xC0) == 0x80
