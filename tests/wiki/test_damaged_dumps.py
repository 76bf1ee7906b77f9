"""Damaged dumps: pages as they were written or none, a count of what was lost, one sentence.

Whatever is done to a dump, each page that is read equals one that was written (a flipped bit in
plain XML may change its own page), and what is missing shows in `Dump.dropped`.
"""

import bz2
import gzip
import random
import tracemalloc
import warnings
from pathlib import Path

import pytest
from written_dumps import HEAD, TAIL, Written, dump_of, multistream, some_pages

from isogloss.errors import InputError
from isogloss.wiki.dump import reader as dump_module
from isogloss.wiki.dump.pages import Page
from isogloss.wiki.dump.reader import Dump
from isogloss.wiki.streams.dropped import Dropped

PAGES = some_pages(150, n_words=400)
PLAIN = dump_of(PAGES)
WRITTEN = {
    (page.id, page.title, page.redirect, b"" if page.redirect else page.text.encode())
    for page in PAGES
}
STREAMS, INDEX = multistream(PAGES)


def read(path: Path, **options: object) -> tuple[list[Page], Dropped]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with Dump(path, **options) as dump:
            pages = list(dump.pages())
    assert len(caught) == bool(dump.dropped)
    if dump.dropped:
        assert str(caught[0].message) == f"{path}: {dump.dropped}"
    return pages, dump.dropped


def changed(pages: list[Page]) -> int:
    """Return the number of pages that nobody wrote."""
    told = [(page.id, page.title, page.redirect, page.text) for page in pages]
    return sum(page not in WRITTEN for page in told)


SHARES = [
    pytest.param(share, marks=() if share in (0, 3, 11, 19) else pytest.mark.full)
    for share in range(20)
]


