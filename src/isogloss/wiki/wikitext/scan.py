"""The loop of the wikitext scanner: one pass over a page's bytes, between its cuts.

Plain bytes are copied; each byte that may be markup goes to the function that knows it, which
writes what is to be read of it and returns where to go on. Nothing is looked at again, but for
the few bytes after an opening bracket that cannot be one.
"""

from typing import Any

from isogloss.compiled import compiled
from isogloss.wiki.wikitext.brackets import close_bracket, open_bracket
from isogloss.wiki.wikitext.cuts import tag_end, tag_kind
from isogloss.wiki.wikitext.file_links import begin_segment, break_line, end_segment
from isogloss.wiki.wikitext.lines import (
    apostrophes,
    balance_apostrophes,
    begin_line,
    end_line,
    forget_apostrophes,
    put,
    skip_blanks,
    write_entity,
)
from isogloss.wiki.wikitext.rules import BLOCK, SPACED
from isogloss.wiki.wikitext.state import (
    BEGIN,
    CUT,
    DEPTH,
    END,
    FIRST,
    FRESH,
    HEADING,
    KIND,
    LAST,
    LINE,
    LINK_KIND,
    N_CUTS,
    NAME_BYTES,
    NAMES,
    OPEN_FILE,
    OUT,
    PAGE,
    ROW,
    ROW_END,
    ROW_START,
    SECTIONS,
    STEPS,
    TEMPLATE,
    VERBATIM,
)

_LONGEST_TEMPLATE_NAME = 255
_LONGEST_SWITCH = 80


@compiled
def scan_page(
    source: Any, first: Any, last: Any, cuts: Any, open_links: Any, markup: Any, text: Any,
    links: Any, targets: Any, sections: Any, templates: Any, state: Any,
) -> Any:  # fmt: skip
    """Write text, links, sections and template names of the page `source[first:last]`.

    Its cuts (`find_cuts`) are in `cuts`; what is written goes behind what `state` counts. `markup`
    holds the bytes that may be markup, the letters behind links and the table of words;
    `templates` the bytes of the templates' names and where each ends.
    """
    special, trail, words = markup
    first_row, first_section = state[ROW], state[SECTIONS]
    _begin_page(state, sections)
    at = first
    while True:
        cut = state[CUT]
        while cut < state[N_CUTS] and cuts[cut, BEGIN] < at:  # jumped over, or into
            at = max(at, cuts[cut, END])
            cut += 1
        state[CUT] = cut
        stop = cuts[cut, BEGIN] if cut < state[N_CUTS] else last
        if state[FRESH]:
            at = begin_line(source, at, stop, state)
        # Most bytes are plain: this loop is what a page costs, so it keeps its place in a variable.
        out = state[OUT]
        while at < stop and not special[source[at]]:
            text[out] = source[at]
            out += 1
            at += 1
        if out > state[OUT]:
            state[OUT], state[FRESH] = out, 0
        if at >= stop:
            if at >= last:
                break
            at = _cut(source, last, cuts, open_links, words, text, links, templates, state)
        elif source[at] == 0x0A:
            at = _line_break(source, at, last, open_links, text, links, sections, state)
        elif source[at] == 0x27:
            at, state[FRESH] = apostrophes(source, at, stop, state, text), 0
        elif source[at] == 0x5B:
            at = open_bracket(
                source, at, stop, last, cuts, open_links, trail, words, text, links, targets, state
            )
        elif source[at] == 0x5D:
            at = close_bracket(source, at, stop, open_links, trail, text, links, targets, state)
        else:
            at = _other(source, at, stop, last, open_links, words, text, links, state)
    state[DEPTH] = 0
    end_line(state, text, links, sections, open_links)
    _end_page(state, text, links, sections, first_row, first_section)


@compiled
def _begin_page(state: Any, sections: Any) -> Any:
    state[PAGE] = state[LINE] = state[OUT]
    state[CUT] = state[DEPTH] = 0
    state[FRESH] = 1
    forget_apostrophes(state)
    row = state[SECTIONS]
    sections[row, 0], sections[row, 1], sections[row, 2] = 0, state[OUT], 0
    state[SECTIONS] = row + 1


@compiled
def _end_page(
    state: Any, text: Any, links: Any, sections: Any, first_row: Any, first_section: Any
) -> Any:
    """Take off the last line break, and make all positions count from the page's start."""
    page = state[PAGE]
    if state[OUT] > page and text[state[OUT] - 1] == 0x0A:
        state[OUT] -= 1
    size = state[OUT] - page
    for row in range(first_row, state[ROW]):
        for column in range(ROW_START, ROW_END + 1):
            links[row, column] = min(links[row, column] - page, size)
    for row in range(first_section, state[SECTIONS]):
        sections[row, 1] = min(sections[row, 1] - page, size)


