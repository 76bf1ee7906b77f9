"""What the wikitext scanner writes: characters, lines, headings, and the apostrophes of a line.

All positions are bytes in the text of the whole block until the page ends.
"""

from typing import Any

from isogloss.compiled import compiled
from isogloss.storage.word_table import find_word
from isogloss.wiki.wikitext.rules import ENTITY
from isogloss.wiki.wikitext.state import (
    AFTER_LETTER,
    AFTER_SPACE,
    AFTER_WORD,
    BOLD,
    BRACKETS,
    DEPTH,
    EXTERNAL,
    HEADING,
    ITALIC,
    LINE,
    LINE_ROW,
    OUT,
    ROW,
    ROW_END,
    ROW_START,
    RUN_END,
    SECTIONS,
    SEGMENT,
    STEPS,
    TARGETS,
    TEXT_BEGIN,
)

_LONGEST_ENTITY = 34
_MOST_EQUALS = 6


@compiled
def put(state: Any, text: Any, byte: Any) -> Any:
    """Write one byte of text."""
    text[state[OUT]] = byte
    state[OUT] += 1


@compiled
def skip_blanks(source: Any, at: Any, last: Any, state: Any, text: Any) -> Any:
    """Return the place of the next byte; of blanks around what is not read one is enough."""
    if state[OUT] == state[LINE] or text[state[OUT] - 1] == 0x20:
        while at < last and source[at] == 0x20:
            at += 1
    return at


@compiled
def write_character(code: Any, into: Any, at: Any) -> Any:
    """Write a code point in UTF-8; return the place after it."""
    if code < 0x80:
        into[at] = code
        return at + 1
    if code < 0x800:
        into[at] = 0xC0 | (code >> 6)
        into[at + 1] = 0x80 | (code & 0x3F)
        return at + 2
    if code < 0x10000:
        into[at] = 0xE0 | (code >> 12)
        into[at + 1] = 0x80 | ((code >> 6) & 0x3F)
        into[at + 2] = 0x80 | (code & 0x3F)
        return at + 3
    into[at] = 0xF0 | (code >> 18)
    into[at + 1] = 0x80 | ((code >> 12) & 0x3F)
    into[at + 2] = 0x80 | ((code >> 6) & 0x3F)
    into[at + 3] = 0x80 | (code & 0x3F)
    return at + 4


@compiled
def write_entity(source: Any, at: Any, last: Any, into: Any, place: Any, words: Any) -> Any:
    """Write the character that the entity at `at` stands for, or its ``&`` where it is none.

    Return the place after the entity in the source, and after what was written.
    """
    end = at + 1
    stop = min(last, at + _LONGEST_ENTITY)
    while end < stop and source[end] != 0x3B and source[end] > 0x20 and source[end] != 0x26:
        end += 1
    value = -1
    if end < stop and source[end] == 0x3B and end > at + 1:
        if source[at + 1] == 0x23:
            value = _number(source, at + 2, end)
        else:
            value = find_word(ENTITY, source, at + 1, end, False, words)
    if value < 0:
        into[place] = 0x26
        return at + 1, place + 1
    code, second = value & 0xFFFFFF, value >> 24
    place = write_character(0x20 if code < 0x20 else code, into, place)
    if second:
        place = write_character(second, into, place)
    return end + 1, place


@compiled
def _number(source: Any, at: Any, end: Any) -> Any:
    """Return the code point of ``65`` or ``x41``, or -1 where there is no such character."""
    base = 10
    if at < end and source[at] | 0x20 == 0x78:
        base, at = 16, at + 1
    if at == end or end - at > 8:
        return -1
    value = 0
    for i in range(at, end):
        digit = source[i] - 0x30
        if base == 16 and 0x61 <= source[i] | 0x20 <= 0x66:
            digit = (source[i] | 0x20) - 0x57
        if digit < 0 or digit >= base:
            return -1
        value = value * base + digit
    if value == 0 or value > 0x10FFFF or 0xD800 <= value < 0xE000:
        return -1
    return value


@compiled
def rewind(state: Any, place: Any, row: Any, targets: Any) -> Any:
    """Take back what was written since `place`, link `row` and byte `targets` of the targets."""
    state[OUT], state[ROW], state[TARGETS] = min(place, state[OUT]), row, targets
    state[LINE_ROW] = min(state[LINE_ROW], row)
    for i in range(AFTER_LETTER, AFTER_SPACE + 1):
        if state[i] > place:
            state[i] = -1


@compiled
def end_line(state: Any, text: Any, links: Any, sections: Any, open_links: Any) -> Any:
    """End the line: apostrophes, blanks, the heading, and the line break unless it is empty."""
    balance_apostrophes(state, text, links, open_links)
    trim_line(state, text, links)
    if state[HEADING]:
        _heading(state, text, links, sections)
    if state[OUT] > state[LINE]:
        put(state, text, 0x0A)
    state[LINE], state[LINE_ROW] = state[OUT], state[ROW]
    state[HEADING] = state[EXTERNAL] = state[BRACKETS] = 0


