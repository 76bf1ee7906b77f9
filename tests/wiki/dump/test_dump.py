"""Blocks and pages of a dump: the same however it is compressed, wherever one goes on."""

import bz2
import gzip
import io
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from written_dumps import HEAD, TAIL, Written, dump_of, multistream, some_pages

from isogloss.errors import InputError
from isogloss.wiki.dump import reader as dump_module
from isogloss.wiki.dump.pages import Page, parse_pages
from isogloss.wiki.dump.reader import Block, Dump
from isogloss.wiki.site import Site

PAGES = some_pages(120)
EXPECTED = [(page.id, page.title, page.redirect) for page in PAGES]


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dump_module, "BLOCK", 20_000)


def read(path: Path, **options: object) -> list[Page]:
    with Dump(path, **options) as dump:
        return list(dump.pages())


def told(pages: list[Page]) -> list[tuple[int, str, str | None]]:
    return [(page.id, page.title, page.redirect) for page in pages]


def write(folder: Path, data: bytes, name: str = "dump.xml") -> Path:
    path = folder / name
    path.write_bytes(data)
    return path


def test_a_page_is_what_was_written(tmp_path: Path) -> None:
    pages = [
        Written(1, "Порт", "'''Порт''' & <ref>[[Море|морски]]</ref>\n\n港 😀"),
        Written(2, "Пристанище", "#виж [[Порт]]", redirect="Порт & море"),
        Written(3, "Модул:А", "return 1", namespace=828, model="Scribunto"),
        Written(4, "Категория:Море", "[[Категория:Б]]", namespace=14),
        Written(5, "Празна", ""),
    ]
    got = read(write(tmp_path, dump_of(pages)))
    assert got == [
        Page(1, 0, "Порт", None, "wikitext", pages[0].text.encode()),
        Page(2, 0, "Пристанище", "Порт & море", "wikitext", b""),
        Page(3, 828, "Модул:А", None, "Scribunto", b""),
        Page(4, 14, "Категория:Море", None, "wikitext", "[[Категория:Б]]".encode()),
        Page(5, 0, "Празна", None, "wikitext", b""),
    ]
    path = write(tmp_path, dump_of(pages))
    with Dump(path) as dump:
        texts = {page.namespace: page.text for page in dump.pages(namespaces={14})}
    assert texts[0] == b""
    assert texts[14] == "[[Категория:Б]]".encode()


def test_the_wiki_describes_itself(tmp_path: Path) -> None:
    path = write(tmp_path, dump_of(PAGES[:2]))
    with Dump(path) as dump:
        assert (dump.site.name, dump.site.language) == ("bgwiki", "bg")
        assert dump.site.title("файл:a") == "Файл:A"
    with Dump(path, language="de") as dump:
        assert dump.site.language == "de"
        assert dump.site.title("datei:a") == "Файл:A"


def test_a_dump_without_siteinfo(tmp_path: Path) -> None:
    data = dump_of(PAGES[:2]).decode()
    bare = data[: data.index("  <siteinfo>")] + data[data.index("</siteinfo>") + 11 :]
    path = write(tmp_path, bare.encode())
    assert told(read(path)) == EXPECTED[:2]
    with Dump(path) as dump:
        assert dump.site == Site.default("bg")
    with Dump(path, language="ka") as dump:
        assert dump.site == Site.default("ka")
    assert told(read(write(tmp_path, PAGES[0].xml.encode() + b"</mediawiki>"))) == EXPECTED[:1]


def test_a_wiki_without_pages(tmp_path: Path) -> None:
    path = write(tmp_path, (HEAD + TAIL).encode())
    with Dump(path) as dump:
        assert list(dump.blocks()) == []
        assert not dump.dropped
        assert dump.site.name == "bgwiki"


def test_old_dumps_lack_namespaces_and_targets() -> None:
    """Schemas before 0.6 (2012)."""
    block = (
        "<page><title>Файл:A</title><id>1</id><revision><text>x</text></revision></page>"
        "<page><title>B</title><id>2</id><redirect /><revision><text>#REDIRECT [[файл:a_b#c|d]]"
        "</text></revision></page><page><title>C</title><id>3</id><redirect /></page>"
    )
    pages, dropped = parse_pages(block.encode(), Site.of_siteinfo(HEAD.encode()))
    assert [(page.namespace, page.redirect) for page in pages] == [
        (6, None), (0, "Файл:A b"), (0, ""),
    ]  # fmt: skip
    assert not dropped


