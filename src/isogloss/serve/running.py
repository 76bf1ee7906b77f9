"""The server as a process: where it listens, what it says, and how it ends.

Texts are never logged: no line for each request, no warning (each thread that ends its own silence
would end that of others, as filters of warnings are the process's), and of a fault of ours the kind
and the place in the code, but not its message, which may quote a text.
"""

import logging
import socket
import traceback
from collections.abc import Callable, Collection
from typing import Any

from isogloss.compat import require
from isogloss.errors import InputError
from isogloss.serve.application import EXTRA, WHY
from isogloss.serve.failures import RequestError
from isogloss.serve.limits import Limits
from isogloss.serve.security import App, Scope, refuse
from isogloss.totals import untold

SECONDS_TO_END = 3  # for requests under way, when the server is told to stop
_LOGGERS = ("uvicorn.error", "asyncio")


def listening_socket(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0: any that is free.

    Raises
    ------
    InputError
        When it cannot be had.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except OSError as error:
        raise InputError(
            f"--host {host} is no address of this machine ({error.strerror})"
        ) from error
    made = socket.socket(family, kind, protocol)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind(address)
        made.listen(128)
    except OSError as error:
        made.close()
        raise InputError(
            f"port {port} of {host} cannot be had ({error.strerror}); give another with --port, or "
            "--port 0 for any that is free"
        ) from error
    return made


def address_of(listener: socket.socket, *, host: str) -> str:
    """Return the address that a browser takes."""
    name = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
    port = listener.getsockname()[1]
    return f"http://[{name}]:{port}" if ":" in name else f"http://{name}:{port}"


def run(
    app: App,
    listener: socket.socket,
    *,
    when_ready: Callable[[], None],
    most_connections: int = Limits.n_connections,
) -> None:
    """Serve until the process is told to stop; `when_ready` is called when it can be asked.

    A connection that is opened while `most_connections` are is one too many: a request on it is
    answered 503, and the connection closed. Those that were open before are served.
    """
    uvicorn = require("uvicorn", extra=EXTRA, why=WHY)
    too_many: set[Any] = set()
    config = uvicorn.Config(
        _bounded(app, most_connections, too_many), http=_noting(too_many, most_connections),
        log_config=None, access_log=False, log_level="warning", server_header=False,
        ws="none", lifespan="on", timeout_graceful_shutdown=SECONDS_TO_END,
        proxy_headers=False,  # which put another client in the place of that of the connection
    )  # fmt: skip
    server = uvicorn.Server(config)
    for name in _LOGGERS:
        logging.getLogger(name).addFilter(without_message)
    try:
        with untold():
            when_ready()
            server.run(sockets=[listener])
    finally:
        for name in _LOGGERS:
            logging.getLogger(name).removeFilter(without_message)


def _noting(too_many: set[Any], most: int) -> Any:
    """Return uvicorn's protocol; it notes, by the client, each connection above `most`."""
    automatic = require("uvicorn.protocols.http.auto", extra=EXTRA, why=WHY)

    class Noting(automatic.AutoHTTPProtocol):  # type: ignore[name-defined]
        def connection_made(self, transport: Any) -> None:
            super().connection_made(transport)
            if len(self.connections) > most:
                too_many.add(self.client)

        def connection_lost(self, exc: Exception | None) -> None:
            too_many.discard(self.client)
            super().connection_lost(exc)

    return Noting


def _bounded(app: App, most: int, too_many: Collection[Any]) -> App:
    """Return an application that refuses the clients of connections that are too many.

    uvicorn's own ``limit_concurrency`` answers by a text, where all other faults are JSON.
    """

    async def bounded(scope: Scope, receive: Any, send: Any) -> None:
        if scope["type"] != "http" or scope["client"] not in too_many:
            await app(scope, receive, send)
            return
        sentence = f"{most:,} connections are open; ask again in a moment"
        headers = {"Retry-After": "1", "Connection": "close"}
        await refuse(RequestError(503, "too_many_connections", sentence, headers=headers), send)

    return bounded


def without_message(record: logging.LogRecord) -> bool:
    """Put the kind and the place of an exception in the place of all that it says."""
    if record.exc_info and record.exc_info[0] is not None:
        kind, _, trace = record.exc_info
        place = "".join(traceback.format_tb(trace))
        record.msg, record.args = "%s in a request:\n%s", (kind.__name__, place)
        record.exc_info = record.exc_text = None
    return True
