"""Text files of users by line: plain, gzip, zstd or standard input; UTF-8 or another encoding.

Whether a file is compressed is found in its first bytes, whatever its name; only where they show
nothing does the name count. UTF-16 is known by its mark, other encodings are said. What is wrong
with a file (missing, a folder, cut off, another encoding) becomes one sentence here. What its lines
hold is read elsewhere: tables in `tables`, documents in `documents`, names in
`isogloss.kb.build.names_file`.
"""

import codecs
import gzip
import io
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from difflib import get_close_matches
from pathlib import Path
from typing import Any, BinaryIO

from isogloss.compat import require
from isogloss.data.encodings import (
    UTF_8,
    AsUtf8,
    Utf8Check,
    codec_of,
    is_wide,
    wide_by_mark,
    without_its_mark,
)
from isogloss.errors import InputError

STANDARD_INPUT = Path("-")
COMPRESSED = (".gz", ".zst")
LONGEST_LINE = 1 << 26  # bytes of a line, characters of a field, bytes of a cell of Parquet

_BY_NAME = {".gz": "gzip", ".zst": "zstd"}
_READ = {b"\x1f\x8b": "gzip", b"\x28\xb5\x2f\xfd": "zstd"}  # no UTF-8 begins so
# What is told, not read; on standard input also what is read from a file.
_UNREAD = {
    **_READ, b"\xfd7zXZ\0": "xz", b"PK\3\4": "zip", b"7z\xbc\xaf": "7-Zip",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
}  # fmt: skip
_MARK = codecs.BOM_UTF8
_BLOCK_BYTES = 1 << 16
_NOT_COMPRESSED = "is not compressed as its name says, or damaged; rename it or copy it again"


def open_lines(path: Path) -> Iterator[tuple[int, str]]:
    r"""Yield line numbers from 1 and lines without their ends (``\n`` or ``\r\n``).

    Where no line ends in ``\n``, as on old Macs, a lone ``\r`` does. A byte-order mark goes. One
    line is in memory at a time.

    Parameters
    ----------
    path
        The file; ``Path("-")`` is standard input. Decompressed where it is gzip or zstd.

    Raises
    ------
    InputError
        When the file is missing, unreadable, cut off or not UTF-8; with line and byte.
    """
    for number, line in whole_lines(path):
        yield number, line.removesuffix("\n").removesuffix("\r")


def whole_lines(
    path: Path, *, encoding: str | None = None, keeps_mark: bool = False
) -> Iterator[tuple[int, str]]:
    """Yield what `open_lines` does, each line with its end.

    Parameters
    ----------
    encoding
        The one that the user named, as `encodings.codec_of` takes it; None: UTF-8, and there is no
        option that names another. UTF-16 with its mark needs none.
    keeps_mark
        Leave a byte-order mark at the beginning of the first line.
    """
    codec = UTF_8 if encoding is None else codec_of(encoding)
    advice = "save it as UTF-8"
    if encoding is not None:
        advice += ", or give its --encoding, such as cp1252"
    check = None if codec == UTF_8 or is_wide(codec) else Utf8Check()
    with opened(path) as opened_stream:
        stream, first = _as_utf8(opened_stream, path, codec, is_said=encoding is not None)
        shown = "UTF-8" if codec == UTF_8 or is_wide(codec) else codec
        for number, raw in enumerate(raw_lines(stream, path, first=first), 1):
            line = raw
            if number == 1:
                line = without_mark(raw, path)
                if not line:  # a mark alone is an empty file
                    return
                line = raw if keeps_mark else line
            if check is not None:
                check.add(raw)
            yield number, decoded(line, path, number, encoding=shown, advice=advice)
    if check is not None:
        check.warn(path, codec)


def _as_utf8(
    stream: BinaryIO, path: Path, codec: str, *, is_said: bool
) -> tuple[BinaryIO, bytes | None]:
    """Return a stream whose lines are like ASCII, and its first line; None: not read yet.

    Parameters
    ----------
    is_said
        Whether an option says the encoding.
    """
    if is_wide(codec):
        start = stream.read(4)
        codec = wide_by_mark(start) or codec
        return io.BufferedReader(AsUtf8(stream, path, codec, start=start)), None
    first = stream.readline(LONGEST_LINE + 1)
    found = wide_by_mark(first)
    marked = found or (UTF_8 if first.startswith(_MARK) else None)
    if marked is not None and codec != UTF_8:
        raise InputError(
            f"begins with the byte-order mark of {marked.removesuffix('-le').upper()}; leave "
            "--encoding out",
            path=path,
        )
    if found is None and (lacks := without_its_mark(first)) is not None:
        advice = f"; say --encoding {lacks}" if is_said else "; save it as UTF-8"
        raise InputError(f"looks like UTF-16 without its byte-order mark{advice}", path=path)
    if found is None:
        return stream, first
    return io.BufferedReader(AsUtf8(stream, path, found, start=first)), None


