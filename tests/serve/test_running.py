"""The server as a process: it warns of nothing, and has so many connections at most."""

import http.client
import json
import socket
import threading
import time
import warnings
from contextlib import closing
from typing import Any

import pytest
import uvicorn

from isogloss.errors import warn_omitted
from isogloss.serve.running import listening_socket, run
from isogloss.totals import untold


def test_no_warning_is_said_when_silences_of_threads_overlap(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def serve(*_: Any, **__: Any) -> None:
        first, second = untold(), untold()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)  # puts back the filters of before, in all threads
        warn_omitted("a secret")
        second.__exit__(None, None, None)

    monkeypatch.setattr("uvicorn.Server.run", serve)
    ready: list[bool] = []
    with socket.socket() as listener, warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        run(lambda *_: None, listener, when_ready=lambda: ready.append(True))
    assert (ready, said) == ([True], [])


async def empty(scope: Any, receive: Any, send: Any) -> None:
    """An application that answers all requests by nothing."""
    if scope["type"] == "lifespan":
        for _ in range(2):
            kind = (await receive())["type"]
            await send({"type": f"{kind}.complete"})
        return
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


def test_more_connections_than_it_has_room_for_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    servers: list[uvicorn.Server] = []

    class Kept(uvicorn.Server):
        def __init__(self, config: uvicorn.Config) -> None:
            super().__init__(config)
            servers.append(self)

    monkeypatch.setattr("uvicorn.Server", Kept)
    listener = listening_socket("127.0.0.1", 0)
    how: dict[str, Any] = {"when_ready": lambda: None, "most_connections": 2}
    thread = threading.Thread(target=run, args=(empty, listener), kwargs=how, daemon=True)
    thread.start()

    def asked() -> http.client.HTTPResponse:
        with closing(http.client.HTTPConnection("127.0.0.1", listener.getsockname()[1])) as one:
            one.request("GET", "/", headers={"Connection": "close", "X-Forwarded-For": "1.2.3.4"})
            found = one.getresponse()
            found.body = found.read()  # type: ignore[attr-defined]
            return found

    def n_open() -> int:
        return len(servers[0].server_state.connections)

    def wait_for(n: int) -> None:
        while n_open() != n:
            time.sleep(0.01)

    assert asked().status == 204
    with socket.create_connection(listener.getsockname()) as first:
        assert asked().status == 204
        with socket.create_connection(listener.getsockname()):
            wait_for(2)
            refused = asked()
            wait_for(2)
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            assert refused.headers["connection"] == "close"
            assert json.loads(refused.body)["error"] == {  # type: ignore[attr-defined]
                "code": "too_many_connections", "where": None,
                "message": "2 connections are open; ask again in a moment",
            }  # fmt: skip
            with socket.create_connection(listener.getsockname()):
                wait_for(3)
                first.sendall(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
                assert first.recv(1000).startswith(b"HTTP/1.1 204")  # it was there before
        wait_for(1)
        assert asked().status == 204
    servers[0].should_exit = True
    thread.join(timeout=30)
    assert not thread.is_alive()
