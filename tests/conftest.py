"""What holds for every test: signals that end a run, and garbage collection.

Who starts the tests in the background may have SIGINT or SIGHUP ignored, and what tests start would
inherit it: both do here what they do in a terminal. Garbage collection passes over what collecting
the tests made: modules and tests, which stay. onnxruntime sends no reports of its use.
"""

import gc
import os
import signal


def pytest_sessionstart() -> None:
    gc.disable()
    os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")  # where tests import it themselves
    for name, usual in (("SIGINT", signal.default_int_handler), ("SIGHUP", signal.SIG_DFL)):
        number = getattr(signal, name, None)  # there is no SIGHUP on Windows
        if number is not None and signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, usual)


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# Pytest looks for doctests in every module, and knows another `conftest` already.
collect_ignore = ["conftest.py"]
