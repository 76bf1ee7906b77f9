"""The server as a process: it warns of nothing, whatever its threads do."""

import socket
import warnings
from typing import Any

import pytest

from isogloss.errors import warn_omitted
from isogloss.serve.running import run
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