def test_the_latest_of_many_revisions_is_read() -> None:
    block = (
        b"<page><title>A</title><ns>0</ns><id>1</id>"
        b"<revision><id>1</id><model>wikitext</model><text>old</text></revision>"
        b"<revision><id>2</id><model>json</model><text>{}</text></revision>"
        b"<revision><id>3</id><text>new</text></revision></page>"
    )
    assert [page.text for page in parse_pages(block, Site.default("en")).pages] == [b"new"]


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("how", ["plain", "gz", "zst", "bz2", "streams", "two workers"])
def test_blocks_are_the_same_in_any_form(tmp_path: Path, how: str) -> None:
    plain = dump_of(PAGES)
    with Dump(write(tmp_path, plain)) as dump:
        expected = [block.data for block in dump.blocks()]
    data, _ = multistream(PAGES, a_stream=3)
    if how == "zst":
        data = pytest.importorskip("zstandard").compress(plain)
    data = {"plain": plain, "gz": gzip.compress(plain), "bz2": bz2.compress(plain, 1)}.get(
        how, data
    )
    workers = 2 if how == "two workers" else 1
    with Dump(write(tmp_path, data, "a dump"), workers=workers) as dump:
        blocks = [block.data for block in dump.blocks()]
    joined = b"".join(blocks)
    assert plain[plain.index(b"<page>") :].startswith(joined)
    assert blocks == expected
    assert len(blocks) > 10
    pages = [page for block in blocks for page in parse_pages(block, dump.site).pages]
    assert told(pages) == EXPECTED
    assert [page.text.decode() for page in pages if not page.redirect] == [
        page.text for page in PAGES if not page.redirect
    ]
    assert not dump.dropped


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("how", ["plain", "gz", "bz2", "streams", "torn streams", "utf-16"])
def test_reading_goes_on_after_any_block(tmp_path: Path, how: str) -> None:
    plain = dump_of(PAGES)
    torn = [plain[i : i + 13_001] for i in range(0, len(plain), 13_001)]
    data = {
        "plain": plain,
        "gz": gzip.compress(plain),
        "bz2": bz2.compress(plain),
        "streams": b"".join(map(bz2.compress, plain.partition(b"  <page>"))),
        "torn streams": b"".join(map(bz2.compress, torn)),
        "utf-16": plain.decode().encode("utf-16"),
    }[how]
    path = write(tmp_path, data)
    with Dump(path) as dump:
        blocks = list(dump.blocks())
    assert len(blocks) > 10
    for number in (0, 1, 5, len(blocks) - 2, len(blocks) - 1):
        with Dump(path, start=blocks[number].end, workers=2) as dump:
            assert list(dump.blocks()) == blocks[number + 1 :]
            assert dump.site.name == "bgwiki"
    if how == "torn streams":
        assert blocks[5].end.stream > 0  # it need not read from the beginning


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    data = bz2.compress(dump_of(PAGES))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert told(read(Path("-"), workers=2)) == EXPECTED
    with pytest.raises(InputError, match="standard input cannot be read again; give a file"):
        Dump(Path("-"), start=Block(b"", (0, 5)).end)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    text = '<?xml version="1.0"?>\n' + dump_of(PAGES).decode()
    assert told(read(write(tmp_path, text.encode(encoding)))) == EXPECTED


def test_dumps_that_were_joined(tmp_path: Path) -> None:
    data = dump_of(PAGES[:20]) + b'<?xml version="1.0"?>' + dump_of(PAGES[20:])
    assert told(read(write(tmp_path, data))) == EXPECTED


def test_progress_is_in_bytes_of_the_compressed_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, bz2.compress(dump_of(PAGES)), "x.bz2")
    said: list[object] = []

    @contextmanager
    def shown(*about: object) -> Iterator[Callable[[int], None]]:
        said.append(about)
        yield said.append

    monkeypatch.setattr("isogloss.wiki.streams.streams.progress", shown)
    assert len(read(path)) == len(PAGES)
    assert said[0] == ("reading x.bz2", path.stat().st_size, "bytes")
    assert sum(said[1:]) == path.stat().st_size


def test_the_threads_end_with_the_dump(tmp_path: Path) -> None:
    path = write(tmp_path, bz2.compress(dump_of(some_pages(500))))
    before = threading.active_count()
    with Dump(path, workers=2) as dump:
        next(dump.blocks())
    assert threading.active_count() == before
