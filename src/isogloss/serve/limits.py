"""How much one request may ask, and how much may wait; and a body read within its limit."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from isogloss.serve.failures import RequestError, too_large

MEBIBYTE = 1 << 20
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]


@dataclass(frozen=True)
class Limits:
    """Limits of a server.

    Parameters
    ----------
    n_texts
        Of one request.
    n_characters
        Of one text, also in a file: code points.
    n_bytes, n_file_bytes
        Of a body, and of one with a file.
    n_waiting
        Texts of all requests that wait for their answers.
    n_files
        Files that are answered at the same time.
    n_connections
        Open at the same time, idle ones among them; each may hold a body. Far from the 1,024 files
        that a process usually may have open.
    seconds
        In which a body must come.
    """

    n_texts: int = 256
    n_characters: int = 20_000
    n_bytes: int = 2 * MEBIBYTE
    n_file_bytes: int = 20 * MEBIBYTE
    n_waiting: int = 1024
    n_files: int = 2
    n_connections: int = 256
    seconds: float = 60.0


def within(receive: Receive, most: int, *, headers: Any, what: str = "the request") -> Receive:
    """Return `receive` of a body of at most so many bytes.

    Raises
    ------
    RequestError
        413, at once where a header says that there will be more.
    """
    said = headers.get("content-length", "")
    if said.isdecimal() and int(said) > most:
        raise too_large(most, what=what)
    n_read = 0

    async def receive_within() -> Message:
        nonlocal n_read
        message = await receive()
        n_read += len(message.get("body", b""))
        if n_read > most:
            raise too_large(most, what=what)
        return message

    return receive_within


async def body_of(receive: Receive, *, seconds: float) -> bytes:
    """Return a whole body; raises `RequestError` where it does not come to its end."""
    parts: list[bytes] = []
    async with in_time(seconds):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                raise RequestError(400, "incomplete", "the body ended early", where="body")
            parts.append(message.get("body", b""))
            if not message.get("more_body", False):
                break
    return b"".join(parts)


@asynccontextmanager
async def in_time(seconds: float) -> AsyncIterator[None]:
    """Raise `RequestError` 408 where a body is not read in the block in so many seconds."""
    try:
        async with asyncio.timeout(seconds):
            yield
    except TimeoutError as error:
        sentence = f"the body did not come within {seconds:g} seconds"
        raise RequestError(408, "too_slow", sentence, where="body") from error


def text_too_long(n: int, most: int, *, where: str) -> RequestError:
    """Return the failure of a text with more characters than may be asked."""
    sentence = f"the text has {n:,} characters; at most {most:,} are read"
    return RequestError(413, "text_too_long", sentence, where=where)
