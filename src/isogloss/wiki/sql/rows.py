r"""Rows of an SQL INSERT: one compiled pass over bytes, from ``(1,'a'),(2,NULL);`` to columns.

Values are strings (``'…'`` with backslash escapes or doubled quotes, ``_binary '…'``), hexadecimal
literals (``0x…``), numbers and NULL. mysqldump never leaves a line end in a string, so one there is
the end of a row that was cut off. The pass is linear: what is damaged is skipped up to the next
row or line.
"""

from typing import Any

import numpy as np

from isogloss.compiled import compiled

OPEN, ENDED = 0, 1  # whether the statement goes on after the bytes given

_WHOLE, _CUT, _BAD = 0, 1, 2
_QUOTE, _BACKSLASH, _LINE, _COMMA = ord("'"), ord("\\"), ord("\n"), ord(",")
_FIRST, _LAST, _END, _ZERO, _NINE = ord("("), ord(")"), ord(";"), ord("0"), ord("9")
_RETURN, _SPACE, _MINUS, _LITERAL, _NULL = ord("\r"), ord(" "), ord("-"), ord("_"), ord("N")

# What a byte stands for after a backslash: most for themselves.
_ESCAPES = np.arange(256, dtype=np.uint8)
_ESCAPES[list(b"0bnrtZ")] = [0, 8, 10, 13, 9, 26]
_DIGITS = np.full(256, -1, np.int64)
_DIGITS[list(b"0123456789abcdef")] = range(16)
_DIGITS[list(b"ABCDEF")] = range(10, 16)


@compiled
def scan_rows(
    data: Any, place: Any, slots: Any, numbers: Any, strings: Any, offsets: Any
) -> tuple[Any, Any, Any, Any]:
    """Read whole rows into columns; return where they end, the state, rows and lost rows.

    Parameters
    ----------
    data
        Bytes; shape (n_bytes,).
    place
        Where to begin: after VALUES, or at a row.
    slots
        For each column of the table: its row in `numbers`, or that plus the number of rows of
        `numbers`: its row in `strings`; -1: not wanted.
    numbers
        Filled; shape (n_numbers, most_rows). NULL is -1.
    strings
        Filled, unescaped, one string after the other; shape (n_strings, n_bytes).
    offsets
        Filled with where strings end, 0 first; shape (n_strings, most_rows + 1).
    """
    n_rows = 0
    n_omitted = 0
    while True:
        while place < data.size and (
            data[place] == _COMMA
            or data[place] == _LINE
            or data[place] == _SPACE
            or data[place] == _RETURN
        ):
            place += 1
        if place == data.size:
            return place, OPEN, n_rows, n_omitted
        if data[place] == _END:
            return place + 1, ENDED, n_rows, n_omitted
        state, end = _row(data, place, slots, numbers, strings, offsets, n_rows)
        if state == _CUT:
            return place, OPEN, n_rows, n_omitted
        if state == _WHOLE:
            n_rows += 1
            place = end
            continue
        is_new_line = place == end and place > 0 and data[place - 1] == _LINE
        after = place if is_new_line else _next_row(data, end)
        if after < 0:  # look again with what follows
            return place, OPEN, n_rows, n_omitted
        n_omitted += 1
        place = after
        if data[place] != _FIRST:  # the statement was broken off
            return place, ENDED, n_rows, n_omitted


@compiled
def _next_row(data: Any, place: Any) -> Any:
    """Return where the next row begins, or the line ends; -1 when neither comes."""
    while place < data.size:
        if data[place] == _LINE:
            is_row = place + 1 < data.size and data[place + 1] == _FIRST
            return place + 1 if is_row else place
        if (
            data[place] == _FIRST
            and place >= 2
            and data[place - 1] == _COMMA
            and data[place - 2] == _LAST
        ):
            return place
        place += 1
    return -1


@compiled
def _row(
    data: Any, place: Any, slots: Any, numbers: Any, strings: Any, offsets: Any, row: Any
) -> Any:
    """Read one row; return its state and where it ended or was seen to be damaged."""
    if data[place] != _FIRST:
        return _BAD, place
    place += 1
    n_numbers = numbers.shape[0]
    for column in range(slots.size):
        if column:
            if place == data.size:
                return _CUT, place
            if data[place] != _COMMA:
                return _BAD, place
            place += 1
        slot = slots[column]
        if 0 <= slot < n_numbers:
            state, place = _number(data, place, numbers, slot, row)
        else:
            slot -= n_numbers
            used = offsets[slot, row] if slot >= 0 else 0
            state, place, used = _value(data, place, strings, slot, used)
            if slot >= 0:
                offsets[slot, row + 1] = used
        if state != _WHOLE:
            return state, place
    if place == data.size:
        return _CUT, place
    return (_WHOLE, place + 1) if data[place] == _LAST else (_BAD, place)