def decoded(
    raw: bytes,
    path: Path,
    line: int,
    *,
    encoding: str = "UTF-8",
    advice: str = "save it as UTF-8",
) -> str:
    """Return a line as text; raises `InputError` with the line and the byte that is wrong."""
    try:
        return raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise InputError(
            f"is not {encoding} (byte {error.start + 1} of the line is "
            f"0x{raw[error.start]:02x}); {advice}",
            path=path,
            line=line,
        ) from error


def raw_lines(stream: BinaryIO, path: Path, *, first: bytes | None = None) -> Iterator[bytes]:
    """Yield the lines of `open_lines` as bytes, with their ends and the mark before the first.

    `first` is a line that was read before, up to `LONGEST_LINE` and one byte more.
    """
    number = 0
    line = stream.readline(LONGEST_LINE + 1) if first is None else first
    while line:
        number += 1
        if len(line) > LONGEST_LINE:
            raise InputError(
                f"the line is longer than {LONGEST_LINE >> 20} MB; break it up",
                path=path,
                line=number,
            )
        if number == 1 and b"\n" not in line:  # the whole file
            yield from line.splitlines(keepends=True)
        else:
            yield line
        line = stream.readline(LONGEST_LINE + 1)


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """Open the bytes of a file, decompressed, or standard input; raises what `open_lines` does."""
    damage = _NOT_COMPRESSED
    try:
        if path == STANDARD_INPUT:
            yield standard_input()
            return
        with path.open("rb") as file:
            seen = _kind_of(file.peek(1))
            if seen is not None:
                damage = f"is {seen}, cut off or damaged; copy or download it again"
            kind = seen or _BY_NAME.get(path.suffix)
            if kind == "gzip":
                with gzip.open(file, "rb") as stream:
                    yield stream  # type: ignore[misc]
            elif kind == "zstd":
                yield io.BufferedReader(_ZstFrames(file, path))
            else:
                yield file
    except FileNotFoundError as error:
        if path.is_symlink():
            raise InputError(
                f"is a link to {path.readlink()}, which is not there; mend or remove it", path=path
            ) from error
        raise InputError(f"no such file{_near_name(path)}", path=path) from error
    except (IsADirectoryError, NotADirectoryError) as error:
        raise InputError("is a folder or lies in a file; give a file", path=path) from error
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(damage, path=path) from error
    except OSError as error:
        reason = error.strerror or error
        raise InputError(
            f"cannot be read: {reason}; check its permissions and the disk", path=path
        ) from error


def standard_input() -> BinaryIO:
    """Return the bytes that are piped in.

    Raises
    ------
    InputError
        When the command was started with its standard input closed.
    """
    if sys.stdin is None:
        raise InputError("standard input is closed; pipe the text into it, or name a file")
    return sys.stdin.buffer


def compression_of(path: Path) -> str | None:
    """Return how a file is compressed, of what `opened` unpacks: gzip, zstd, or None."""
    with path.open("rb") as file:
        return _kind_of(file.peek(1))


def _kind_of(start: bytes) -> str | None:
    """Return the compression that the first bytes of a file show, of those that are read."""
    return next((kind for magic, kind in _READ.items() if start.startswith(magic)), None)


class _ZstFrames(io.RawIOBase):
    """Decompress frame after frame, which zstandard's own reader does not; miss no cut end."""

    def __init__(self, file: BinaryIO, path: Path) -> None:
        self._zstandard = require("zstandard", extra="zstd", why=f"{path}: reading zstd")
        self._file = file
        self._frame: Any = None
        self._ready = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 at the end of the last whole frame."""
        while not self._ready:
            is_between = self._frame is None or self._frame.eof
            block = self._frame.unused_data if self._frame is not None and is_between else b""
            block = block or self._file.read(_BLOCK_BYTES)
            if not block and is_between:
                return 0
            if not block:
                raise EOFError
            if is_between:
                self._frame = self._zstandard.ZstdDecompressor().decompressobj()
            try:
                self._ready = self._frame.decompress(block)
            except self._zstandard.ZstdError as error:
                raise EOFError from error  # as at a cut end: `opened` has the sentence for both
        n_bytes = min(len(buffer), len(self._ready))
        buffer[:n_bytes], self._ready = self._ready[:n_bytes], self._ready[n_bytes:]
        return n_bytes


def without_mark(start: bytes, path: Path) -> bytes:
    """Return the first line without its mark; refuse UTF-16 and compression that is not read."""
    if wide_by_mark(start) is not None:
        raise InputError("is UTF-16; save it as UTF-8", path=path)
    for magic, kind in _UNREAD.items():
        if start.startswith(magic):
            or_workbook = ", or name it .xlsx if it is a workbook" if kind == "zip" else ""
            raise InputError(
                f"is compressed as {kind}, which is not read here; unpack it first{or_workbook}",
                path=path,
            )
    return start.removeprefix(_MARK)


def _near_name(path: Path) -> str:
    if not path.parent.is_dir():
        return f"; there is no folder {path.parent}"
    names = [file.name for file in path.parent.iterdir()]
    near = get_close_matches(path.name, names, n=1, cutoff=0.7)
    return f"; did you mean '{near[0]}'?" if near else f" in {path.parent}; check its name"
