"""How large numbers may be: of options, and in our own files, read by msgspec with these types."""

from numbers import Integral
from typing import Annotated, Any

from msgspec import Meta

from isogloss.errors import InputError

# More than there are pages, words or texts of one run, and arrays of 32-bit integers still hold it.
LARGEST_COUNT = 10**9
LARGEST_SEED = 2**32 - 1  # of numpy's generators in scikit-learn
UNPENALISED = 1e300  # C of no penalty, as JSON has no infinity

Count = Annotated[int, Meta(ge=0, le=1 << 48)]
Share = Annotated[float, Meta(ge=0, le=1)]
NotNegative = Annotated[float, Meta(ge=0, le=1e300)]
Positive = Annotated[float, Meta(gt=0, le=1e300)]


def check_count(name: str, value: Any, *, least: int = 1, most: int = LARGEST_COUNT) -> None:
    """Raise `InputError` unless an option is a whole number, `least` to `most`."""
    is_whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not is_whole or not least <= value <= most:
        raise InputError(f"{name} is {value!r:.40}; give a whole number, {least} to {most:,}")
