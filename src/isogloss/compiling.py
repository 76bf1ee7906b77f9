"""The line that says why a first run waits: numeric functions are compiled, once.

It goes to the logger ``isogloss.compiling`` at level INFO, which the command line sets, also in its
worker processes. Others do not hear it unless they set that level.
"""

import logging
import threading
import time

from numba.core import event

SECONDS_OF_PATIENCE = 3.0  # spent compiling, before the line
logger = logging.getLogger("isogloss.compiling")
if logger.level == logging.NOTSET:
    logger.setLevel(logging.WARNING)


class CompilingListener(event.Listener):
    """Says the line once, when compiling has taken longer than so many seconds in all.

    Parameters
    ----------
    seconds
        Of patience.
    """

    def __init__(self, seconds: float = SECONDS_OF_PATIENCE) -> None:
        self._left = seconds
        self._depth = 0  # a function is compiled while one that calls it is
        self._began = 0.0
        self._timer: threading.Timer | None = None

    def on_start(self, event: event.Event) -> None:
        """Start the clock, as numba begins with a function."""
        self._depth += 1
        if self._depth == 1 and self._left > 0 and logger.isEnabledFor(logging.INFO):
            self._began = time.monotonic()
            self._timer = threading.Timer(self._left, self._say)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, event: event.Event) -> None:
        """Stop the clock."""
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left -= time.monotonic() - self._began

    def _say(self) -> None:
        self._left = 0.0
        logger.info("compiling numeric code once, for half a minute or so; later runs reuse it")
