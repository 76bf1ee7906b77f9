"""Compressed bytes to decompressed ones: bz2, gz and zst, one stream or many, on one core or more.

A bz2 stream begins with ten known bytes; there the bytes of a file are cut into pieces. That a
beginning is one shows when it is decompressed. What is cut off or damaged is given up to the fault
and counted; the next stream is read again.
"""

import bz2
import re
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any, NamedTuple

from isogloss.compat import require
from isogloss.wiki.streams.dropped import Dropped

# Stands where bytes are missing: not well-formed XML, and a line end that breaks off an SQL string,
# so that no page or row is ever made of two halves.
GAP = b"\n<& missing >\n"

MAGIC = {"bz2": b"BZh", "gz": b"\x1f\x8b", "zst": b"\x28\xb5\x2f\xfd"}
BZ2_BEGINS = re.compile(rb"BZh[1-9]1AY&SY")
LONGEST_BEGINNING = 10  # bytes
STEP = 1 << 18  # decompressed bytes at a time

_BLOCK_OF_LEVEL = 110_000  # bytes of a bz2 block, per level; runs of one byte make it a little more
_LARGEST_JOB = 4 << 20  # compressed bytes of one stream that are decompressed ahead
_STEPS_AHEAD = 64  # steps of one stream that are decompressed ahead


class Chunk(NamedTuple):
    """Decompressed bytes."""

    data: bytes
    stream: int  # where the compressed stream they belong to begins in the file
    n_read: int  # compressed bytes of the file that are read, up to this chunk's


def decompress(
    blocks: Iterable[bytes],
    kind: str,
    dropped: Dropped,
    *,
    offset: int = 0,
    workers: int = 1,
) -> Iterator[Chunk]:
    """Yield decompressed bytes in order, a bounded step at a time, whatever their ratio.

    Parameters
    ----------
    blocks
        Compressed bytes.
    kind
        A key of `MAGIC`.
    dropped
        Counts streams and bytes that could not be decompressed; a `GAP` stands in their place.
    offset
        Where `blocks` begin in the file; a stream begins there.
    workers
        Threads that decompress, each a bz2 stream; 1 is the caller's own.
    """
    pieces = _pieces(blocks, offset, _beginnings if kind == "bz2" else lambda _: ())
    is_ahead = workers > 1 and kind == "bz2"
    return _joined(
        _ahead(pieces, kind, workers) if is_ahead else _one_by_one(pieces, kind), dropped
    )


class _Piece(NamedTuple):
    """Compressed bytes; `begins` where a stream begins."""

    data: bytes
    offset: int
    begins: bool


def _beginnings(data: bytes) -> Iterable[int]:
    return (match.start() for match in BZ2_BEGINS.finditer(data))


def _pieces(
    blocks: Iterable[bytes], offset: int, cuts: Callable[[bytes], Iterable[int]]
) -> Iterator[_Piece]:
    """Cut compressed bytes where streams begin; a beginning may lie across two blocks."""
    rest, begins = b"", True
    for block in chain(blocks, (b"",)):  # an empty one: the end
        data = rest + block
        end = max(0, len(data) - LONGEST_BEGINNING + 1) if block else len(data)
        place = 0
        for cut in cuts(data):
            if cut >= end:
                break
            if cut > place:
                yield _Piece(data[place:cut], offset + place, begins)
            place, begins = cut, True
        if place < end:
            yield _Piece(data[place:end], offset + place, begins)
            begins = False
        rest, offset = data[end:], offset + end


class _Stream:
    """Decompress one stream, and those that follow it unannounced, piece by piece.

    The checksum of a bz2 block comes after its bytes, so those of the last block are held back:
    what a damaged block decompresses to is never text.
    """

    def __init__(self, kind: str, offset: int) -> None:
        self.offset = offset
        self.n_omitted = 0  # bytes fed that could not be decompressed
        self.is_broken = False
        self._kind = kind
        self._decoder: Any = None
        self._held: deque[bytes] = deque()
        self._n_held = self._most_held = 0

    @property
    def is_open(self) -> bool:
        """Whether the stream goes on after what was fed."""
        return not self.is_broken and self._decoder is not None and not self._decoder.eof

    def feed(self, data: bytes) -> Iterator[bytes]:
        errors = _errors(self._kind)
        while data:
            if not self.is_open and (self.is_broken or not self._begin(data)):
                self.n_omitted += len(data) if data.strip(b"\0\r\n ") else 0  # padding is none
                return
            try:
                for step in _steps(self._kind, self._decoder, data):
                    yield from self._hold(step)
            except errors:
                self.is_broken = True
                self.n_omitted += len(data)
                self._held.clear()
                return
            data = self._decoder.unused_data if self._decoder.eof else b""
            if self._decoder.eof:
                yield from self.rest()

    def rest(self) -> Iterator[bytes]:
        """Yield what was held back."""
        while self._held:
            yield self._held.popleft()
        self._n_held = 0

    def _begin(self, data: bytes) -> bool:
        if self._decoder is not None and not data.startswith(MAGIC[self._kind]):
            return False
        self._decoder = _decoder(self._kind)
        is_levelled = self._kind == "bz2" and data[3:4].isdigit()
        self._most_held = int(data[3:4]) * _BLOCK_OF_LEVEL if is_levelled else 0
        return True

    def _hold(self, step: bytes) -> Iterator[bytes]:
        self._held.append(step)
        self._n_held += len(step)
        while self._held and self._n_held - len(self._held[0]) >= self._most_held:
            self._n_held -= len(self._held[0])
            yield self._held.popleft()