@pytest.mark.parametrize("form", ["bz2", "streams", "gz", "plain"])
@pytest.mark.parametrize("share", SHARES)
def test_cut_off_anywhere(tmp_path: Path, form: str, share: int) -> None:
    whole = {
        "bz2": bz2.compress(PLAIN, 1),
        "streams": STREAMS,
        "gz": gzip.compress(PLAIN),
        "plain": PLAIN,
    }[form]
    path = tmp_path / "dump"
    path.write_bytes(whole[: len(whole) * share // 20 + 3])
    try:
        pages, dropped = read(path, workers=2)
    except InputError:  # before the first page
        assert share < (4 if form == "bz2" else 2)
        return
    assert changed(pages) == 0
    assert dropped.ends_early
    assert "the end of the file is missing" in str(dropped)
    assert len(pages) > 150 * share // 20 - 50  # a bz2 block of 100 kB holds 25 pages


@pytest.mark.parametrize("is_cdata", [False, True])
def test_no_page_is_made_of_two_halves(tmp_path: Path, is_cdata: bool) -> None:
    """A page whose middle is missing is none, in UTF-16 too; one with CDATA sections is counted."""
    text = PLAIN.decode()
    if is_cdata:
        text = text.replace('"preserve">', '"preserve"><![CDATA[').replace("</text>", "]]></text>")
    path = tmp_path / "dump"
    for data in (text.encode(), text.encode("utf-16")):
        parts = [bz2.compress(data[i : i + 9998]) for i in range(0, len(data), 9998)]
        for lost_part in (3, 7, 20):
            broken = bytearray(parts[lost_part])
            broken[200] ^= 8
            path.write_bytes(b"".join([*parts[:lost_part], broken, *parts[lost_part + 1 :]]))
            pages, dropped = read(path)
            n_sections = dropped.pages[SECTION]
            assert 140 < len(pages) + n_sections < 150
            assert (n_sections > 0) == is_cdata
            assert dropped.n_streams == 1
            assert changed(pages) == 0


@pytest.mark.parametrize("form", ["utf-16", "utf-16-be"])
def test_random_bytes_in_utf_16(tmp_path: Path, form: str) -> None:
    path, rng, whole = tmp_path / "dump", random.Random(0), PLAIN.decode().encode(form)
    for _ in range(15):
        data = bytearray(whole)
        for place in rng.sample(range(3000, len(data)), 30):
            data[place] = rng.randrange(256)
        path.write_bytes(data)
        pages, _ = read(path)
        assert changed(pages) <= 30
        assert len(pages) > 110


@pytest.mark.parametrize("form", ["bz2", "streams", "plain"])
def test_flipped_bits(tmp_path: Path, form: str) -> None:
    whole = {"bz2": bz2.compress(PLAIN, 1), "streams": STREAMS, "plain": PLAIN}[form]
    path, rng, n_read, n_unread = tmp_path / "dump", random.Random(form), 0, 0
    for _ in range(20):
        data = bytearray(whole)
        data[rng.randrange(200, len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        try:
            pages, dropped = read(path, workers=2)
        except InputError:  # in the first block
            n_unread += 1
            continue
        assert changed(pages) <= (form == "plain")
        assert dropped or len(pages) == 150
        assert form == "bz2" or len(pages) >= (149 if form == "plain" else 139)
        n_read += len(pages)
    assert n_unread < (12 if form == "bz2" else 1)
    assert n_read > 20 * (10 if form == "bz2" else 139)


def test_many_faults_in_one_dump(tmp_path: Path) -> None:
    path, rng = tmp_path / "dump", random.Random(0)
    for _ in range(20):
        data = bytearray(PLAIN)
        for place in rng.sample(range(2000, len(data)), 40):
            data[place] = rng.randrange(256)
        path.write_bytes(data)
        pages, dropped = read(path)
        assert changed(pages) <= 40
        assert 100 < len(pages) <= 150
        assert len(pages) + dropped.pages.total() >= 140


def edited(old: str, new: str, n_times: int = 1) -> bytes:
    text = PLAIN.decode()
    assert old in text
    return text.replace(old, new, n_times).encode()


def declared(entities: str) -> bytes:
    return f'<?xml version="1.0"?><!DOCTYPE mediawiki [{entities}]>\n'.encode()


BOMB = declared(
    '<!ENTITY a "aaaaaaaaaa">'
    + "".join(
        f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True)
    )
)
OUTSIDE = declared('<!ENTITY i SYSTEM "file:///etc/passwd">')

# Name -> the file, how many pages are read, and how many are lost for which reason.
SECTION = "with a comment or CDATA section"
BROKEN, CUT, NUMBER = "not well-formed XML or UTF-8", "cut off", "without title or number"
NO_START = "without its beginning"
DAMAGED: dict[str, tuple[bytes, int, dict[str, int]]] = {
    "another schema": (edited("export-0.11", "export-0.3"), 150, {}),
    "another namespace": (edited("www.mediawiki.org", "example.org"), 150, {}),
    "no end of a page": (edited("</page>", ""), 149, {CUT: 1}),
    "no beginning of a page": (
        edited("<page>\n    <title>Порт 1<", "<title>Порт 1<"), 149, {NO_START: 1}),
    "no end of a text": (edited("</text>", ""), 149, {BROKEN: 1}),
    "a page in a page": (edited("<ns>0</ns>", "<page><ns>0</ns></page>"), 149,
        {CUT: 1, NUMBER: 1, NO_START: 1}),
    "no title": (edited("<title>Порт 0</title>", ""), 149, {NUMBER: 1}),
    "an empty title": (edited("<title>Порт 0</title>", "<title/>"), 149, {NUMBER: 1}),
    "no number": (edited("<id>1</id>", ""), 149, {NUMBER: 1}),
    "a number that is none": (edited("<id>1</id>", "<id>one</id>"), 149, {NUMBER: 1}),
    "a namespace that is none": (edited("<ns>0</ns>", "<ns>main</ns>"), 149, {NUMBER: 1}),
    "NUL in a text": (edited("== 0 ==", "== \0 =="), 149, {BROKEN: 1}),
    "NULs between pages": (edited("</page>\n", "</page>\n" + "\0" * 999), 150, {NO_START: 1}),
    "a control character": (edited("== 0 ==", "== \x08 =="), 149, {BROKEN: 1}),
    "an illegal character reference": (edited("== 0 ==", "&#0;"), 149, {BROKEN: 1}),
    "an undeclared entity": (edited("== 0 ==", "&nbsp;"), 149, {BROKEN: 1}),
    "billion laughs": (BOMB + edited("== 0 ==", "&i;"), 149, {BROKEN: 1}),
    "an external entity": (OUTSIDE + edited("== 0 ==", "&i;"), 149, {BROKEN: 1}),
    "a declaration in a page": (edited("== 0 ==", "<!DOCTYPE a>&i;"), 149, {SECTION: 1}),
    "100,000 tags deep": (edited("== 0 ==", "<b>" * 100_000), 149, {BROKEN: 1}),
    "100,000 tags deep, closed": (
        edited("== 0 ==", "<b>" * 100_000 + "</b>" * 100_000), 149, {BROKEN: 1}),
    "a tag in a text": (edited("== 0 ==", "<b>x</b>"), 149, {"with tags in its text": 1}),
    "a byte of Latin-1": (PLAIN.replace(b"== 0 ==", b"\xe9t\xe9"), 149, {BROKEN: 1}),
    "a comment without end": (edited("== 0 ==", "<!-- "), 149, {SECTION: 1}),
    "CDATA without end": (edited("== 0 ==", "<![CDATA["), 149, {SECTION: 1}),
    "garbage after the end": (PLAIN + b"garbage", 150, {NO_START: 1}),
    "garbage between pages": (edited("</page>", "</page> garbage <b>"), 150, {NO_START: 1}),
    "no end of the dump": (PLAIN.replace(TAIL.encode(), b""), 150, {}),
    "damaged siteinfo": (edited("</namespaces>", ""), 150, {}),
    "half a character of UTF-16": (PLAIN.decode().encode("utf-16")[:-1], 150, {}),
    "a lone surrogate": (
        PLAIN.decode().replace("== 0 ==", "\ud800").encode("utf-16", "surrogatepass"),
        149, {BROKEN: 1}),
    "half a bz2 stream, then whole ones": (
        bz2.compress(dump_of(PAGES[:3]))[:-99] + bz2.compress(PLAIN), 150, {}),
    "garbage after bz2": (bz2.compress(PLAIN) + b"garbage", 150, {}),
    "gz of garbage after gz": (
        gzip.compress(PLAIN) + gzip.compress(b"garbage"), 150, {NO_START: 1}),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged(tmp_path: Path, name: str) -> None:
    data, n_pages, reasons = DAMAGED[name]
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(data)
    tracemalloc.start()
    try:
        pages, dropped = read(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (len(pages), dict(dropped.pages)) == (n_pages, reasons)
    assert changed(pages) == 0
    assert peak < 50 << 20
    is_harmless = name.startswith("another") or name == "damaged siteinfo"
    assert bool(dropped) != is_harmless or name == "half a character of UTF-16"


NOT_A_DUMP: dict[str, tuple[bytes, str]] = {
    "nothing": (b"", "is empty"),
    "blanks": (b" \n" * 99, "holds nothing that can be read"),
    "bz2 of nothing": (bz2.compress(b""), "holds nothing that can be read"),
    "gz of nothing": (gzip.compress(b""), "holds nothing that can be read"),
    "the beginning of bz2": (bz2.compress(PLAIN)[:99], "holds nothing that can be read"),
    "bz2 without its first block": (STREAMS[:20], "holds nothing that can be read"),
    "a web page": (b"<!DOCTYPE html>\n<html><body>404", "is a web page: the download failed"),
    "another web page": (b"\n <HTML lang=en>", "is a web page: the download failed; repeat it"),
    "a text": ("Порт е място.\n".encode() * 9999, "is not a MediaWiki dump; give the XML of"),
    "bytes": (random.Random(0).randbytes(300_000), "is not a MediaWiki dump"),
    "zeros": (bytes(300_000), "is not a MediaWiki dump"),
    "an SQL table": (b"-- MySQL dump 10.19\n", "is an SQL table, not a dump of pages"),
    "JSON": (b'[\n{"type":"item"', "is JSON, as Wikidata's entities are"),
    "other XML": (b"<rss><page1/></rss>", "is not a MediaWiki dump"),
    "a head alone": (HEAD.encode(), "ends before its first page; download it again"),
    "half a head": (HEAD.encode()[:300], "ends before its first page"),
    "a head and no pages": (HEAD.encode() + b"x" * (3 << 20), "ends before its first page"),
    "tags with a prefix": (PLAIN.replace(b"<", b"<mw:"), "is not a MediaWiki dump"),
    "declared as Latin-1": (
        b'<?xml version="1.0" encoding="ISO-8859-1"?>\n' + PLAIN,
        "is declared as ISO-8859-1; convert it: iconv -f ISO-8859-1 -t UTF-8",
    ),
}


@pytest.mark.parametrize("name", NOT_A_DUMP)
def test_what_is_no_dump_is_said_in_one_sentence(tmp_path: Path, name: str) -> None:
    data, said = NOT_A_DUMP[name]
    path = tmp_path / "dump.xml"
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        Dump(path)
    assert said in str(raised.value)
    assert str(raised.value).startswith(f"{path}: ")
    assert "\n" not in str(raised.value)


def test_a_folder_is_no_dump(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be opened: Is a directory"):
        Dump(tmp_path)


def test_latin_1_without_a_word_about_it(tmp_path: Path) -> None:
    pages = [Written(i, "Café" if i % 2 else "Port", "x") for i in range(1, 9)]
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_of(pages).decode().encode("latin-1", "xmlcharrefreplace"))
    pages_read, dropped = read(path)
    assert [page.title for page in pages_read] == ["Port"] * 4
    assert str(dropped) == f"lost: 4 pages (4 {BROKEN})"


def test_pages_larger_than_the_limit_are_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dump_module, "BLOCK", 20_000)
    monkeypatch.setattr(dump_module, "LARGEST_PAGE", 1 << 20)
    small, fits, large = PAGES[0], Written(8, "A", "x" * 900_000), Written(9, "B", "x" * 3_000_000)
    path = tmp_path / "dump"
    for order in ([small, large, fits], [large, small, fits], [large, large, fits, fits, large]):
        path.write_bytes(dump_of(order))
        pages, dropped = read(path)
        assert [page.id for page in pages] == [page.id for page in order if page is not large]
        assert dropped.pages == {"larger than 1 MiB": order.count(large)}
        assert not dropped.ends_early
    path.write_bytes(dump_of([small, large])[:1_700_000])
    pages, dropped = read(path)
    assert (len(pages), dropped.pages.total(), dropped.ends_early) == (1, 1, True)


@pytest.mark.full
@pytest.mark.parametrize("n_megabytes", [50, 90])
def test_a_page_of_50_megabytes(tmp_path: Path, n_megabytes: int) -> None:
    page = Written(1, "А", "порт &c " * (n_megabytes << 16))
    path = tmp_path / "dump.xml"
    path.write_bytes(dump_of([page, *PAGES]))
    assert n_megabytes << 20 < path.stat().st_size < (n_megabytes + 2) << 20
    pages, dropped = read(path)
    assert len(pages) == 150 + (n_megabytes == 50)
    assert bool(dropped) == (n_megabytes == 90)
    if not dropped:
        assert pages[0].text == page.text.encode()


def test_garbage_without_end_takes_no_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dump_module, "BLOCK", 1 << 20)
    monkeypatch.setattr(dump_module, "LARGEST_PAGE", 4 << 20)
    path = tmp_path / "dump.bz2"
    zeros = bz2.compress(bytes(30 << 20))
    path.write_bytes(bz2.compress(PLAIN) + zeros + zeros)
    tracemalloc.start()
    try:
        pages, dropped = read(path, workers=2)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 60 << 20
    assert len(pages) == 150
    assert dropped.pages.total() == 1


def test_no_reader_is_needed_that_is_not_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "dump.xml"
    path.write_bytes(PLAIN)
    monkeypatch.setitem(__import__("sys").modules, "lxml.etree", None)
    with Dump(path) as dump, pytest.raises(InputError, match=r"reading dumps needs .* 'lxml'"):
        next(dump.pages())
