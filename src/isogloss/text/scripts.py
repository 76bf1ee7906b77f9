"""Word boundaries for names in running text, for all scripts: used by the linker and the counts.

Every code point has one `Kind`; `boundary_between` decides from the kinds of two neighbours
whether a name may end between them. The rules:

- Scripts written with spaces (and Tibetan, whose syllables end in a tsheg): at word edges only.
  Punctuation is an edge, apostrophes and hyphens too: *l'Allemagne* holds *Allemagne*.
- Hangul words are words of their own: *KBS는* has an edge after *KBS*.
- Katakana: at the edges of a Katakana run, so that ロマン is not found in ロマンス.
- Han, Hiragana, Bopomofo, Thai, Lao, Khmer, Myanmar and the Tai scripts: between any two
  characters, but never inside a cluster: not before a dependent or small sign (า, ゃ, ー, 々),
  not after a vowel written before its consonant (เ), not beside a stacker (្).
- A combining mark is never parted from its base, whatever the script; the base decides.

Digits count as letters of a script with spaces. `folding` normalises the text before.
"""

import unicodedata
from enum import IntEnum
from functools import lru_cache
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d
from isogloss.compiled import compiled

BEGIN, END = 1, 2  # bits of a boundary: a name may begin, may end here
TABLE_SIZE = 0x20000  # everything above is Han, or a selector that `folding` leaves out


class Kind(IntEnum):
    """What a code point is to the search for names."""

    OTHER = 0  # punctuation, symbols, controls, emoji
    SPACE = 1
    WORD = 2  # letters and digits of scripts written with spaces
    HANGUL = 3
    KATAKANA = 4
    FREE = 5  # letters of scripts written without spaces
    MARK = 6  # belongs to what precedes it
    LEADING = 7  # belongs to what comes after it: Thai and Lao preposed vowels
    STACKER = 8  # joins both sides: Khmer coeng, Myanmar virama


OTHER, SPACE, WORD = int(Kind.OTHER), int(Kind.SPACE), int(Kind.WORD)
HANGUL, KATAKANA, FREE = int(Kind.HANGUL), int(Kind.KATAKANA), int(Kind.FREE)
MARK, LEADING, STACKER = int(Kind.MARK), int(Kind.LEADING), int(Kind.STACKER)

_RANGES = {
    Kind.FREE: (
        (0x0E01, 0x0EFF),  # Thai, Lao
        (0x1000, 0x109F), (0xA9E0, 0xA9FF), (0xAA60, 0xAA7F),  # Myanmar
        (0x1780, 0x17FF),  # Khmer
        (0x1950, 0x19DF), (0x1A20, 0x1AAF), (0xAA80, 0xAADF), (0x11700, 0x1174F),  # Tai, Ahom
        (0x2E80, 0x2FDF), (0x3006, 0x3007), (0x3021, 0x3029), (0x3038, 0x303C),  # Han
        (0x3041, 0x309F), (0x1B000, 0x1B11F),  # Hiragana
        (0x3100, 0x312F), (0x31A0, 0x31BF),  # Bopomofo
        (0x3400, 0x4DBF), (0x4E00, 0x9FFF), (0xF900, 0xFAFF),  # Han
    ),
    Kind.KATAKANA: ((0x30A1, 0x30FA), (0x30FF, 0x30FF), (0x31F0, 0x31FF), (0xFF66, 0xFF9D)),
    Kind.HANGUL: (
        (0x1100, 0x11FF), (0x3130, 0x318F), (0xA960, 0xA97F), (0xAC00, 0xD7FF), (0xFFA0, 0xFFDC),
    ),
}  # fmt: skip

# Letters by category that are written as part of the character before, after, or on both sides.
_MARKS = (
    "\u0e30\u0e32\u0e33\u0e45\u0e46\u0eb0\u0eb2\u0eb3\u0ec6"  # Thai and Lao vowels and repetition
    "\u3005\u309d\u309e\u30fc\u30fd\u30fe\uff70\uff9e\uff9f"  # 々 ゝ ー and half-width sound marks
    "ぁぃぅぇぉゃゅょゎ\U0001f3fb\U0001f3fc\U0001f3fd\U0001f3fe\U0001f3ff"
)
_LEADING = "\u0e40\u0e41\u0e42\u0e43\u0e44\u0ec0\u0ec1\u0ec2\u0ec3\u0ec4"
_STACKERS = "\u17d2\u1039\u1a60"


@lru_cache(maxsize=1)
def kind_table() -> Bytes1d:
    """Return the `Kind` of every code point below 0x20000, as a read-only array of bytes."""
    table = np.zeros(TABLE_SIZE, np.uint8)
    for code in range(TABLE_SIZE):
        category = unicodedata.category(chr(code))
        if category[0] in "LN":
            table[code] = Kind.WORD
        elif category[0] == "M":
            table[code] = Kind.MARK
        elif category == "Zs" or code in (9, 10, 11, 12, 13, 0x85, 0x2028, 0x2029):
            table[code] = Kind.SPACE
    for kind, ranges in _RANGES.items():
        for first, last in ranges:
            part = table[first : last + 1]
            part[part == Kind.WORD] = kind
    for characters, kind in (
        (_MARKS, Kind.MARK),
        (_LEADING, Kind.LEADING),
        (_STACKERS, Kind.STACKER),
    ):
        for character in characters:
            table[ord(character)] = kind
    table.setflags(write=False)
    return table


def kind_of(character: str) -> Kind:
    """Return the `Kind` of one character.

    Examples
    --------
    >>> kind_of("ж").name, kind_of("字").name, kind_of("ロ").name, kind_of("é"[-1]).name
    ('WORD', 'FREE', 'KATAKANA', 'WORD')
    """
    code = ord(character)
    return Kind(int(kind_table()[code])) if code < TABLE_SIZE else Kind.FREE


@compiled
def boundary_between(before: int, after: int) -> bool:
    """Say whether a name may end, or begin, between two neighbouring characters.

    Parameters
    ----------
    before
        Kind of the left neighbour; for a mark, the kind of its base (see `mark_boundaries`).
    after
        Kind of the right neighbour.
    """
    if after in (MARK, STACKER) or before in (LEADING, STACKER):
        return False
    return before != after or before not in (WORD, HANGUL, KATAKANA)


@compiled
def mark_boundaries(kinds: Any, boundary: Any) -> None:
    """Write where in one text a name may begin or end. No name begins or ends with a space.

    Parameters
    ----------
    kinds : uint8 array, (n,)
        Kinds of the text's characters.
    boundary : uint8 array, (n + 1,)
        Written: `BEGIN` and `END` bits of the place before character i.
    """
    base = OTHER
    for i in range(kinds.size):
        kind = kinds[i]
        is_edge = boundary_between(base, kind)
        boundary[i] = 0
        if is_edge and kind != SPACE:
            boundary[i] |= BEGIN
        if is_edge and i > 0 and kinds[i - 1] != SPACE:
            boundary[i] |= END
        if kind != MARK:
            base = kind
    ends = kinds.size > 0 and kinds[kinds.size - 1] != SPACE
    boundary[kinds.size] = END if ends else 0
