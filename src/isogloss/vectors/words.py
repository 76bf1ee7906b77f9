"""Cut text into words, by script: what vectors of words are trained on.

A word is a run of letters, digits and their marks. Where a script is written without spaces, the
smallest unit that a name may be is a word (`isogloss.text.scripts`): a Han character, a Thai
cluster, a run of Katakana. Signs are no words, and part words: *l'eau* is two. An underscore is a
sign. Nothing is normalised but, if wanted, capitals, each character for itself.
"""

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from isogloss.arrays import Bytes1d, Ints1d
from isogloss.compiled import compiled, interrupts_wait
from isogloss.text.scripts import (
    FREE,
    MARK,
    OTHER,
    SPACE,
    STACKER,
    TABLE_SIZE,
    boundary_between,
    kind_table,
)

TOKENIZER = "isogloss words 1"  # kept with vectors; a change of the rules changes it
_JOINERS = "\u200c\u200d"  # within a word of Persian or Hindi
_END_OF_HAN = 0x40000
MOST_GROWTH = 2  # by which small letters take more bytes: I becomes ı in Turkish, Ⱥ grows by half


class Words(NamedTuple):
    """Words of texts, in order.

    Parameters
    ----------
    data, offsets
        Word i is ``data[offsets[i]:offsets[i + 1]]``, UTF-8, in small letters if that was wanted.
    start, end
        Its place in the text, in bytes.
    """

    data: Bytes1d
    offsets: Ints1d
    start: Ints1d
    end: Ints1d


def split_words(
    text: Bytes1d, text_offsets: Ints1d, *, lowercase: bool = True, turkic: bool = False
) -> Words:
    """Cut texts into words; none crosses from a text into the next.

    Parameters
    ----------
    text, text_offsets
        Text i is ``text[text_offsets[i]:text_offsets[i + 1]]``, UTF-8.
    turkic
        Make *ı* of *I*, as Turkish and Azerbaijani do.

    Examples
    --------
    >>> text = np.frombuffer("L'Île de 東京 24%".encode(), np.uint8)
    >>> words = split_words(text, np.array([0, text.size]))
    >>> [words.data[a:b].tobytes().decode() for a, b in zip(words.offsets, words.offsets[1:])]
    ['l', 'île', 'de', '東', '京', '24']
    """
    with interrupts_wait():
        return Words(*_split(text, text_offsets, _kinds(), _letters(lowercase, turkic)))


@lru_cache(maxsize=1)
def _kinds() -> Bytes1d:
    kinds = kind_table().copy()
    for joiner in _JOINERS:
        kinds[ord(joiner)] = MARK
    return kinds


@lru_cache(maxsize=3)
def _letters(lowercase: bool, turkic: bool) -> "np.ndarray[tuple[int], np.dtype[np.uint32]]":
    """Return what is written for each code point below 0x20000."""
    written = np.arange(TABLE_SIZE, dtype=np.uint32)
    if lowercase:
        for code in range(TABLE_SIZE):
            lower = chr(code).lower()
            if len(lower) == 1:
                written[code] = ord(lower)
        written[0x130] = ord("i")  # İ, whose lower case is two characters
        if turkic:
            written[ord("I")] = 0x131
    return written


@compiled
def _decoded(text: Any, at: Any) -> Any:
    """Return the code point at a place of UTF-8, and its length."""
    first = np.int64(text[at])
    if first < 0x80:
        return first, 1
    if first < 0xE0:
        return (first & 0x1F) << 6 | np.int64(text[at + 1] & 0x3F), 2
    if first < 0xF0:
        second = np.int64(text[at + 1] & 0x3F) << 6
        return (first & 0x0F) << 12 | second | np.int64(text[at + 2] & 0x3F), 3
    middle = np.int64(text[at + 1] & 0x3F) << 12 | np.int64(text[at + 2] & 0x3F) << 6
    return (first & 0x07) << 18 | middle | np.int64(text[at + 3] & 0x3F), 4


@compiled
def _encode(code: Any, data: Any, n: Any) -> Any:
    """Write a code point as UTF-8; return the new end."""
    if code < 0x80:
        data[n] = code
        return n + 1
    if code < 0x800:
        data[n] = 0xC0 | code >> 6
    else:
        if code < 0x10000:
            data[n] = 0xE0 | code >> 12
        else:
            data[n] = 0xF0 | code >> 18
            n += 1
            data[n] = 0x80 | (code >> 12 & 0x3F)
        n += 1
        data[n] = 0x80 | (code >> 6 & 0x3F)
    data[n + 1] = 0x80 | (code & 0x3F)
    return n + 2


@compiled
def _split(text: Any, text_offsets: Any, kinds: Any, letters: Any) -> Any:
    data = np.empty(MOST_GROWTH * text.size + 4, np.uint8)  # what is not written takes no memory
    offsets = np.empty(text.size + 1, np.int64)
    start, end = np.empty(text.size, np.int64), np.empty(text.size, np.int64)
    n = 0
    n_bytes: Any = np.int64(0)
    kind: Any
    letter: Any
    base: Any
    offsets[0] = 0
    for one in range(text_offsets.size - 1):
        at, base, is_open = text_offsets[one], OTHER, False
        while at < text_offsets[one + 1]:
            code, size = _decoded(text, at)
            if code < TABLE_SIZE:
                kind, letter = np.int64(kinds[code]), np.int64(letters[code])
            else:
                kind, letter = (FREE if code < _END_OF_HAN else OTHER), code
            if is_open and boundary_between(base, kind):
                end[n], offsets[n + 1] = at, n_bytes
                n += 1
                is_open = False
            if not is_open and kind not in (OTHER, SPACE, MARK, STACKER):
                start[n] = at
                is_open = True
            if is_open:
                n_bytes = _encode(letter, data, n_bytes)
            if kind != MARK:
                base = kind
            at += size
        if is_open:
            end[n], offsets[n + 1] = at, n_bytes
            n += 1
    return data[:n_bytes].copy(), offsets[: n + 1].copy(), start[:n].copy(), end[:n].copy()
