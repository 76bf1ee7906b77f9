"""The bytes of a dump, read and decompressed by threads of their own.

bz2 (one stream or many), gz, zst, plain files and standard input; what a file is shows in its first
bytes, not in its name. A bz2 dump of many streams ("multistream") is decompressed on several cores.
"""

from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from queue import SimpleQueue
from threading import Semaphore
from typing import BinaryIO, TypeVar

from isogloss.data.lines import STANDARD_INPUT, standard_input
from isogloss.errors import InputError
from isogloss.progress import activity, progress
from isogloss.wiki.streams.decompression import (
    BZ2_BEGINS,
    MAGIC,
    Chunk,
    decompress,
)
from isogloss.wiki.streams.dropped import Dropped

_READ = 1 << 20  # bytes of the file read at a time
_QUEUED = 8  # chunks that wait for their reader
_UNREAD = {
    b"7z\xbc\xaf": ("a 7z archive", "7z e -so"),
    b"\xfd7zX": ("an xz file", "xz -dc"),
    b"PK\x03\x04": ("a zip archive", "unzip -p"),
}
_Item = TypeVar("_Item")


def read_chunks(
    path: Path,
    dropped: Dropped,
    *,
    workers: int = 1,
    start: int = 0,
) -> Iterator[Chunk]:
    """Yield a file's decompressed bytes in order, the same for any number of workers.

    A thread reads and decompresses ahead of the caller; with more workers, as many bz2 streams at
    a time. Memory: 2 MiB, and about 20 MiB for each worker beyond the first.

    Parameters
    ----------
    path
        The file; ``Path("-")`` is standard input.
    dropped
        Counts streams and bytes that could not be decompressed; a `GAP` stands in their place.
    workers
        Threads that decompress.
    start
        Byte of the file to start from: the beginning of a stream (`Chunk.stream`).

    Raises
    ------
    InputError
        When the file is missing, unreadable, of another kind, or holds nothing to decompress.
    """
    with _opened(path) as file:
        if start:
            _seek(file, start, path)
        blocks = _blocks(file, path)
        first = next(blocks, b"")
        if not first:
            raise InputError("is empty; download it again", path=path)
        kind = _kind(first, path)
        blocks = chain((first,), blocks)
        if kind == "plain":
            chunks = _plain(blocks, start)
        else:
            chunks = decompress(blocks, kind, dropped, offset=start, workers=workers)
        yield from _in_thread(chunks)


@contextmanager
def bytes_shown(path: Path) -> Iterator[Callable[[int], None]]:
    """Show progress in bytes of the file; yield a function that takes those read so far."""
    size = path.stat().st_size if path != STANDARD_INPUT and path.is_file() else 0
    done = 0
    name = "standard input" if path == STANDARD_INPUT else path.name
    if not size:  # standard input, a pipe: nobody knows how much will come
        with activity(f"reading {name}"):
            yield lambda _: None
        return
    with progress(f"reading {name}", size, "bytes") as advance:

        def reached(n_read: int) -> None:
            nonlocal done
            if n_read > done:
                advance(n_read - done)
                done = n_read

        yield reached
        reached(size)


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    if path == STANDARD_INPUT:
        yield standard_input()
        return
    try:
        file = path.open("rb")
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot be opened: {reason}; check its name", path=path) from error
    with file:
        yield file


def _seek(file: BinaryIO, start: int, path: Path) -> None:
    if not file.seekable():
        raise InputError("a pipe cannot be read from its middle; give a file", path=path)
    file.seek(start)


def _blocks(file: BinaryIO, path: Path) -> Iterator[bytes]:
    try:
        while block := file.read(_READ):
            yield block
    except OSError as error:
        reason = error.strerror or error
        raise InputError(f"cannot be read: {reason}; check the disk", path=path) from error


def _kind(first: bytes, path: Path) -> str:
    for magic, (what, command) in _UNREAD.items():
        if first.startswith(magic):
            raise InputError(
                f"is {what}, which is not read; unpack it: {command} FILE | isogloss ... -",
                path=path,
            )
    for kind, magic in MAGIC.items():
        if first.startswith(magic):
            return kind
    if first[1:4] == b"*M\x18":  # a skippable frame, as pzstd writes it first
        return "zst"
    # The first bytes are damaged: text would not look like this, and streams may follow.
    is_binary = first[:1] not in b"<\xef\xff\xfe \t\r\n-/" and path.suffix == ".bz2"
    return "bz2" if is_binary and BZ2_BEGINS.search(first) else "plain"


def _plain(blocks: Iterable[bytes], start: int) -> Iterator[Chunk]:
    n_read = start
    for block in blocks:
        n_read += len(block)
        yield Chunk(block, start, n_read)


def _in_thread(items: Iterator[_Item]) -> Generator[_Item]:
    """Yield items that another thread makes ahead, a few at most."""
    ready: SimpleQueue[list[_Item]] = SimpleQueue()  # an empty list: the end
    room = Semaphore(_QUEUED)
    is_stopped = False

    def make() -> None:
        try:
            for item in items:
                ready.put([item])
                room.acquire()
                if is_stopped:
                    break
        finally:
            if isinstance(items, Generator):
                items.close()
            ready.put([])

    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(make)
        try:
            while item := ready.get():
                yield item[0]
                room.release()
            made.result()
        finally:
            is_stopped = True
            room.release()