@compiled
def _number(data: Any, place: Any, numbers: Any, slot: Any, row: Any) -> Any:
    """Read a whole number, quoted or not, or NULL."""
    if place < data.size and data[place] == _NULL:
        numbers[slot, row] = -1
        return _name(data, place)
    is_quoted = place < data.size and data[place] == _QUOTE
    place += is_quoted
    is_negative = place < data.size and data[place] == _MINUS
    place += is_negative
    start = place
    value = np.int64(0)
    while place < data.size and _ZERO <= data[place] <= _NINE:
        value = value * 10 + np.int64(data[place] - _ZERO)
        place += 1
    if place == data.size:
        return _CUT, place
    if place == start or place > start + 18 or (is_quoted and data[place] != _QUOTE):
        return _BAD, place
    numbers[slot, row] = -value if is_negative else value
    return _WHOLE, place + is_quoted


@compiled
def _value(data: Any, place: Any, strings: Any, slot: Any, used: Any) -> Any:
    """Read any value into a row of `strings` from `used` on, or over it (`slot` below 0).

    Returns its state, where it ended in the data, and where in the strings.
    """
    if place == data.size:
        return _CUT, place, used
    if data[place] == _LITERAL:  # _binary '…'
        while place < data.size and data[place] != _SPACE and data[place] != _QUOTE:
            if data[place] == _LINE:
                return _BAD, place, used
            place += 1
        while place < data.size and data[place] == _SPACE:
            place += 1
        if place == data.size:
            return _CUT, place, used
        if data[place] != _QUOTE:
            return _BAD, place, used
    if data[place] == _QUOTE:
        return _quoted(data, place + 1, strings, slot, used)
    if data[place] == _ZERO:
        if place + 1 == data.size:
            return _CUT, place, used
        if data[place + 1] == ord("x"):
            return _hexadecimal(data, place + 2, strings, slot, used)
    return _bare(data, place, strings, slot, used)


@compiled
def _quoted(data: Any, place: Any, strings: Any, slot: Any, used: Any) -> Any:
    is_kept = slot >= 0
    while place < data.size:
        byte = data[place]
        if byte == _QUOTE:
            if place + 1 == data.size:
                return _CUT, place, used
            if data[place + 1] != _QUOTE:
                return _WHOLE, place + 1, used
            place += 1
        elif byte == _BACKSLASH:
            place += 1
            if place == data.size:
                return _CUT, place, used
            byte = _ESCAPES[data[place]]
        elif byte == _LINE:
            return _BAD, place, used
        if is_kept:
            strings[slot, used] = byte
            used += 1
        place += 1
    return _CUT, place, used


@compiled
def _hexadecimal(data: Any, place: Any, strings: Any, slot: Any, used: Any) -> Any:
    is_kept = slot >= 0
    start = place
    while place + 1 < data.size and _DIGITS[data[place]] >= 0 and _DIGITS[data[place + 1]] >= 0:
        if is_kept:
            strings[slot, used] = _DIGITS[data[place]] * 16 + _DIGITS[data[place + 1]]
            used += 1
        place += 2
    if place + 1 >= data.size:
        return _CUT, place, used
    return (_WHOLE if place > start else _BAD), place, used


@compiled
def _bare(data: Any, place: Any, strings: Any, slot: Any, used: Any) -> Any:
    """Read a number of any kind, or NULL, which is empty."""
    start = place
    is_kept = slot >= 0
    while place < data.size:
        byte = data[place]
        is_letter = ord("A") <= (byte & 0xDF) <= ord("Z")
        is_number = _ZERO <= byte <= _NINE or byte == _MINUS or byte == ord("+") or byte == ord(".")
        if not (is_letter or is_number):
            break
        place += 1
    if place == data.size:
        return _CUT, place, used
    if place == start:
        return _BAD, place, used
    if is_kept and data[start] != _NULL:
        for i in range(start, place):
            strings[slot, used] = data[i]
            used += 1
    return _WHOLE, place, used


@compiled
def _name(data: Any, place: Any) -> Any:
    """Read over NULL."""
    while place < data.size and ord("A") <= data[place] <= ord("Z"):
        place += 1
    return (_CUT if place == data.size else _WHOLE), place
