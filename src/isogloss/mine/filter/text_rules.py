"""Rules by which a line of monolingual text is left out of training.

========  ====================================================================================
rule      removes a text
========  ====================================================================================
length    with fewer than 10 or more than 5,000 characters, as LaBSE's authors have it
letters   less than half of whose characters, blanks aside, are letters and their marks
markup    with a tag, a brace or a row of bars, as pages leave behind
address   with an address of the web or of mail
repeated  met before, its letters and digits compared
language  in another language than is said; where the identifier knows that
========  ====================================================================================

A text is counted for the first rule that removes it, in this order. `repeated` keeps about 100
bytes of memory for each text, the others none.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from isogloss.mine.filter.language_rule import LanguageRule
from isogloss.mine.filter.pair_rules import check_rules, met_before
from isogloss.text.letters import letters_and_digits

RULES = ("length", "letters", "markup", "address", "repeated", "language")
FEWEST_CHARACTERS, MOST_CHARACTERS = 10, 5_000
LEAST_LETTERS = 0.5

_MARKUP = re.compile(r"</?[A-Za-z][^>]*>|[{}]|(?:\|\s*){3}")
_ADDRESS = re.compile(r"https?://|\bwww\.|\b[\w.+-]+@[\w-]+\.\w", re.IGNORECASE)


class TextFilter:
    """The rules for texts of one language, applied block by block.

    Parameters
    ----------
    lang
        Language of the texts.
    rules
        Names of rules, of `RULES`.

    Attributes
    ----------
    counts
        Rule → texts that it removed.

    Raises
    ------
    InputError
        For an unknown rule.

    Examples
    --------
    >>> TextFilter("en", rules=["length", "address"]).removed_by(
    ...     ["It rained all day.", "Short.", "More on www.example.org today."])
    [None, 'length', 'address']
    """

    def __init__(self, lang: str, *, rules: Sequence[str] = RULES) -> None:
        check_rules(rules, RULES)
        self.rules = tuple(name for name in RULES if name in rules)
        self.counts: Counter[str] = Counter(dict.fromkeys(self.rules, 0))
        self._languages = LanguageRule([lang])
        self._met: set[int] = set()

    @property
    def n_language_unknown(self) -> int:
        """Texts whose language the identifier does not know."""
        return self._languages.n_unknown

    def removed_by(self, texts: Sequence[str]) -> list[str | None]:
        """Return the rule that removes each text, None for those that are kept."""
        found: list[str | None] = [None] * len(texts)
        for name in self.rules:
            rows = [row for row, rule in enumerate(found) if rule is None]
            judged = getattr(self, f"_{name}")([texts[row] for row in rows])
            for row, removes in zip(rows, judged, strict=True):
                if removes:
                    found[row] = name
        self.counts.update(name for name in found if name is not None)
        return found

    def _length(self, texts: list[str]) -> list[bool]:
        return [not FEWEST_CHARACTERS <= len(text.strip()) <= MOST_CHARACTERS for text in texts]

    def _letters(self, texts: list[str]) -> list[bool]:
        return [_share_of_letters(text) < LEAST_LETTERS for text in texts]

    def _markup(self, texts: list[str]) -> list[bool]:
        return [_MARKUP.search(text) is not None for text in texts]

    def _address(self, texts: list[str]) -> list[bool]:
        return [_ADDRESS.search(text) is not None for text in texts]

    def _repeated(self, texts: list[str]) -> list[bool]:
        return met_before(map(letters_and_digits, texts), self._met)

    def _language(self, texts: list[str]) -> list[bool]:
        return self._languages.removes(texts)


def _share_of_letters(text: str) -> float:
    kinds = Counter(unicodedata.category(one)[0] for one in text if not one.isspace())
    return (kinds["L"] + kinds["M"]) / max(1, kinds.total())
