"""Files in wikitext: ``[[File:name.jpg|thumb|left|alt=text|The caption with [[links]].]]``.

The caption is the last part that is no option, and is a line of its own in the text. Options
are words of the wiki's language (*mini*, *vignette*, *サムネイル*), so they are told by their
form: one word, or a name with an equals sign.
"""

from typing import Any

from isogloss.compiled import compiled
from isogloss.wiki.wikitext.lines import forget_apostrophes, put, rewind, trim_line
from isogloss.wiki.wikitext.state import (
    BRACKETS,
    DEPTH,
    EXTERNAL,
    HAS_CAPTION,
    HEADING,
    IS_OPTION,
    LINE,
    LINE_BEFORE,
    LINE_ROW,
    OUT,
    OUTER_EXTERNAL,
    ROW,
    ROW_BEFORE,
    SEGMENT,
    SEGMENT_ROW,
    SEGMENT_TARGETS,
    STEPS,
    TARGETS,
    TARGETS_BEFORE,
    TEXT_BEGIN,
)

_LONGEST_OPTION = 40
_LONGEST_UNSPACED = 15  # bytes: five characters of Han, kana or Thai; サムネイル


@compiled
def begin_segment(
    source: Any, at: Any, last: Any, state: Any, text: Any, links: Any, open_links: Any
) -> Any:
    """Begin the part of the innermost file that starts at `at`, behind a ``|``."""
    top = state[DEPTH] - 1
    is_option = _is_option(source, at, last)
    state[STEPS] += _LONGEST_OPTION
    if not is_option:
        if open_links[top, HAS_CAPTION]:
            _rewind_to_file(state, open_links, top)
        elif state[OUT] > state[LINE] and not state[HEADING]:
            break_line(state, text, links)
            open_links[top, TEXT_BEGIN] = state[OUT]
        open_links[top, HAS_CAPTION], open_links[top, LINE_BEFORE] = 1, state[LINE]
    open_links[top, IS_OPTION] = is_option
    open_links[top, SEGMENT], open_links[top, SEGMENT_ROW] = state[OUT], state[ROW]
    open_links[top, SEGMENT_TARGETS] = state[TARGETS]
    state[EXTERNAL] = state[BRACKETS] = 0


@compiled
def end_segment(state: Any, open_links: Any) -> Any:
    """Take back what was read of the part that ends, if it is an option."""
    top = state[DEPTH] - 1
    if open_links[top, IS_OPTION]:
        rewind(
            state, open_links[top, SEGMENT], open_links[top, SEGMENT_ROW],
            open_links[top, SEGMENT_TARGETS],
        )  # fmt: skip


@compiled
def close_file(state: Any, text: Any, links: Any, open_links: Any) -> Any:
    """Close the innermost file: its caption, if any, ends a line."""
    end_segment(state, open_links)
    top = state[DEPTH] - 1
    state[EXTERNAL], state[BRACKETS] = open_links[top, OUTER_EXTERNAL], 0
    state[DEPTH] = top
    if open_links[top, HAS_CAPTION] and not state[HEADING]:
        break_line(state, text, links)


@compiled
def break_line(state: Any, text: Any, links: Any) -> Any:
    """End the line of text within a line of the source."""
    trim_line(state, text, links)
    if state[OUT] > state[LINE]:
        put(state, text, 0x0A)
    state[LINE], state[LINE_ROW] = state[OUT], state[ROW]
    forget_apostrophes(state)


@compiled
def _rewind_to_file(state: Any, open_links: Any, top: Any) -> Any:
    """Take back a caption: a later one takes its place."""
    rewind(
        state, open_links[top, TEXT_BEGIN], open_links[top, ROW_BEFORE],
        open_links[top, TARGETS_BEFORE],
    )  # fmt: skip
    state[LINE] = min(open_links[top, LINE_BEFORE], state[OUT])


@compiled
def _is_option(source: Any, at: Any, last: Any) -> Any:
    """Say whether a part of a file looks like an option."""
    stop = min(last, at + _LONGEST_OPTION)
    while at < stop and (source[at] == 0x20 or source[at] == 0x0A):
        at += 1
    begin, n_words, in_word, is_spaced = at, 0, False, True
    while at < stop:
        byte = source[at]
        if byte == 0x7C or byte == 0x5D:
            is_short = is_spaced or at - begin <= _LONGEST_UNSPACED
            return n_words == 0 or (n_words == 1 and is_short) or _is_size(source, begin, at)
        if byte == 0x3D:
            return n_words == 1
        if byte == 0x5B or byte == 0x27 or byte == 0x3C or byte == 0x7B or byte == 0x26:
            return False
        n_words += byte > 0x20 and not in_word
        in_word = byte > 0x20
        if 0xE3 <= byte <= 0xE9 or (byte == 0xE0 and at + 1 < stop and source[at + 1] >= 0xB8):
            is_spaced = False
        at += 1
    return at >= last


@compiled
def _is_size(source: Any, at: Any, end: Any) -> Any:
    """Say whether `source[at:end]` is a size in pixels: ``200 px``, ``200x100px``."""
    while end > at and source[end - 1] == 0x20:
        end -= 1
    if not (end - at >= 3 and source[end - 1] == 0x78 and source[end - 2] == 0x70):
        return False
    for i in range(at, end - 2):
        if not (0x30 <= source[i] <= 0x39 or source[i] == 0x78 or source[i] == 0x20):
            return False
    return True
