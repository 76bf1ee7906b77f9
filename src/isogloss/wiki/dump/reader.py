"""A dump open for reading: its wiki, and its pages in blocks that can be worked on apart.

A block is a few MB of whole ``<page>`` elements. Where blocks are cut depends on the dump's text
alone, not on its compression or the number of workers. Each tells where to go on after it, so that
a stopped reader need not begin again.
"""

import codecs
import re
from collections import deque
from collections.abc import Collection, Generator, Iterator
from itertools import chain
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from isogloss.data.lines import STANDARD_INPUT
from isogloss.errors import InputError, warn_omitted
from isogloss.wiki.dump.pages import BEGINNING_OF_PAGE, END_OF_DUMP, END_OF_PAGE, Page, parse_pages
from isogloss.wiki.site import Site, declared_language
from isogloss.wiki.streams.decompression import GAP, Chunk
from isogloss.wiki.streams.dropped import Dropped
from isogloss.wiki.streams.streams import bytes_shown, read_chunks

BLOCK = 4 << 20  # bytes; a block ends with the page that reaches it
LARGEST_PAGE = 64 << 20  # bytes; a larger page is skipped and counted

_HEAD_BYTES = 1 << 20  # of what stands before the first page; siteinfo takes a few KB
_TAIL = 64  # of it that are kept: the end of the dump may be among them
_LOOK = 1 << 16  # bytes in which a dump shows that it is one
_DECLARED = re.compile(rb"\s*<\?xml[^>]*\bencoding=[\"']([\w.-]+)[\"']")
_UTF16 = {
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
    b"<\0": "utf-16-le",
    b"\0<": "utf-16-be",
}
_OTHER_FILES = (
    (re.compile(rb"\s*<(!doctype\s+)?html", re.I), "a web page: the download failed; repeat it"),
    (re.compile(rb"\s*(--|/\*!|INSERT INTO|CREATE TABLE)"), "an SQL table, not a dump of pages"),
    (re.compile(rb"\s*(\[\s*)?\{"), "JSON, as Wikidata's entities are, not a dump of pages"),
)


class Position(NamedTuple):
    """A place in a dump to resume from: bytes after the beginning of a compressed stream."""

    stream: int
    n_bytes: int


class Block(NamedTuple):
    """Whole pages, and what stands between them (the last may be cut off)."""

    data: bytes
    end: Position  # where to go on after it


class Dump:
    """A dump of a wiki's pages, read once from its beginning or a position.

    Parameters
    ----------
    path
        XML of ``pages-articles``: plain, bz2, gz, zst; ``Path("-")`` is standard input.
    language
        Language of the wiki; None: the dump's own word.
    workers
        Threads that decompress a bz2 dump of many streams.
    start
        `Block.end` of the last block that is done with; None: the beginning.

    Attributes
    ----------
    site
        The wiki. Where the dump does not describe it: what is known of the language.
    dropped
        What could not be read so far, but for pages within blocks (`parse_pages` counts them).

    Raises
    ------
    InputError
        When the file is missing, holds no page, or is no dump.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "dump.xml"
    >>> _ = path.write_text("<mediawiki><page><title>A</title><id>1</id></page></mediawiki>")
    >>> with Dump(path, language="en") as dump:
    ...     [page.title for page in dump.pages()]
    ['A']
    """

    def __init__(
        self,
        path: Path,
        *,
        language: str | None = None,
        workers: int = 1,
        start: Position | None = None,
    ) -> None:
        if start is not None and path == STANDARD_INPUT:
            raise InputError("standard input cannot be read again; give a file")
        self.path = path
        self.dropped = Dropped()
        self._cutter = _Cutter(read_chunks(path, self.dropped, workers=workers), path)
        try:
            head = self._cutter.head()
        except InputError:
            self.close()
            raise
        self.site = _site(head, language)
        if start is not None:
            self.close()
            self.dropped = Dropped()
            chunks = read_chunks(path, self.dropped, workers=workers, start=start.stream)
            self._cutter = _Cutter(chunks, path, skip=start)

    def blocks(self) -> Iterator[Block]:
        """Yield the rest of the dump in blocks; progress is shown in bytes of the file."""
        cutter = self._cutter
        with bytes_shown(self.path) as advance:
            for block in cutter.blocks():
                advance(cutter.n_read)
                yield block
        self.dropped.pages += cutter.dropped.pages
        self.dropped.ends_early |= cutter.dropped.ends_early
        self.close()

    @property
    def n_read(self) -> int:
        """Bytes of the file that were read so far."""
        return self._cutter.n_read

    def pages(self, *, namespaces: Collection[int] | None = None) -> Iterator[Page]:
        """Yield the rest of the dump page by page; warns at the end of what was lost.

        Takes what `parse_pages` does.
        """
        for block in self.blocks():
            parsed = parse_pages(block.data, self.site, namespaces=namespaces)
            self.dropped.pages += parsed.dropped
            yield from parsed.pages
        if self.dropped:
            warn_omitted(f"{self.path}: {self.dropped}")

    def close(self) -> None:
        """Stop the threads that read ahead."""
        self._cutter.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self.close()


def _site(head: bytes, language: str | None) -> Site:
    try:
        return Site.of_siteinfo(head, language)
    except ValueError:
        return Site.default(language or declared_language(head))


