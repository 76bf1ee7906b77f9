"""A Wikidata dump in blocks of whole lines, each with the place to resume from after it."""

import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from isogloss.data.lines import STANDARD_INPUT
from isogloss.errors import InputError
from isogloss.wiki.streams.dropped import Dropped
from isogloss.wiki.streams.streams import bytes_shown, read_chunks

BLOCK = 4 << 20  # bytes; a block ends with the line that reaches it
LONGEST_LINE = 64 << 20  # bytes; a longer line is left out and counted


class Place(NamedTuple):
    """Where to go on in a dump.

    Parameters
    ----------
    stream
        Byte of the file at which a compressed stream begins.
    n_bytes
        Decompressed bytes after that.
    checksum
        CRC-32 of all text up to here, of standard input; 0 for files, which are known otherwise.
    may_end
        Whether nothing need follow: no comma stands before it.
    """

    stream: int = 0
    n_bytes: int = 0
    checksum: int = 0
    may_end: bool = False


BEGINNING = Place()


class LineBlock(NamedTuple):
    """Whole lines, the place after them, and how many lines before its end were too long."""

    data: bytes
    end: Place
    n_too_long: int


@dataclass
class DumpLines:
    """Reads the lines of a dump from a place on.

    Parameters
    ----------
    path
        Plain, bz2, gz or zst; ``Path("-")`` is standard input.
    workers
        Threads that decompress a bz2 dump of many streams.
    start
        Where to start: `LineBlock.end` of the last block done with.

    Attributes
    ----------
    dropped
        What could not be decompressed; after the last block also whether the end is missing.
    """

    path: Path
    workers: int = 1
    start: Place = BEGINNING
    dropped: Dropped = field(default_factory=Dropped)

    def blocks(self) -> Iterator[LineBlock]:
        """Yield the blocks; progress is shown in bytes of the file.

        Raises
        ------
        InputError
            When the file cannot be read, or standard input is not what it was.
        """
        is_piped = self.path == STANDARD_INPUT
        first = Place(0 if is_piped else self.start.stream, may_end=self.start.may_end)
        buffer = _Buffer(first, is_piped=is_piped)
        chunks = read_chunks(self.path, self.dropped, workers=self.workers, start=first.stream)
        with bytes_shown(self.path) as advance:
            for chunk in chunks:
                advance(chunk.n_read)
                buffer.append(chunk.data, chunk.stream)
                if self._skip(buffer):
                    yield from buffer.blocks()
        if not buffer.is_started:
            raise InputError("ends before the place it was read up to", path=self.path)
        yield from buffer.rest()
        self.dropped.ends_early = not buffer.place.may_end

    def _skip(self, buffer: "_Buffer") -> bool:
        """Drop what was read in an earlier run; whether the start is reached."""
        if buffer.is_started:
            return True
        buffer.take(min(len(buffer), self.start.n_bytes - buffer.place.n_bytes))
        if buffer.place.n_bytes < self.start.n_bytes:
            return False
        buffer.is_started = True
        if buffer.place.checksum != self.start.checksum:
            raise InputError(
                "standard input is not what it was when the build was interrupted; pipe the same"
            )
        return True


class _Buffer:
    """Text that waits to be cut, and where it begins."""

    def __init__(self, place: Place, *, is_piped: bool) -> None:
        self.place = place
        self.is_started = False
        self._is_piped = is_piped
        self._data = bytearray()
        self._searched = 0
        self._streams: list[tuple[int, int]] = []  # bytes of the buffer before one, its beginning
        self._n_too_long = 0
        self._is_too_long = False  # what comes is the rest of a line that is left out

    def __len__(self) -> int:
        return len(self._data)

    def append(self, data: bytes, stream: int) -> None:
        known = self._streams[-1][1] if self._streams else self.place.stream
        if stream != known and not self._is_piped:
            self._streams.append((len(self._data), stream))
        self._data += data

    def blocks(self) -> Iterator[LineBlock]:
        """Cut off blocks as long as there are some."""
        while end := self._data.find(b"\n", max(self._searched, BLOCK - 1)) + 1:
            yield self._block(end)
        self._searched = len(self._data)
        if len(self._data) > LONGEST_LINE:
            whole = self._data.rfind(b"\n", 0, BLOCK) + 1
            if whole:
                yield self._block(whole)
            self._n_too_long += not self._is_too_long
            self._is_too_long = True
            self.take(len(self._data))

    def rest(self) -> Iterator[LineBlock]:
        """Cut off what there is at the end of the dump."""
        if self._data or self._n_too_long:
            yield self._block(len(self._data))
        if self._is_too_long:
            self.place = self.place._replace(may_end=False)

    def _block(self, end: int) -> LineBlock:
        data = self.take(end)
        if self._is_too_long:
            _, newline, data = data.partition(b"\n")
            self._is_too_long = not newline
        if last := data.rstrip()[-1:]:
            self.place = self.place._replace(may_end=last in b"}]")
        block = LineBlock(data, self.place, self._n_too_long)
        self._n_too_long = 0
        return block

    def take(self, n_bytes: int) -> bytes:
        """Return the first bytes and drop them."""
        with memoryview(self._data) as view:
            data = bytes(view[:n_bytes])
        del self._data[:n_bytes]
        self._searched = 0
        stream, before, checksum, may_end = self.place
        before += n_bytes
        while self._streams and self._streams[0][0] <= n_bytes:
            offset, stream = self._streams.pop(0)
            before = n_bytes - offset
        self._streams = [(offset - n_bytes, begins) for offset, begins in self._streams]
        if self._is_piped:
            checksum = zlib.crc32(data, checksum)
        self.place = Place(stream, before, checksum, may_end)
        return data
