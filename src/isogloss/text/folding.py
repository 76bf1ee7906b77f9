"""Fold texts for name matching, with the place of every unit in the original string.

A folded text is an array of code points ("units") in which spellings that differ in nothing a
reader would call another word are equal. The rules, in this one place:

- Canonically equivalent spellings are equal (NFC), composed or not.
- Simple case folding, one character to one: *ß* stays, *ẞ* becomes *ß*, *ς* becomes *σ*; in
  Turkish and Azerbaijani *I* is *ı* and *İ* is *i*, elsewhere both are *i*. Case is remembered
  for every unit, since a name's capitals matter (see `isogloss.kb`).
- Marks that writers of a script may leave out are left out: Arabic vowel signs and tatweel,
  Hebrew points. No other mark is ever removed: が is not か.
- Invisible characters are left out: soft hyphen, joiners, direction marks, variation selectors.
- Arabic and Persian kaf and yeh are equal; full-width Latin letters and digits are plain ones;
  apostrophes, hyphens and spaces have one form each, and a run of spaces is one.

The original string is never changed, and no length ever shifts: spans index the original.
"""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d, SmallInts1d, offsets_of
from isogloss.compiled import compiled, interrupts_wait
from isogloss.text.scripts import FREE, MARK, OTHER, SPACE, TABLE_SIZE, kind_table, mark_boundaries

LOWER, UPPER = 1, 2  # case of a unit; 0: a character without case
DROPPED = 0xFFFFFFFF
TURKIC = frozenset({"tr", "az", "crh", "gag"})

