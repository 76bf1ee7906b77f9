"""Garbage collection passes over what collecting the tests made: modules and tests, which stay."""

import gc


def pytest_sessionstart() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


# Pytest looks for doctests in every module, and knows another `conftest` already.
collect_ignore = ["conftest.py"]