def _decoder(kind: str) -> Any:
    if kind == "bz2":
        return bz2.BZ2Decompressor()
    if kind == "gz":
        return zlib.decompressobj(wbits=31)
    return _ZstDecoder()


def _errors(kind: str) -> tuple[type[Exception], ...]:
    if kind == "zst":
        return (require("zstandard", extra="zstd", why="reading .zst files").ZstdError,)
    return (OSError, zlib.error)


def _steps(kind: str, decoder: Any, data: bytes) -> Iterator[bytes]:
    """Yield what bytes decompress to, a bounded step at a time, whatever their ratio."""
    while True:
        step = decoder.decompress(data, STEP)
        if step:
            yield step
        data = decoder.unconsumed_tail if kind == "gz" else b""
        is_done = decoder.needs_input if kind != "gz" else not data and len(step) < STEP
        if decoder.eof or is_done:
            return


class _ZstDecoder:
    """zstandard's decompressor in the manner of the others: bounded steps."""

    def __init__(self) -> None:
        zstandard = require("zstandard", extra="zstd", why="reading .zst files")
        self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._waiting = memoryview(b"")

    @property
    def eof(self) -> bool:
        return self._frame.eof

    @property
    def needs_input(self) -> bool:
        return not self._waiting

    @property
    def unused_data(self) -> bytes:
        return self._frame.unused_data + bytes(self._waiting)

    def decompress(self, data: bytes, _most: int) -> bytes:
        """Return what 4 KiB of the data make: 128 MiB at the very most, mostly 16 KiB."""
        self._waiting = memoryview(data) if data else self._waiting
        part, self._waiting = self._waiting[:4096], self._waiting[4096:]
        return self._frame.decompress(part)


@dataclass
class _Group:
    """Compressed bytes to decompress at once; a beginning stream may be at work already."""

    data: bytes
    offset: int
    begins: bool
    kind: str
    job: "Future[tuple[_Stream, Iterator[bytes]]] | None" = None

    def started(self) -> tuple[_Stream, Iterator[bytes]]:
        if self.job is not None:
            return self.job.result()
        stream = _Stream(self.kind, self.offset)
        return stream, stream.feed(self.data)


def _one_by_one(pieces: Iterable[_Piece], kind: str) -> Iterator[_Group]:
    for piece in pieces:
        yield _Group(*piece, kind)


def _ahead(pieces: Iterable[_Piece], kind: str, workers: int) -> Iterator[_Group]:
    """Yield groups in order while later streams are decompressed by other threads."""
    with ThreadPoolExecutor(workers) as pool:
        waiting: deque[_Group] = deque()
        try:
            for group in _whole_streams(pieces, kind):
                if group.begins:
                    group.job = pool.submit(_head_start, group)
                waiting.append(group)
                if len(waiting) > 2 * workers:
                    yield waiting.popleft()
            while waiting:
                yield waiting.popleft()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _whole_streams(pieces: Iterable[_Piece], kind: str) -> Iterator[_Group]:
    """Join the pieces of a stream; the rest of a very large one follows piece by piece."""
    parts: list[bytes] = []
    offset, n_bytes = 0, 0
    for piece in pieces:
        if parts and (piece.begins or n_bytes > _LARGEST_JOB):
            yield _Group(b"".join(parts), offset, True, kind)
            parts, n_bytes = [], 0
        if piece.begins:
            offset = piece.offset
        if piece.begins or parts:
            parts.append(piece.data)
            n_bytes += len(piece.data)
        else:
            yield _Group(*piece, kind)
    if parts:
        yield _Group(b"".join(parts), offset, True, kind)


def _head_start(group: _Group) -> tuple[_Stream, Iterator[bytes]]:
    stream = _Stream(group.kind, group.offset)
    steps = stream.feed(group.data)
    return stream, chain(list(islice(steps, _STEPS_AHEAD)), steps)


def _joined(groups: Iterable[_Group], dropped: Dropped) -> Iterator[Chunk]:
    stream: _Stream | None = None
    for group in groups:
        if stream is None or group.begins:
            fresh, steps = group.started()
            first = next(steps, b"")
            if stream is not None and stream.is_open and fresh.is_broken and not first:
                steps = stream.feed(group.data)  # no beginning: ten bytes of data that look so
            else:
                yield from _closed(stream, dropped, group.offset)
                stream, steps = fresh, chain((first,) if first else (), steps)
        else:
            steps = stream.feed(group.data)
        for step in steps:
            if step:
                yield Chunk(step, stream.offset, group.offset + len(group.data))
    yield from _closed(stream, dropped, 0)


def _closed(stream: _Stream | None, dropped: Dropped, n_read: int) -> Iterator[Chunk]:
    if stream is not None:
        for step in stream.rest():
            yield Chunk(step, stream.offset, n_read)
        dropped.n_bytes += stream.n_omitted
        if stream.is_open or stream.is_broken:
            dropped.n_streams += 1
            yield Chunk(GAP, stream.offset, n_read)