_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u02b9\u05f3\uff07`\u00b4"
_HYPHENS = "\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d\u05be"
_QUOTES = "\u05f4\u201c\u201d\u201e"
_OPTIONAL = (
    (0x0591, 0x05BD), (0x05BF, 0x05BF), (0x05C1, 0x05C2), (0x05C4, 0x05C5), (0x05C7, 0x05C7),
    (0x0610, 0x061A), (0x0640, 0x0640), (0x064B, 0x0652), (0x0656, 0x065F), (0x0670, 0x0670),
    (0x06D6, 0x06DC), (0x06DF, 0x06E4), (0x06E7, 0x06E8), (0x06EA, 0x06ED),
)  # fmt: skip
_INVISIBLE = (
    (0x00AD, 0x00AD), (0x034F, 0x034F), (0x061C, 0x061C), (0x180B, 0x180F), (0x200B, 0x200F),
    (0x202A, 0x202E), (0x2060, 0x2064), (0x2066, 0x206F), (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF),
)  # fmt: skip


@dataclass(frozen=True)
class FoldedTexts:
    """Folded texts in flat arrays; text i is `[offsets[i]:offsets[i + 1]]` of the unit arrays.

    Attributes
    ----------
    units : uint32 array, (n_units,)
        Folded code points.
    start, end : int32 arrays, (n_units,)
        The characters of the original text that the unit represents.
    kinds, case : uint8 arrays, (n_units,)
        `isogloss.text.scripts.Kind`, and `LOWER`, `UPPER` or 0.
    boundary : uint8 array, (n_units + n_texts,)
        Text i owns `[offsets[i] + i : offsets[i + 1] + i + 1]`: `BEGIN` and `END` bits.
    """

    offsets: Ints1d
    units: "np.ndarray[tuple[int], np.dtype[np.uint32]]"
    start: SmallInts1d
    end: SmallInts1d
    kinds: Bytes1d
    case: Bytes1d
    boundary: Bytes1d

    def strings(self) -> list[str]:
        """Return each folded text as a string."""
        whole = self.units.tobytes().decode("utf-32-le", "surrogatepass")
        bounds = self.offsets.tolist()
        return [whole[a:b] for a, b in pairwise(bounds)]


def fold_texts(texts: Sequence[str], *, turkic: bool = False) -> FoldedTexts:
    """Fold texts of any language.

    Parameters
    ----------
    texts
        Any strings, lone surrogates and empty ones included.
    turkic
        Fold *I* and *İ* as Turkish and Azerbaijani do.

    Examples
    --------
    >>> fold_texts(["Cafe\u0301  WHO"]).strings()
    ['café who']
    """
    composed, moved = _compose(texts)
    lengths = np.fromiter((len(text) for text in composed), np.int64, len(composed))
    offsets = offsets_of(lengths)
    whole = "".join(composed).encode("utf-32-le", "surrogatepass")
    codes = np.frombuffer(whole, np.uint32)
    fold, case = fold_tables(turkic)
    with interrupts_wait():
        folded_offsets, units, start, end, kinds, cases, boundary = _fold(
            codes, offsets, fold, case, kind_table()
        )
    for index, places in moved.items():
        part = slice(int(folded_offsets[index]), int(folded_offsets[index + 1]))
        start[part] = places[start[part]]
        end[part] = places[end[part]]
    return FoldedTexts(folded_offsets, units, start, end, kinds, cases, boundary)


@lru_cache(maxsize=2)
def fold_tables(
    turkic: bool,
) -> tuple["np.ndarray[tuple[int], np.dtype[np.uint32]]", Bytes1d]:
    """Return folded code point (or `DROPPED`) and case of every code point below 0x20000."""
    fold = np.arange(TABLE_SIZE, dtype=np.uint32)
    case = np.zeros(TABLE_SIZE, np.uint8)
    for code in range(TABLE_SIZE):
        character = chr(code)
        category = unicodedata.category(character)
        if category not in ("Lu", "Ll", "Lt", "Nl", "So"):
            continue
        lower, upper = character.lower(), character.upper()
        if category in ("Lu", "Lt"):
            case[code] = UPPER
        elif lower != upper:
            case[code] = LOWER
        folded = character.casefold()
        folded = folded if len(folded) == 1 else lower
        if len(folded) == 1:
            fold[code] = ord(folded)
    fold[0x130] = ord("i")  # İ, whose lower case is two characters
    if turkic:
        fold[ord("I")] = 0x131
    for full, plain in zip(range(0xFF01, 0xFF5F), range(0x21, 0x7F), strict=True):
        fold[full] = fold[plain]
    fold[0x643], fold[0x64A] = 0x6A9, 0x6CC
    for characters, form in ((_APOSTROPHES, "'"), (_HYPHENS, "-"), (_QUOTES, '"')):
        for character in characters:
            fold[ord(character)] = ord(form)
    fold[kind_table() == SPACE] = ord(" ")
    for first, last in _OPTIONAL + _INVISIBLE:
        fold[first : last + 1] = DROPPED
    fold.setflags(write=False)
    case.setflags(write=False)
    return fold, case


def kinds_of_units(units: "np.ndarray[tuple[int], np.dtype[np.uint32]]") -> Bytes1d:
    """Return the `Kind` of each folded unit."""
    table = kind_table()
    kinds = np.where(units < 0x40000, FREE, OTHER).astype(np.uint8)
    low = units < TABLE_SIZE
    kinds[low] = table[units[low]]
    return kinds


@compiled
def _fold(codes: Any, text_offsets: Any, fold: Any, case: Any, kind: Any) -> Any:
    n_texts = text_offsets.size - 1
    offsets = np.zeros(n_texts + 1, np.int64)
    units = np.empty(codes.size, np.uint32)
    start = np.empty(codes.size, np.int32)
    end = np.empty(codes.size, np.int32)
    kinds = np.empty(codes.size, np.uint8)
    cases = np.empty(codes.size, np.uint8)
    boundary = np.empty(codes.size + n_texts, np.uint8)
    n = 0
    for text in range(n_texts):
        first = n
        origin = text_offsets[text]
        for i in range(origin, text_offsets[text + 1]):
            code = codes[i]
            unit, unit_case, unit_kind = code, np.uint8(0), np.uint8(FREE)
            if code < TABLE_SIZE:
                unit, unit_case = fold[code], case[code]
                unit_kind = kind[unit] if unit != DROPPED else kind[code]
            elif code >= 0x40000:
                unit_kind = np.uint8(OTHER)
                if 0xE0100 <= code < 0xE01F0:
                    unit, unit_kind = np.uint32(DROPPED), np.uint8(MARK)
            place = np.int32(i - origin)
            if unit == DROPPED:
                if unit_kind == MARK and n > first and end[n - 1] == place:
                    end[n - 1] = place + 1
                continue
            if unit_kind == SPACE and n > first and kinds[n - 1] == SPACE:
                continue
            units[n], start[n], end[n] = unit, place, place + 1
            kinds[n], cases[n] = unit_kind, unit_case
            n += 1
        offsets[text + 1] = n
        mark_boundaries(kinds[first:n], boundary[first + text : n + text + 1])
    return offsets, units[:n], start[:n], end[:n], kinds[:n], cases[:n], boundary[: n + n_texts]


def _compose(texts: Sequence[str]) -> tuple[list[str], dict[int, SmallInts1d]]:
    """Return the texts in NFC, and for those that changed the original place of each character."""
    composed = list(texts)
    moved: dict[int, SmallInts1d] = {}
    for index, text in enumerate(texts):
        if not text.isascii() and not unicodedata.is_normalized("NFC", text):
            composed[index], moved[index] = compose_with_places(text)
    return composed, moved


def compose_with_places(text: str) -> tuple[str, SmallInts1d]:
    """Return the text in NFC, and the place in the original of each of its characters.

    The text is cut where composition cannot reach across; a piece that changes length has all its
    characters start where the piece starts. The last entry is the original length, so `places[end]`
    is the original end of a span.
    """
    pieces: list[str] = []
    places: list[int] = []
    begin = 0
    for stop in range(1, len(text) + 1):
        if stop < len(text) and not _starts_piece(text[stop]):
            continue
        piece = text[begin:stop]
        normal = unicodedata.normalize("NFC", piece)
        pieces.append(normal)
        same_length = len(normal) == len(piece)
        places.extend(begin + i if same_length else begin for i in range(len(normal)))
        begin = stop
    places.append(len(text))
    return "".join(pieces), np.array(places, np.int32)


def _starts_piece(character: str) -> bool:
    """Say whether nothing before `character` can combine with it."""
    if character < "\u0300":
        return True
    # Vowel and final jamo, and a few vowel signs of class 0, compose with what precedes them.
    if unicodedata.combining(character) or unicodedata.category(character)[0] == "M":
        return False
    return not "\u1160" <= character <= "\u11ff"
