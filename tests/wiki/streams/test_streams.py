"""Decompression: by what a file holds, on one core or two, in bounded memory, losses counted."""

import bz2
import gzip
import io
import lzma
import random
import sys
import threading
import tracemalloc
from itertools import islice
from pathlib import Path

import pytest
from written_dumps import multistream, some_pages

from isogloss.errors import InputError
from isogloss.wiki.streams import decompression
from isogloss.wiki.streams.decompression import GAP, decompress
from isogloss.wiki.streams.dropped import Dropped
from isogloss.wiki.streams.streams import bytes_shown, read_chunks

zstandard = pytest.importorskip("zstandard")

RNG = random.Random(0)
TEXT = "".join(f"порт {RNG.random()} 港\n" for _ in range(15_000)).encode()
THIRDS = [TEXT[:200_000], TEXT[200_000:400_000], TEXT[400_000:]]


def bzip2(data: bytes) -> bytes:
    return bz2.compress(data, 1)  # blocks of 100 kB, several in TEXT


def zstd(data: bytes) -> bytes:
    return zstandard.ZstdCompressor(write_checksum=True).compress(data)


def read(path: Path, dropped: Dropped | None = None, **options: object) -> bytes:
    return b"".join(
        c.data for c in read_chunks(path, Dropped() if dropped is None else dropped, **options)
    )


COMPRESSED = {
    "plain": TEXT,
    "bz2": bzip2(TEXT),
    "bz2 streams": b"".join(map(bzip2, THIRDS)),
    "bz2 with an empty stream": bz2.compress(b"") + bzip2(TEXT),
    "gz": gzip.compress(TEXT),
    "gz members": b"".join(map(gzip.compress, THIRDS)),
    "gz padded": gzip.compress(TEXT) + bytes(512),
    "zst": zstd(TEXT),
    "zst frames": b"".join(map(zstd, THIRDS)),
    "zst with a skippable frame": b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstd(TEXT),
}


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", COMPRESSED)
def test_what_a_file_is_shows_in_its_bytes(tmp_path: Path, kind: str, workers: int) -> None:
    path, dropped = tmp_path / "dump.xml.7z", Dropped()
    path.write_bytes(COMPRESSED[kind])
    assert read(path, dropped, workers=workers) == TEXT
    assert not dropped
    assert str(dropped) == "nothing lost"


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(COMPRESSED["bz2"])))
    assert read(Path("-")) == TEXT
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(COMPRESSED["bz2 streams"])))
    assert read(Path("-"), workers=2) == TEXT


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"7z\xbc\xaf\x27\x1c123", "7z archive, which is not read; unpack it: 7z e -so FILE |"),
        (lzma.compress(b"x"), "an xz file"),
        (b"PK\x03\x04", "a zip archive"),
    ],
)
def test_what_is_not_read(tmp_path: Path, data: bytes, said: str) -> None:
    path = tmp_path / "dump.xml.bz2"
    path.write_bytes(data)
    with pytest.raises(InputError, match=said):
        read(path)


def test_no_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dump\.xml: cannot be opened: No such file"):
        read(tmp_path / "dump.xml")
    with pytest.raises(InputError, match="cannot be opened: Is a directory"):
        read(tmp_path)


@pytest.mark.parametrize("workers", [1, 2])
def test_streams_are_found(tmp_path: Path, workers: int) -> None:
    data, index = multistream(some_pages(60), a_stream=7)
    path = tmp_path / "dump.bz2"
    path.write_bytes(data)
    dropped = Dropped()
    chunks = list(read_chunks(path, dropped, workers=workers))
    assert b"".join(chunk.data for chunk in chunks) == bz2.decompress(data)
    beginnings = {int(line.split(b":")[0]) for line in index.splitlines()}
    assert beginnings <= {chunk.stream for chunk in chunks}
    assert len(data) - 10 <= chunks[-1].n_read <= len(data)
    assert not dropped