@compiled
def trim_line(state: Any, text: Any, links: Any) -> Any:
    """Take blanks off the end of the line; links that began or ended in them end before them."""
    out = state[OUT]
    while out > state[LINE] and (text[out - 1] == 0x20 or text[out - 1] == 9):
        out -= 1
    if out < state[OUT]:
        state[OUT] = out
        for row in range(state[LINE_ROW], state[ROW]):
            links[row, ROW_START] = min(links[row, ROW_START], out)
            links[row, ROW_END] = min(links[row, ROW_END], out)


@compiled
def _heading(state: Any, text: Any, links: Any, sections: Any) -> Any:
    """Take the equals signs off the line and begin a section, if it is a heading."""
    begin, out = state[LINE], state[OUT]
    n_left = n_right = 0
    while begin + n_left < out and text[begin + n_left] == 0x3D:
        n_left += 1
    while out - n_right > begin and text[out - 1 - n_right] == 0x3D:
        n_right += 1
    if n_left == out - begin:  # nothing else: the sign in the middle is the heading, if no template
        n_left = n_right = (n_left - (state[HEADING] == 1)) // 2
    level = min(n_left, n_right, _MOST_EQUALS)
    if level < 1:
        return
    first, end = begin + level, out - level
    while first < end and (text[first] == 0x20 or text[first] == 9):
        first += 1
    while end > first and (text[end - 1] == 0x20 or text[end - 1] == 9):
        end -= 1
    for i in range(end - first):
        text[begin + i] = text[first + i]
    state[OUT] = begin + end - first
    for row in range(state[LINE_ROW], state[ROW]):
        for column in range(ROW_START, ROW_END + 1):
            links[row, column] = min(max(links[row, column], first), end) - first + begin
    row = state[SECTIONS]
    sections[row, 0], sections[row, 1], sections[row, 2] = level, begin, end - first
    state[SECTIONS] = row + 1


@compiled
def apostrophes(source: Any, at: Any, stop: Any, state: Any, text: Any) -> Any:
    """Read a run of apostrophes: two are italics, three bold, five both (MediaWiki's doQuotes)."""
    end = at + 1
    while end < stop and source[end] == 0x27:
        end += 1
    n = end - at
    n_literal = 1 if n == 1 or n == 4 else max(n - 5, 0)
    for _ in range(n_literal):
        put(state, text, 0x27)
    n -= n_literal
    state[BOLD] += n == 3 or n == 5
    state[ITALIC] += n == 2 or n == 5
    if n == 3:
        out, size = state[OUT], state[OUT] - max(state[LINE], state[RUN_END])
        which = AFTER_WORD
        if size >= 1 and text[out - 1] == 0x20:
            which = AFTER_SPACE
        elif size >= 2 and text[out - 2] == 0x20:
            which = AFTER_LETTER
        if state[which] < 0:
            state[which] = out
    if n:
        state[RUN_END] = state[OUT]
    return end


@compiled
def balance_apostrophes(state: Any, text: Any, links: Any, open_links: Any) -> Any:
    """Where bold and italics are both odd, one bold run was an apostrophe before italics.

    MediaWiki takes the first that follows a word of one letter (*l'''idée''*), else the first that
    follows another word, else the first after a blank.
    """
    place = state[AFTER_LETTER]
    if place < 0:
        place = state[AFTER_WORD]
    if place < 0:
        place = state[AFTER_SPACE]
    is_odd = state[BOLD] % 2 == 1 and state[ITALIC] % 2 == 1
    forget_apostrophes(state)
    if not is_odd or place < state[LINE] or place > state[OUT]:
        return
    for i in range(state[OUT], place, -1):
        text[i] = text[i - 1]
    text[place] = 0x27
    state[STEPS] += state[OUT] - place
    state[OUT] += 1
    for row in range(state[LINE_ROW], state[ROW]):
        if links[row, ROW_START] >= place:
            links[row, ROW_START] += 1
            links[row, ROW_END] += 1
        elif links[row, ROW_END] > place:
            links[row, ROW_END] += 1
    for depth in range(state[DEPTH]):
        for column in (TEXT_BEGIN, SEGMENT):
            open_links[depth, column] += open_links[depth, column] > place


@compiled
def forget_apostrophes(state: Any) -> Any:
    """Start counting anew."""
    state[BOLD] = state[ITALIC] = 0
    state[AFTER_LETTER] = state[AFTER_WORD] = state[AFTER_SPACE] = -1


@compiled
def begin_line(source: Any, at: Any, stop: Any, state: Any) -> Any:
    """Skip what marks a line as list, heading, rule or row of a broken table."""
    if at < stop and source[at] == 0x3D and state[OUT] == state[LINE]:
        state[HEADING] = 1
        return at
    while at < stop and _is_list_mark(source[at]):
        at += 1
    if at + 3 < stop and source[at] == source[at + 1] == source[at + 2] == source[at + 3] == 0x2D:
        while at < stop and source[at] == 0x2D:
            at += 1
    elif at + 1 < stop and (source[at] == 0x7C or (source[at] == 0x7B and source[at + 1] == 0x7C)):
        after = source[at + 1]
        if source[at] == 0x7B or after == 0x2D:  # the attributes of a table or of its row
            while at < stop and source[at] != 0x0A:
                at += 1
        else:
            at += 2 if after == 0x2B or after == 0x7D else 1
    return at


@compiled
def _is_list_mark(byte: Any) -> Any:
    return byte == 0x20 or byte == 9 or byte == 0x2A or byte == 0x23 or byte == 0x3A or byte == 0x3B
