"""Standard output and standard error that are closed, full, or whose reader is gone.

A message that cannot be said is no reason to lose the answer: what breaks on standard error goes
nowhere, and the work goes on.
"""

import os
import sys
from contextlib import suppress
from typing import Any, TextIO, cast

from isogloss.errors import InputError
from isogloss.visible import visible


def talk_to(stream: TextIO | None) -> TextIO:
    """Return standard error as a stream that never fails; None, a closed one, is nowhere."""
    if stream is None:  # a file opened next would get its number, and the talk
        return open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123
    return stream if isinstance(stream, _Guarded) else cast("TextIO", _Guarded(stream))


def answer_to(stream: TextIO) -> TextIO:
    """Return standard output as a stream whose faults are an `InputError`, save a gone reader."""
    return stream if isinstance(stream, _Guarded) else cast("TextIO", _Answer(stream))


def let_go(stream: TextIO) -> None:
    """Let what a broken stream still holds, and all that follows, go nowhere."""
    with suppress(OSError, ValueError):  # a stream of no file
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    with suppress(OSError):
        stream.flush()


def write_bytes(content: bytes) -> None:
    """Write bytes to standard output as they are: a file in an encoding of its own."""
    stream = sys.stdout
    if isinstance(stream, _Guarded):
        stream.put_bytes(content)
    else:
        stream.buffer.write(content)


class UnwrittenError(InputError):
    """Standard output broke; files that were made before stay."""


class _Guarded:
    """A text stream whose writes go nowhere once one has failed, and command no terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    @property
    def rich_proxied_file(self) -> "_Styled":
        """The same stream for rich, which asks for it by this name: it styles on purpose."""
        return _Styled(self)

    def write(self, text: str) -> int:
        self.put(visible(text))
        return len(text)

    def put(self, text: str) -> int:
        """Write a text as it is."""
        try:
            return self._stream.write(text)
        except OSError as error:
            self._fail(error)
            return len(text)

    def put_bytes(self, content: bytes) -> None:
        """Write bytes after all text so far."""
        try:
            self._stream.flush()
            self._stream.buffer.write(content)
            self._stream.buffer.flush()
        except OSError as error:
            self._fail(error)

    def flush(self) -> None:
        try:
            self._stream.flush()
        except OSError as error:
            self._fail(error)

    def _fail(self, error: OSError) -> None:
        let_go(self._stream)


class _Styled:
    """A guarded stream, written as it is."""

    def __init__(self, stream: _Guarded) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        return self._stream.put(text)


class _Answer(_Guarded):
    """A text stream that raises again whenever it is written once it has failed.

    What looks at a stream by writing nothing to it may not take note of the first time.
    """

    def __init__(self, stream: TextIO) -> None:
        super().__init__(stream)
        self._fault: Exception | None = None

    def write(self, text: str) -> int:
        return super().write(text) if self.isatty() else self.put(text)  # data stay as they are

    def put(self, text: str) -> int:
        if self._fault is not None:
            raise self._fault
        return super().put(text)

    def flush(self) -> None:
        if self._fault is not None:
            raise self._fault
        super().flush()

    def _fail(self, error: OSError) -> None:
        let_go(self._stream)
        reason = error.strerror or error
        self._fault = error if isinstance(error, BrokenPipeError) else UnwrittenError(
            f"standard output cannot be written: {reason}; let it go elsewhere"
        )  # fmt: skip
        raise self._fault from error
