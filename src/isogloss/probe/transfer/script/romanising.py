"""Words in Latin letters, by the package uroman (Hermjakob et al. 2018).

This project uses the universal romanizer software 'uroman' written by Ulf Hermjakob, USC
Information Sciences Institute (2015-2020).

uroman has one reading a character, so Japanese kanji are read as Chinese (日本 is ``riben``), and
vowels that Arabic and Hebrew leave out stay out.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from isogloss.compat import require
from isogloss.text.languages import parse_language

# ISO 639-3 codes of the languages that uroman has rules of their own for.
_WITH_RULES = {
    "ar": "ara", "be": "bel", "bg": "bul", "de": "deu", "el": "ell", "fa": "fas", "grc": "grc",
    "kk": "kaz", "ky": "kir", "lt": "lit", "lv": "lav", "mk": "mkd", "os": "oss", "pnt": "pnt",
    "ps": "pus", "ru": "rus", "sr": "srp", "tr": "tur", "ug": "uig", "uk": "ukr", "yi": "yid",
}  # fmt: skip


@dataclass(frozen=True)
class RomanisedText:
    """Sentences of words in Latin letters.

    Attributes
    ----------
    n_changed
        Words that differ from what was given.
    n_kept
        Words of which nothing was left, and that stayed as they were.
    """

    sentences: list[list[str]]
    n_changed: int
    n_kept: int


def romanised(sentences: Sequence[Sequence[str]], lang: str) -> RomanisedText:
    """Romanise each word by itself, so that there are as many words as before, without blanks.

    Words of ASCII alone stay as they are.

    Raises
    ------
    InputError
        When uroman is not installed.
    """
    uroman, code = _uroman(), _WITH_RULES.get(parse_language(lang).partition("-")[0])
    made: dict[str, str] = {}
    n_changed = n_kept = 0
    found: list[list[str]] = []
    for words in sentences:
        found.append([])
        for word in words:
            if word not in made:
                latin = word if word.isascii() else uroman.romanize_string(word, lcode=code)
                made[word] = "".join(str(latin).split())
            n_changed += made[word] not in (word, "")
            n_kept += bool(word) and not made[word]
            found[-1].append(made[word] or word)
    return RomanisedText(found, n_changed, n_kept)


@lru_cache(maxsize=1)
def _uroman() -> Any:
    return require("uroman", extra="probe", why="romanising text").Uroman()
