import os
import signal

import pytest

from isogloss.text.compiled import compiled, interrupts_wait
from isogloss.text.stopping import STOPPING


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
