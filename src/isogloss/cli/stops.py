"""SIGTERM and SIGHUP stop a command as Ctrl-C does, and none of them waits without end.

All three raise a `KeyboardInterrupt`, so everything cleans up alike. A signal that was ignored when
the command began, as ``nohup`` has it, stays so. Where the main thread is in code that Python
cannot interrupt, the process ends after some seconds without cleaning up: the next run does that.
"""

import os
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from types import FrameType
from typing import Any

from isogloss.stopping import STOPPING

SECONDS_TO_STOP = 20.0
_SECONDS_OF_A_BURST = 2.0  # a closing terminal or a service manager sends several signals at once
_LAST_WORDS = (
    "isogloss: stopped in the middle of a computation; what is left half-written is removed by the "
    "next run with the same --out\n"
)


class Stopped(KeyboardInterrupt):
    """The command is to end, by a signal of this number."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


@contextmanager
def stops_raise(*, ends: bool, seconds: float = SECONDS_TO_STOP) -> Iterator[None]:
    """Raise `Stopped` in the block when the process is told to stop.

    Parameters
    ----------
    ends
        The process ends after the block: what is left of a burst of signals is then ignored, and
        cannot end it by another code before it does so itself.
    seconds
        After which the process ends where it cannot be interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals reach the main thread alone
        return
    heard: SimpleQueue[int] = SimpleQueue()  # an Event has a lock, which another signal waits for
    is_heard = False
    last = -_SECONDS_OF_A_BURST

    def stop(number: int, frame: FrameType | None) -> None:
        nonlocal last, is_heard
        is_heard = True
        heard.put(number)
        now = time.monotonic()
        if number == signal.SIGINT or now - last >= _SECONDS_OF_A_BURST:
            last = now
            raise Stopped(number)

    before: dict[int, Any] = {}
    for number in STOPPING:
        handler = signal.getsignal(number)
        if handler not in (signal.SIG_IGN, None):
            before[number] = handler
            signal.signal(number, stop)
    with _watched(heard, before, seconds):
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, signal.SIG_IGN if ends and is_heard else handler)


@contextmanager
def _watched(heard: SimpleQueue[int], numbers: Any, seconds: float) -> Iterator[None]:
    """End the process when a signal came and Python did not get to hear of it for some seconds."""
    end, start = os.pipe()
    os.set_blocking(start, False)

    def watch() -> None:
        while received := os.read(end, 1):
            if received[0] in numbers:
                try:
                    heard.put(heard.get(timeout=seconds))  # whatever comes later is heard too
                except Empty:
                    with suppress(OSError):
                        os.write(2, _LAST_WORDS.encode())
                    os._exit(128 + received[0])
        os.close(end)

    before = signal.set_wakeup_fd(start, warn_on_full_buffer=False)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(before)
        os.close(start)
