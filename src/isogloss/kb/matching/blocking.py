"""Names that must never be linked: function words, numbers, single letters.

A wordnet or a list of symbols names things *it*, *a*, *who* and *7*; found in running text these
are hardly ever meant. What is blocked stays a title; it is only not searched for.

- Names without a letter or symbol (numbers, punctuation), and names that begin with a mark.
- Names of one letter, marks not counted, in any script: *a*, の, 水, 물.
- Hiragana alone, up to three characters, and Thai, Lao, Khmer or Myanmar, up to two: without
  spaces these are found in endings, particles and the middle of words.
- The function words of the name's language (``function_words.txt``), in lower case and with a
  capital. In that file a ``^`` says that with a capital it may be a name (*May*); in capitals
  (*WHO*) every one may be. In scripts without spaces they also keep other names out of their
  place in the text.
"""

import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TypeAlias

import numpy as np

from isogloss.arrays import Bools1d, Bytes1d, Ints1d, offsets_of
from isogloss.text.folding import FoldedTexts, fold_texts
from isogloss.text.languages import fallbacks
from isogloss.text.scripts import LEADING, MARK, OTHER, SPACE, STACKER, Kind, kind_of

Units: TypeAlias = "np.ndarray[tuple[int], np.dtype[np.uint32]]"

LOWER_NAME, CAPITAL_NAME, ACRONYM_NAME = 0, 1, 2


def blocked_names(
    names: FoldedTexts, strings: Sequence[str], written: Bytes1d, language: str
) -> Bools1d:
    """Say of each name whether it is never to be linked.

    Parameters
    ----------
    names, strings
        The folded names, as arrays and as strings.
    written : uint8 array, (n_names,)
        `LOWER_NAME`, `CAPITAL_NAME` or `ACRONYM_NAME`.
    language
        The language the names are in.
    """
    n_units = np.diff(names.offsets)
    n_letters = _sum_by_name(names, _is_letter(names.units, names.kinds))
    n_attached = _sum_by_name(names, np.isin(names.kinds, (MARK, LEADING, STACKER)))
    is_free = _sum_by_name(names, _is_southeast_asian(names.units)) == n_units
    is_hiragana = _sum_by_name(names, _is_hiragana(names.units)) == n_units
    blocked = (n_letters == 0) & (_sum_by_name(names, _is_symbol(names.units)) == 0)
    blocked |= (n_letters == 1) & (n_letters + n_attached == n_units)
    blocked |= (is_free & (n_units < 3)) | (is_hiragana & (n_units < 4))
    filled = n_units > 0
    blocked[filled] |= np.isin(names.kinds[names.offsets[:-1][filled]], (MARK, STACKER))
    words = function_words(language)
    for index, string in enumerate(strings):
        passes = words.get(string)
        if passes is not None and written[index] < (CAPITAL_NAME if passes else ACRONYM_NAME):
            blocked[index] = True
    return blocked


def silent_words(language: str) -> list[str]:
    """Return the function words that take up their place in a text without being linked.

    Where a script has no spaces, a name inside a function word would be found otherwise (*มาร* in
    *สามารถ*). Where it has, word edges see to that.
    """
    words = [word for word in function_words(language) if len(word) > 1]
    kinds = [{kind_of(character) for character in word} for word in words]
    written_on = {Kind.FREE, Kind.MARK, Kind.LEADING}
    return [word for word, found in zip(words, kinds, strict=True) if found <= written_on]


@lru_cache(maxsize=512)
def function_words(language: str) -> dict[str, bool]:
    """Return the folded function words of a language, and whether a capital makes them a name."""
    lists = _all_function_words()
    for tag in fallbacks(language):
        if tag in lists:
            return lists[tag]
    return {}


@lru_cache(maxsize=1)
def _all_function_words() -> dict[str, dict[str, bool]]:
    text = (files("isogloss.kb") / "function_words.txt").read_text(encoding="utf-8")
    lists: dict[str, dict[str, bool]] = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            tag, _, words = line.partition(":")
            listed = words.split()
            folded = fold_texts([word.removesuffix("^") for word in listed], turkic=tag == "tr")
            marks = [word.endswith("^") for word in listed]
            lists[tag] = dict(zip(folded.strings(), marks, strict=True))
    return lists


def _sum_by_name(names: FoldedTexts, flags: Bools1d) -> Ints1d:
    total = offsets_of(flags)
    return total[names.offsets[1:]] - total[names.offsets[:-1]]


def _is_letter(units: Units, kinds: Bytes1d) -> Bools1d:
    """Say which units are letters: neither numbers of any script nor attached to a letter."""
    values = np.unique(units)
    numbers = [value for value in values.tolist() if value < 0x110000 and chr(value).isdecimal()]
    is_number = np.isin(units, np.array(numbers, np.uint32))
    return ~np.isin(kinds, (OTHER, SPACE, MARK, LEADING, STACKER)) & ~is_number


def _is_symbol(units: Units) -> Bools1d:
    """Say which units are pictures or other symbols, as against punctuation."""
    values = np.unique(units[units >= 0x2100])
    symbols = [
        value
        for value in values.tolist()
        if value < 0x110000 and unicodedata.category(chr(value)) in ("So", "Sm", "Sc")
    ]
    return np.isin(units, np.array(symbols, np.uint32))


def _is_southeast_asian(units: Units) -> Bools1d:
    """Say which units are Thai, Lao, Myanmar or Khmer."""
    thai_lao = (units >= 0x0E00) & (units <= 0x0EFF)
    return thai_lao | ((units >= 0x1000) & (units <= 0x109F)) | ((units >> 7) == 0x1780 >> 7)


def _is_hiragana(units: Units) -> Bools1d:
    return ((units >= 0x3041) & (units <= 0x309F)) | (units == 0x30FC)
