"""Collection is off while what stays is loaded, and then as it was."""

import gc

import pytest

from isogloss.memory import without_collection


@pytest.mark.parametrize("was_on", [True, False])
def test_collection_is_afterwards_as_it_was(was_on: bool) -> None:
    seen = []

    @without_collection()
    def load(fails: bool) -> None:
        seen.append(gc.isenabled())
        if fails:
            raise ValueError

    try:
        if not was_on:
            gc.disable()
        load(False)
        seen.append(gc.isenabled())
        with pytest.raises(ValueError):
            load(True)
        seen.append(gc.isenabled())
    finally:
        gc.enable()
    assert seen == [False, was_on, False, was_on]