@pytest.mark.parametrize("workers", [1, 2])
def test_a_beginning_that_is_none_is_read_over(
    tmp_path: Path, workers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    data, index = multistream(some_pages(40))
    path, place = tmp_path / "dump.bz2", int(index.split(b":")[0])
    path.write_bytes(data)
    found = decompression._beginnings

    def more(block: bytes) -> list[int]:  # what looks like a beginning, in the middle of a stream
        return sorted([*found(block), place + 99])

    monkeypatch.setattr(decompression, "_beginnings", more)
    dropped = Dropped()
    assert read(path, dropped, workers=workers) == bz2.decompress(data)
    assert not dropped


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", [kind for kind in COMPRESSED if kind != "plain"])
def test_a_cut_off_stream_gives_what_it_holds(tmp_path: Path, kind: str, workers: int) -> None:
    path = tmp_path / "dump"
    for share in range(1, 20):
        whole = COMPRESSED[kind].rstrip(b"\0")
        path.write_bytes(whole[: len(whole) * share // 20])
        dropped = Dropped()
        data = read(path, dropped, workers=workers)
        if dropped:
            assert dropped.n_streams == 1
            assert data.endswith(GAP)
        assert TEXT.startswith(data.removesuffix(GAP))
        n_least = len(TEXT) * (share - 1) // 20 - 200_000  # a bz2 block, or zst's
        assert len(data) > n_least


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", [kind for kind in COMPRESSED if kind != "plain"])
def test_flipped_bytes(tmp_path: Path, kind: str, workers: int) -> None:
    """What is read is the text up to the fault, and from the next stream on; nothing else.

    The only checksum of gz and zst comes at the end of a stream: there, a fault shows, not where.
    """
    path, rng = tmp_path / "dump.bz2", random.Random(kind)
    for _ in range(8):
        data = bytearray(COMPRESSED[kind].rstrip(b"\0"))
        data[rng.randrange(4, len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        dropped = Dropped()
        parts = read(path, dropped, workers=workers).split(GAP)
        assert not kind.startswith("bz2") or all(part in TEXT for part in parts)
        if kind == "bz2 streams":
            assert sum(third in b"".join(parts) for third in THIRDS) >= 2
        assert dropped or parts == [TEXT]


def test_a_damaged_beginning_costs_its_stream_alone(tmp_path: Path) -> None:
    path, data = tmp_path / "dump.bz2", bytearray(COMPRESSED["bz2 streams"])
    data[0] = 0
    path.write_bytes(data)
    dropped = Dropped()
    assert read(path, dropped) == GAP + THIRDS[1] + THIRDS[2]
    assert str(dropped).startswith("lost: 1 compressed stream cut off or damaged (")


@pytest.mark.parametrize("kind", ["bz2", "gz", "zst"])
def test_garbage_after_the_end_is_counted(tmp_path: Path, kind: str) -> None:
    path, dropped = tmp_path / "dump", Dropped()
    path.write_bytes(COMPRESSED[kind] + b"garbage")
    assert read(path, dropped) == TEXT
    assert (dropped.n_streams, dropped.n_bytes) == (0, 7)


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("kind", ["bz2", "gz", "zst"])
def test_memory_is_bounded_whatever_the_ratio(kind: str, workers: int) -> None:
    part = bytes(40 << 20)
    make = {"bz2": bz2.compress, "gz": gzip.compress, "zst": zstandard.compress}[kind]
    compressed, n_bytes = make(part), 0
    tracemalloc.start()
    try:
        for chunk in decompress([compressed] * 8, kind, Dropped(), workers=workers):
            n_bytes += len(chunk.data)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert n_bytes == 8 * len(part)
    assert peak < 100 << 20


def test_the_thread_ends_when_nobody_reads_on(tmp_path: Path) -> None:
    path = tmp_path / "dump"
    path.write_bytes(COMPRESSED["bz2 streams"])
    before = threading.active_count()
    for workers in (1, 2):
        chunks = read_chunks(path, Dropped(), workers=workers)
        assert len(list(islice(chunks, 2))) == 2
        chunks.close()
        assert threading.active_count() == before


def test_a_fault_of_the_disk_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Broken(io.BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            if self.tell():
                raise OSError(5, "Input/output error")
            return super().read(size)

    path = tmp_path / "dump"
    path.write_bytes(TEXT)
    monkeypatch.setattr(Path, "open", lambda *_: Broken(TEXT))
    with pytest.raises(InputError, match="dump: cannot be read: Input/output error; check the"):
        read(path)


def test_progress_counts_bytes_of_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, said, done = tmp_path / "dump.xml", [], []
    path.write_bytes(bytes(100))

    class Shown:
        def __init__(self, *about: object) -> None:
            said.append(about)

        def __enter__(self) -> object:
            return done.append

        def __exit__(self, *_: object) -> None:
            pass

    monkeypatch.setattr("isogloss.wiki.streams.streams.progress", Shown)
    with bytes_shown(path) as reached:
        for n_read in (30, 30, 20, 100):
            reached(n_read)
    assert said == [("reading dump.xml", 100, "bytes")]
    assert done == [30, 70]
    with bytes_shown(Path("-")) as reached:
        reached(5)
    assert len(said) == 1