class _Cutter:
    """Cut a dump's text into its head and blocks, and know where in the file each ends."""

    def __init__(self, chunks: Iterator[Chunk], path: Path, skip: Position | None = None) -> None:
        self.n_read = 0
        self.dropped = Dropped()
        self._path = path
        self._source = chunks
        self._chunks = _as_utf8(chunks, path)
        self._buffer = bytearray()
        self._first = 0  # place of the buffer's first byte in the text
        self._marks: deque[tuple[int, Position]] = deque()  # where chunks begin in the text
        if skip is not None:
            while self._first < skip.n_bytes and self._fill():
                self._drop(min(len(self._buffer), skip.n_bytes - self._first))

    def close(self) -> None:
        if isinstance(self._source, Generator):
            self._source.close()

    def head(self) -> bytes:
        """Return what stands before the first page, and drop it."""
        looked = False
        head = b""
        while (found := BEGINNING_OF_PAGE.search(self._buffer)) is None and self._fill():
            if not looked and len(self._buffer) > _LOOK:
                looked = self._look()
            if len(self._buffer) > _HEAD_BYTES:
                head = head or bytes(self._buffer)
                self._drop(len(self._buffer) - _TAIL)
        if not looked and not head:
            self._look()
        if found is not None:
            head = head or bytes(self._buffer[: found.start()])
            self._drop(found.start())
        elif END_OF_DUMP not in self._buffer:
            raise InputError("ends before its first page; download it again", path=self._path)
        else:  # a wiki without pages
            head = head or bytes(self._buffer)
            self._drop(self._buffer.find(END_OF_DUMP))
        return head

    def blocks(self) -> Iterator[Block]:
        while end := self._end_of_block():
            yield self._block(end)
        rest = self._buffer.rstrip().removesuffix(GAP.strip()).rstrip()
        self.dropped.ends_early = rest.rfind(END_OF_DUMP) <= rest.rfind(b"<page")
        if rest.removesuffix(END_OF_DUMP).strip():
            yield self._block(len(rest))

    def _block(self, end: int) -> Block:
        data = bytes(self._buffer[:end])
        self._drop(end)
        return Block(data, self._position())

    def _end_of_block(self) -> int:
        """Return where the next block ends in the buffer, or 0 at the end of the dump."""
        searched, limit = BLOCK - len(END_OF_PAGE), BLOCK + LARGEST_PAGE
        while True:
            found = self._buffer.find(END_OF_PAGE, searched, limit)
            if found >= 0:
                return found + len(END_OF_PAGE)
            if len(self._buffer) >= limit:
                whole = self._buffer.rfind(END_OF_PAGE, 0, BLOCK)
                if whole >= 0:
                    return whole + len(END_OF_PAGE)
                self._skip_page()
                searched = BLOCK - len(END_OF_PAGE)
                continue
            searched = max(searched, len(self._buffer) - len(END_OF_PAGE) + 1)
            if not self._fill():
                return 0

    def _skip_page(self) -> None:
        self.dropped.pages[f"larger than {LARGEST_PAGE >> 20} MiB"] += 1
        while (found := self._buffer.find(END_OF_PAGE)) < 0:
            self._drop(max(0, len(self._buffer) - len(END_OF_PAGE) + 1))
            if not self._fill():
                return self._drop(len(self._buffer))
        return self._drop(found + len(END_OF_PAGE))

    def _fill(self) -> bool:
        chunk = next(self._chunks, None)
        if chunk is None:
            return False
        end = self._first + len(self._buffer)
        if not self._marks:
            self._origin = chunk.stream
        if chunk.stream == self._origin:  # where the text began
            self._marks.append((end, Position(chunk.stream, end)))
        elif chunk.stream != self._marks[-1][1].stream:
            self._marks.append((end, Position(chunk.stream, 0)))
        self._buffer += chunk.data
        self.n_read = max(self.n_read, chunk.n_read)
        return True

    def _drop(self, n_bytes: int) -> None:
        del self._buffer[:n_bytes]
        self._first += n_bytes
        while len(self._marks) > 1 and self._marks[1][0] <= self._first:
            self._marks.popleft()

    def _position(self) -> Position:
        place, position = self._marks[0]
        return position._replace(n_bytes=position.n_bytes + self._first - place)

    def _look(self) -> bool:
        start = bytes(self._buffer[:_LOOK]).replace(GAP, b"")
        if b"<mediawiki" in start or BEGINNING_OF_PAGE.search(start):
            return True
        if not start.strip():
            raise InputError("holds nothing that can be read; download it again", path=self._path)
        what = next((name for kind, name in _OTHER_FILES if kind.match(start)), None)
        advice = "give the XML of pages-articles"
        raise InputError(
            f"is {what}; {advice}" if what else f"is not a MediaWiki dump; {advice}",
            path=self._path,
        )


def _as_utf8(chunks: Iterator[Chunk], path: Path) -> Iterator[Chunk]:
    """Yield the text as UTF-8; what is not legal UTF-16 becomes what is not legal UTF-8."""
    first = next(chunks, None)
    if first is None:
        return
    encoding = next((name for mark, name in _UTF16.items() if first.data.startswith(mark)), None)
    if encoding is not None:
        decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
        for chunk in chain((first,), chunks):
            if chunk.data == GAP:
                decoder.reset()
                yield Chunk(GAP, first.stream, chunk.n_read)
                continue
            data = decoder.decode(chunk.data).encode("utf-8", "surrogatepass")
            yield Chunk(data.removeprefix(codecs.BOM_UTF8), first.stream, chunk.n_read)
        return
    declared = _DECLARED.match(first.data)
    if declared and declared[1].lower() not in (b"utf-8", b"utf8", b"us-ascii"):
        name = declared[1].decode()
        raise InputError(
            f"is declared as {name}; convert it: iconv -f {name} -t UTF-8, without its first line",
            path=path,
        )
    yield first._replace(data=first.data.removeprefix(codecs.BOM_UTF8))
    yield from chunks
