"""Rules by which a pair of sentences is no translation, or teaches nothing.

=========  ======================================================================================
rule       removes a pair
=========  ======================================================================================
empty      with an empty side
identical  whose sides are the same letters and digits
repeated   met before, its letters and digits compared
length     whose ratio of characters is more than `LENGTH_FACTOR` times off the file's own
numerals   whose digits differ, where both sides have numbers, or one has a longer one
language   with a side in another language than is said; where the identifier knows both
=========  ======================================================================================

A pair is counted for the first rule that removes it, in this order. `repeated` keeps about 100
bytes of memory for each pair, the others none.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from isogloss.errors import InputError, did_you_mean
from isogloss.mine.filter.language_rule import LanguageRule
from isogloss.text.letters import letters_and_digits

RULES = ("empty", "identical", "repeated", "length", "numerals", "language")
LENGTH_FACTOR = 2.5
_CHARACTERS_ADDED = 10  # to both sides: short sentences differ more
_N_FOR_RATIO = 100  # pairs, fewer of which do not tell the ratio of their languages


class PairFilter:
    """The rules for pairs of two languages, applied block by block.

    Parameters
    ----------
    first, second
        Languages of the two sides.
    rules
        Names of rules, of `RULES`.

    Attributes
    ----------
    counts
        Rule → pairs that it removed.
    n_language_unknown
        Pairs whose languages the identifier does not know.

    Raises
    ------
    InputError
        For an unknown rule.

    Examples
    --------
    >>> rules = PairFilter("en", "de", rules=["empty", "numerals"])
    >>> rules.removed_by(["Page 12", "Page 12", " "], ["Seite 12", "Seite 21a5", "Seite"])
    [None, 'numerals', 'empty']
    """

    def __init__(self, first: str, second: str, *, rules: Sequence[str] = RULES) -> None:
        check_rules(rules, RULES)
        self.rules = tuple(name for name in RULES if name in rules)
        self.counts: Counter[str] = Counter(dict.fromkeys(self.rules, 0))
        self._languages = LanguageRule((first, second))
        self._met: set[int] = set()
        self._ratio: float | None = None  # logarithm, of the first block

    @property
    def n_language_unknown(self) -> int:
        """Pairs whose languages the identifier does not know."""
        return self._languages.n_unknown

    def removed_by(self, firsts: Sequence[str], seconds: Sequence[str]) -> list[str | None]:
        """Return the rule that removes each pair, None for those that are kept."""
        found: list[str | None] = [None] * len(firsts)
        for name in self.rules:
            rows = [row for row, rule in enumerate(found) if rule is None]
            sides = [firsts[row] for row in rows], [seconds[row] for row in rows]
            for row, removes in zip(rows, getattr(self, f"_{name}")(*sides), strict=True):
                if removes:
                    found[row] = name
        self.counts.update(name for name in found if name is not None)
        return found

    def _empty(self, firsts: list[str], seconds: list[str]) -> list[bool]:
        return [
            not (one.strip() and other.strip()) for one, other in zip(firsts, seconds, strict=True)
        ]

    def _identical(self, firsts: list[str], seconds: list[str]) -> list[bool]:
        return [
            letters_and_digits(one) == letters_and_digits(other)
            for one, other in zip(firsts, seconds, strict=True)
        ]

    def _repeated(self, firsts: list[str], seconds: list[str]) -> list[bool]:
        said = (
            f"{letters_and_digits(one)}\t{letters_and_digits(other)}"
            for one, other in zip(firsts, seconds, strict=True)
        )
        return met_before(said, self._met)

    def _length(self, firsts: list[str], seconds: list[str]) -> list[bool]:
        lengths = [np.array([len(text.strip()) for text in side]) for side in (firsts, seconds)]
        one, other = (np.log(some + _CHARACTERS_ADDED) for some in lengths)
        if self._ratio is None:
            is_enough = len(firsts) >= _N_FOR_RATIO
            self._ratio = float(np.median(one - other)) if is_enough else 0.0
        off: list[bool] = (np.abs(one - other - self._ratio) > np.log(LENGTH_FACTOR)).tolist()
        return off

    def _numerals(self, firsts: list[str], seconds: list[str]) -> list[bool]:
        return [numerals_differ(one, other) for one, other in zip(firsts, seconds, strict=True)]

    def _language(self, firsts: list[str], seconds: list[str]) -> list[bool]:
        return self._languages.removes(firsts, seconds)


def check_rules(rules: Sequence[str], allowed: Sequence[str]) -> None:
    """Raise `InputError` for a rule that is none."""
    for name in rules:
        if name not in allowed:
            raise InputError(f"no rule '{name}'; {did_you_mean(name, allowed)}")


def met_before(said: Iterable[str], met: set[int]) -> list[bool]:
    """Return whether each text was met before, and remember it by 64 bits."""
    found = []
    for text in said:
        known = hash(text)
        found.append(known in met)
        met.add(known)
    return found


def numerals_differ(one: str, other: str) -> bool:
    """Whether the digits of two sentences differ, in any script, order and grouping.

    A single digit of one sentence may be a word in the other, where that has no number at all.

    Examples
    --------
    >>> numerals_differ("on 1.12.2020", "2020/1/12"), numerals_differ("3 men", "drei Männer")
    (False, False)
    >>> numerals_differ("in 1999", "सन् १९९९ में"), numerals_differ("10 men", "zehn Männer")
    (False, True)
    """
    digits = [sorted(_digits(text)) for text in (one, other)]
    if digits[0] == digits[1]:
        return False
    return all(digits) or max(map(len, digits)) > 1


def _digits(text: str) -> list[int]:
    return [int(character) for character in text if character.isdecimal()]
