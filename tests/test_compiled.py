import logging
import os
import pickle
import signal
import time
from typing import Any

import pytest
from numba.core import event

from isogloss.compiled import compiled, interrupts_wait
from isogloss.compiling import CompilingListener
from isogloss.stopping import STOPPING


@compiled
def doubled(x: Any) -> Any:
    """Return twice the number."""
    return 2 * x


@compiled
def doubled_twice(x: Any) -> Any:
    return doubled(doubled(x))


SAID = "compiling numeric code once, for half a minute or so; later runs reuse it"


def test_a_function_whose_code_cannot_be_saved_still_runs() -> None:
    space: dict[str, object] = {}
    exec("def double(x): return 2 * x", space)  # numba finds no folder for a function of no file
    assert compiled(space["double"])(21) == 42


@pytest.mark.parametrize("number", STOPPING)
def test_what_stops_a_process_waits_for_compiled_code(number: int) -> None:
    heard: list[int] = []
    before = signal.signal(number, lambda number, _: heard.append(number))
    try:
        with interrupts_wait():
            os.kill(os.getpid(), number)
            assert heard == []
        assert heard == [number]
        signal.signal(number, signal.SIG_IGN)  # as nohup has it
        with interrupts_wait():
            os.kill(os.getpid(), number)
        assert signal.getsignal(number) == signal.SIG_IGN
    finally:
        signal.signal(number, before)


@pytest.mark.parametrize(("seconds", "said"), [(0.1, [SAID]), (60.0, [])])
def test_a_long_wait_for_compiled_code_is_said_once(
    caplog: pytest.LogCaptureFixture, seconds: float, said: list[str]
) -> None:
    listener = CompilingListener(seconds)
    with caplog.at_level(logging.INFO, "isogloss.compiling"):
        for _ in range(2):
            listener.on_start(event.Event("numba:compile", event.EventStatus.START))
            time.sleep(0.3)
            listener.on_end(event.Event("numba:compile", event.EventStatus.END))
    assert caplog.messages == said


def test_a_compiled_function_calls_and_is_pickled_by_its_name() -> None:
    """Before its first call, too, when numba has made nothing of it."""
    assert pickle.loads(pickle.dumps(doubled)) is doubled
    assert doubled_twice(3) == 12
    assert doubled.__doc__ == "Return twice the number."


def test_numba_tells_the_listener_when_it_compiles(monkeypatch: pytest.MonkeyPatch) -> None:
    doubled(1)  # nobody listens before the first call
    (listener,) = [
        one for one in event._registered["numba:compile"] if isinstance(one, CompilingListener)
    ]
    begun = []
    monkeypatch.setattr(listener, "on_start", begun.append)
    monkeypatch.setattr(listener, "on_end", lambda event: None)
    space: dict[str, object] = {}
    exec("def treble(x): return 3 * x", space)
    assert compiled(space["treble"])(2) == 6
    assert begun
