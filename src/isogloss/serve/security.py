"""Who may ask: the gate before every route, and the headers of every answer.

A page of another site, open in the same browser, can send requests to a server on this machine, and
by a name that it lets point here (DNS rebinding) read the answers. So ``Host`` must name this
server, and ``Origin``, where there is one, must be the same. What others can reach needs a token.
"""

import hmac
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any

from isogloss.serve.failures import RequestError

Scope = MutableMapping[str, Any]
App = Callable[[Scope, Any, Any], Awaitable[None]]

LOOPBACK = ("127.0.0.1", "localhost", "::1")
LEAST_TOKEN = 16  # characters
OPEN_PATHS = ("/", "/healthz", "/openapi.json")  # hold nothing of a model; as /page/… does
HEADERS = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches a server that listens there.

    Examples
    --------
    >>> [is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "box.local")]
    [True, True, True, False, False]
    """
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def is_token(token: str) -> bool:
    """Whether a token can stand in a header and an address, and is not soon guessed.

    Examples
    --------
    >>> is_token("0f6b2c9a4d8e7f10"), is_token("secret"), is_token("two words, of no use")
    (True, False, False)
    """
    return re.fullmatch(rf"[\w.~+-]{{{LEAST_TOKEN},}}", token, re.ASCII) is not None


@dataclass(frozen=True)
class Access:
    """Who may ask.

    Parameters
    ----------
    host
        Where the server listens.
    token
        Needed with every request but for the page itself; None: nobody needs one.
    """

    host: str = LOOPBACK[0]
    token: str | None = None

    def check(self, path: str, headers: "Headers") -> None:
        """Raise `RequestError` for a request that may not be answered."""
        host = headers.get("host", "")
        if not self._is_ours(_name_of(host)):
            raise RequestError(
                403,
                "foreign_host",
                f"this server is not {host[:80]!r}; ask it by the address that it said",
                where="header Host",
            )
        origin = headers.get("origin")
        if origin is not None and origin.partition("://")[2].lower() != host.lower():
            raise RequestError(
                403,
                "foreign_origin",
                f"a page of {origin[:80]!r} asks; only this server's own page may",
                where="header Origin",
            )
        is_open = path in OPEN_PATHS or path.startswith("/page/")
        if self.token is not None and not is_open:
            self._check_token(headers.get("authorization", ""), self.token)

    def _is_ours(self, name: str) -> bool:
        if name in LOOPBACK or name == self.host.lower():
            return True
        # Of a wildcard address the names are not known; its token keeps others out.
        return self.host in ("0.0.0.0", "::") and bool(name)

    def _check_token(self, given: str, token: str) -> None:
        kind, _, found = given.partition(" ")
        is_right = hmac.compare_digest(found.strip().encode("utf-8", "replace"), token.encode())
        if kind.lower() != "bearer" or not is_right:
            raise RequestError(
                401,
                "unauthorized",
                "this server needs its token; send the header Authorization: Bearer TOKEN",
                where="header Authorization",
                headers={"WWW-Authenticate": "Bearer"},
            )


Headers = dict[str, str]


class Gate:
    """An ASGI application behind `Access`, with `HEADERS` in all that it answers."""

    def __init__(self, app: App, access: Access) -> None:
        self._app, self._access = app, access

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:
        """Let a request pass, or answer why not."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            self._access.check(scope["path"], headers_of(scope))
        except RequestError as failure:
            await refuse(failure, send)
            return

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                kept = [one for one in message["headers"] if one[0].lower() not in _NAMES]
                message = {**message, "headers": [*kept, *_HEADERS]}
            await send(message)

        await self._app(scope, receive, send_with_headers)


def headers_of(scope: Scope) -> Headers:
    """Return the headers of a request; one that stands twice is joined, so that it fits nothing."""
    found: Headers = {}
    for name, value in scope["headers"]:
        text = value.decode("latin-1")
        key = name.decode("latin-1").lower()
        found[key] = f"{found[key]}, {text}" if key in found else text
    return found


async def refuse(failure: RequestError, send: Any) -> None:
    """Answer by a failure."""
    body = json.dumps(failure.as_json()).encode()
    more = [(name.lower().encode(), value.encode()) for name, value in failure.headers.items()]
    length = (b"content-length", str(len(body)).encode())
    headers = [(b"content-type", b"application/json"), length, *more, *_HEADERS]
    await send({"type": "http.response.start", "status": failure.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _name_of(host: str) -> str:
    """Return the name in ``Host`` without its port; "" for what is none."""
    name, bracket, port = host.rpartition("]")
    if bracket:
        return name.removeprefix("[").lower() if port == "" or port.startswith(":") else ""
    return host.partition(":")[0].lower() if host.count(":") <= 1 else ""


_HEADERS = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]
_NAMES = {name for name, _ in _HEADERS}
