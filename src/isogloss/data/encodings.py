"""Encodings of text files other than UTF-8: their names, and UTF-16 as a stream of UTF-8.

`lines` reads a file line by line as bytes, which every encoding allows that writes ASCII as ASCII
does. UTF-16 and UTF-32 do not: `AsUtf8` turns them into UTF-8 before lines are told apart.
"""

import codecs
import io
from encodings.aliases import aliases
from pathlib import Path
from typing import Any, BinaryIO

from isogloss.errors import InputError, did_you_mean, warn_caller

UTF_8 = "utf-8"
# The mark at the beginning of a file, and what follows it. That of UTF-32 begins as UTF-16's does.
MARKS = {
    codecs.BOM_UTF32_LE: "utf-32-le",
    codecs.BOM_UTF32_BE: "utf-32-be",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}

_ASCII = bytes(range(128))
# Where a byte of ASCII may stand for, or be part of, another character.
_NOT_LIKE_ASCII = ("iso2022", "unicode", "raw-unicode", "idna", "punycode")
_WIDE = ("utf-16", "utf-32")
# What Windows calls the encoding of the machine; elsewhere Python knows the names alone.
_OF_WINDOWS = {"ansi", "mbcs", "dbcs", "oem"}
_BLOCK_BYTES = 1 << 16


def codec_of(encoding: str) -> str:
    """Return Python's name of an encoding that writes ASCII as ASCII does, UTF-16 or UTF-32.

    Raises
    ------
    InputError
        For an unknown name, or an encoding that is neither.

    Examples
    --------
    >>> codec_of("CP1252"), codec_of("UTF8"), codec_of("utf-16")
    ('cp1252', 'utf-8', 'utf-16')
    """
    try:
        name = codecs.lookup(encoding).name.removesuffix("-sig")
        is_read = name.startswith(_WIDE) or (
            not name.startswith(_NOT_LIKE_ASCII) and _ASCII.decode(name) == _ASCII.decode("ascii")
        )
    except UnicodeError:
        is_read = False
    except (LookupError, TypeError, ValueError) as error:
        others = sorted(set(aliases) - _OF_WINDOWS)
        near = did_you_mean(str(encoding), others, n_shown=0)
        advice = near if near.startswith("did") else "give one such as utf-8, cp1252 or latin-1"
        raise InputError(f"unknown encoding {encoding!r:.40}; {advice}") from error
    if not is_read:
        raise InputError(f"encoding {name} is not read; save the file as UTF-8")
    return name


def is_wide(codec: str) -> bool:
    """Whether characters of ASCII have more than one byte."""
    return codec.startswith(_WIDE)


def wide_by_mark(start: bytes) -> str | None:
    """Return the codec of a file that begins with the mark of UTF-16 or UTF-32, else None."""
    return next((codec for mark, codec in MARKS.items() if start.startswith(mark)), None)


def without_its_mark(start: bytes) -> str | None:
    """Return the codec of UTF-16 that begins without its mark, as far as a line of ASCII tells."""
    n = min(len(start), 64) // 2 * 2
    for codec, zeros, others in (
        ("utf-16-le", start[1:n:2], start[0:n:2]),
        ("utf-16-be", start[0:n:2], start[1:n:2]),
    ):
        if n >= 4 and not any(zeros) and all(others):
            return codec
    return None


class AsUtf8(io.RawIOBase):
    """Bytes of UTF-16 or UTF-32 as bytes of UTF-8; a mark stays a mark.

    Parameters
    ----------
    start
        Bytes that were read from the stream before.

    Raises
    ------
    InputError
        On reading, with the line: where a character is cut off or is none.
    """

    def __init__(self, stream: BinaryIO, path: Path, codec: str, *, start: bytes = b"") -> None:
        self._stream, self._path, self._codec = stream, path, codec
        self._decoder = codecs.getincrementaldecoder(codec)()
        self._waiting, self._ready = start, b""
        self._n_lines = 0
        self._is_over = False

    def readable(self) -> bool:
        """Return True."""
        return True

    def readinto(self, buffer: Any) -> int:
        """Fill the buffer with what comes next; 0 at the end."""
        while not self._ready and not self._is_over:
            block, self._waiting = self._waiting or self._stream.read(_BLOCK_BYTES), b""
            self._is_over = not block
            try:
                text = self._decoder.decode(block, final=self._is_over)
            except UnicodeDecodeError as error:
                before = error.object[: error.start].decode(self._codec, "replace")
                raise InputError(
                    f"is not {self._codec.upper()} ({error.reason}); save it as UTF-8",
                    path=self._path,
                    line=self._n_lines + before.count("\n") + 1,
                ) from error
            except UnicodeError as error:  # of Python's "utf-16", which takes no file without mark
                raise InputError(
                    f"is not {self._codec.upper()} with a byte-order mark; leave --encoding out, "
                    f"or say --encoding {self._codec}-le",
                    path=self._path,
                    line=1,
                ) from error
            self._n_lines += text.count("\n")
            self._ready = text.encode(UTF_8)
        n_bytes = min(len(buffer), len(self._ready))
        buffer[:n_bytes], self._ready = self._ready[:n_bytes], self._ready[n_bytes:]
        return n_bytes


class Utf8Check:
    """Tells of a file read in another encoding whether it is UTF-8 by its bytes."""

    def __init__(self) -> None:
        self._decoder: Any = codecs.getincrementaldecoder(UTF_8)()
        self._has_more_than_ascii = False

    def add(self, raw: bytes) -> None:
        """Look at the bytes that come next."""
        if self._decoder is None:
            return
        self._has_more_than_ascii |= not raw.isascii()
        try:
            self._decoder.decode(raw)
        except UnicodeDecodeError:
            self._decoder = None

    def warn(self, path: Path, codec: str) -> None:
        """Warn, at the end of the file, where every character is one of UTF-8."""
        if self._decoder is not None and self._has_more_than_ascii:
            warn_caller(
                f"{path}: is read as {codec}, but is UTF-8 by its bytes; leave --encoding out"
            )
