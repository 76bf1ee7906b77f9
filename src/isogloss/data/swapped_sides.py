"""Whether the two sides of sentence pairs stand in the other order than is said."""

from collections.abc import Sequence
from pathlib import Path

from isogloss.errors import warn_caller
from isogloss.text.detect import detect_languages

ROWS_READ = 100
FEWEST_ROWS = 10  # whose languages are both told
MIN_CONFIDENCE = 0.9
MIN_LETTERS = 15


def say_swapped(
    firsts: Sequence[str], seconds: Sequence[str], langs: tuple[str, str], path: Path
) -> None:
    """Warn where most of the first rows, of those that can be told, are in each other's language.

    Parameters
    ----------
    langs
        Languages that the sides are said to be in.
    """
    if len(firsts) < FEWEST_ROWS:
        return
    found = [
        detect_languages(some[:ROWS_READ], min_confidence=MIN_CONFIDENCE, min_letters=MIN_LETTERS)
        for some in (firsts, seconds)
    ]
    told = [
        (one.partition("-")[0], other.partition("-")[0])
        for one, other in zip(*found, strict=True)
        if one is not None and other is not None
    ]
    first, second = (lang.partition("-")[0] for lang in langs)
    n_swapped = told.count((second, first))
    if len(told) >= FEWEST_ROWS and 2 * n_swapped > len(told):
        warn_caller(
            f"{path}: the first side is in {langs[1]} and the second in {langs[0]}, in {n_swapped} "
            f"of {len(told)} rows; say --pairs {langs[1]}-{langs[0]}=FILE"
        )