@compiled
def _cut(
    source: Any, last: Any, cuts: Any, open_links: Any, words: Any,
    text: Any, links: Any, templates: Any, state: Any,
) -> Any:  # fmt: skip
    """Pass the next cut: write what is literal, note a template's name; return where it ends."""
    row = state[CUT]
    state[CUT] = row + 1
    kind, at, end = cuts[row, KIND], cuts[row, BEGIN], cuts[row, END]
    if kind == VERBATIM:
        state[FRESH] = 0
        at = cuts[row, FIRST]
        while at < cuts[row, LAST]:
            if source[at] == 0x26:
                at, state[OUT] = write_entity(source, at, cuts[row, LAST], text, state[OUT], words)
            elif source[at] != 0x0A:
                put(state, text, source[at])
                at += 1
            else:
                if state[DEPTH]:
                    put(state, text, 0x20)
                else:
                    break_line(state, text, links)
                at += 1
        return end
    if kind == TEMPLATE:
        state[FRESH] = 0
        state[HEADING] = min(2 * state[HEADING], 2)  # more was in it than equals signs
        _template_name(source, at + 2, end - 2, templates, state)
    return skip_blanks(source, end, last, state, text)


@compiled
def _template_name(source: Any, at: Any, end: Any, templates: Any, state: Any) -> Any:
    names, name_ends = templates
    while at < end and source[at] <= 0x20:
        at += 1
    end = min(end, at + _LONGEST_TEMPLATE_NAME)
    out = state[NAME_BYTES]
    while at < end:
        byte = source[at]
        if byte == 0x7C or byte == 0x7B or byte == 0x7D or byte == 0x3C or byte == 0x0A:
            break
        names[out] = byte
        out += 1
        at += 1
    if at == end:  # never half a character
        while out > state[NAME_BYTES] and at < source.size and source[at] & 0xC0 == 0x80:
            out -= 1
            at -= 1
    while out > state[NAME_BYTES] and names[out - 1] <= 0x20:
        out -= 1
    if out > state[NAME_BYTES]:
        name_ends[state[NAMES]] = out
        state[NAMES] += 1
        state[NAME_BYTES] = out


@compiled
def _line_break(
    source: Any, at: Any, last: Any, open_links: Any, text: Any, links: Any, sections: Any,
    state: Any,
) -> Any:  # fmt: skip
    """End a line; in an open link a line break is a blank, but an empty line gives the link up."""
    goes_on = at + 1 < last and source[at + 1] != 0x0A and source[at + 1] != 0x3D
    if state[DEPTH] and goes_on:
        balance_apostrophes(state, text, links, open_links)
        put(state, text, 0x20)
        return at + 1
    state[DEPTH] = 0
    end_line(state, text, links, sections, open_links)
    state[FRESH] = 1
    return at + 1


@compiled
def _other(
    source: Any, at: Any, stop: Any, last: Any, open_links: Any, words: Any, text: Any, links: Any,
    state: Any,
) -> Any:  # fmt: skip
    """Read a bar, tag, entity, brace or underscore."""
    byte = source[at]
    state[FRESH] = 0
    if byte == 0x3C:
        return _tag(source, at, last, words, text, links, state)
    if byte == 0x26:
        at, state[OUT] = write_entity(source, at, stop, text, state[OUT], words)
        return at
    if byte == 0x7C:
        top = state[DEPTH] - 1
        if top >= 0 and open_links[top, LINK_KIND] == OPEN_FILE:
            end_segment(state, open_links)
            begin_segment(source, at + 1, last, state, text, links, open_links)
            return at + 1
    elif at + 1 < stop and source[at + 1] == byte:
        if byte != 0x5F:
            return at + 2  # braces that nothing closes or opened
        end = _switch_end(source, at, stop, state)
        if end >= 0:
            return end
        put(state, text, byte)
        at += 1
    put(state, text, byte)
    return at + 1


@compiled
def _switch_end(source: Any, at: Any, stop: Any, state: Any) -> Any:
    """Return the place after ``__TOC__`` in capitals or letters beyond ASCII, or -1."""
    end = at + 2
    while end + 1 < stop and end - at < _LONGEST_SWITCH:
        byte = source[end]
        if byte == 0x5F and source[end + 1] == 0x5F:
            state[STEPS] += end - at
            return end + 2 if end > at + 2 else -1
        if not (0x41 <= byte <= 0x5A or byte == 0x5F or byte >= 0x80):
            break
        end += 1
    state[STEPS] += end - at
    return -1


@compiled
def _tag(source: Any, at: Any, last: Any, words: Any, text: Any, links: Any, state: Any) -> Any:
    """Skip a tag that MediaWiki knows; write any other ``<``."""
    if at + 3 < last and source[at + 1] == 0x21 and source[at + 2] == source[at + 3] == 0x2D:
        return at + 4
    begin = at + 2 if at + 1 < last and source[at + 1] == 0x2F else at + 1
    kind, name_end = tag_kind(source, begin, last, words)
    end = tag_end(source, name_end, last) if kind > 0 else -1
    state[STEPS] += max(end, name_end) - at
    if end < 0:
        put(state, text, 0x3C)
        return at + 1
    if kind == SPACED or (kind == BLOCK and state[DEPTH]):
        if state[OUT] > state[LINE] and text[state[OUT] - 1] != 0x20:
            put(state, text, 0x20)
    elif kind == BLOCK and not state[HEADING]:
        break_line(state, text, links)
    return end
