"""Links of the wikitext scanner: what a pair of brackets opens, and what closing it writes.

A link's target is read ahead, up to ``|`` or ``]]``; its text is read like any other, while the
link waits among the open ones. As in MediaWiki, a link cannot stand in a link, except in the
caption of a file: an ordinary link that meets another is given up, its text stays.
"""

from typing import Any

import numpy as np

from isogloss.compiled import compiled
from isogloss.storage.word_table import find_word
from isogloss.wiki.wikitext.lines import write_entity
from isogloss.wiki.wikitext.rules import CATEGORY, FILE, LANGUAGE, MEDIA, OTHER_WIKI, PREFIX, SCHEME
from isogloss.wiki.wikitext.state import (
    ARTICLE_LINK,
    BEGIN,
    BRACKETS,
    CATEGORY_LINK,
    CUT,
    DEPTH,
    END,
    EXTERNAL,
    HAS_CAPTION,
    HIDDEN_LINK,
    KIND,
    LINK_KIND,
    MOST_OPEN,
    N_CUTS,
    OPEN_FILE,
    OUT,
    OUTER_EXTERNAL,
    ROW,
    ROW_BEFORE,
    ROW_END,
    ROW_KIND,
    ROW_START,
    ROW_TARGET_END,
    STEPS,
    TARGET_END,
    TARGETS,
    TARGETS_BEFORE,
    TEMPLATE,
    TEXT_BEGIN,
    UNKNOWN,
    WIKI_LINK,
)

_LONGEST_SCHEME = 12


@compiled
def read_target(
    source: Any, at: Any, last: Any, targets: Any, cuts: Any, words: Any, state: Any
) -> Any:
    """Write the target that starts at `at` behind the targets.

    Return the place of the ``|`` or ``]]`` that ends it, or -1 where it cannot be a target; the
    end of the target; and whether a template makes part of it.
    """
    start, cut, end, is_unknown = at, state[CUT], state[TARGETS], False
    begin = end
    while at < last:
        if cut < state[N_CUTS] and at == cuts[cut, BEGIN]:
            if cuts[cut, KIND] > TEMPLATE:
                break
            is_unknown = is_unknown or cuts[cut, KIND] == TEMPLATE
            at = cuts[cut, END]
            cut += 1
            continue
        byte = source[at]
        if byte == 0x7C or (byte == 0x5D and at + 1 < last and source[at + 1] == 0x5D):
            while end > begin and (targets[end - 1] == 0x20 or targets[end - 1] == 0x5F):
                end -= 1
            state[STEPS] += at - start
            return at, end, is_unknown
        if (byte == 0x0A or byte == 0x5B or byte == 0x5D or byte == 0x7B or byte == 0x7D
                or byte == 0x3C or byte == 0x3E):  # fmt: skip
            break
        if byte == 0x26:
            at, end = write_entity(source, at, last, targets, end, words)
        else:
            if end > begin or (byte != 0x20 and byte != 0x5F):
                targets[end] = byte
                end += 1
            at += 1
    state[STEPS] += at - start
    return -1, begin, False


@compiled
def link_kind(targets: Any, begin: Any, end: Any, is_unknown: Any, words: Any) -> Any:
    """Return what the prefix of a target makes of the link."""
    if is_unknown or begin == end:
        return UNKNOWN
    shown = targets[begin] == 0x3A  # a colon in front makes a plain link of any
    if shown:
        begin += 1
    colon = begin
    while colon < end and targets[colon] != 0x3A and targets[colon] != 0x23:
        colon += 1
    if colon == end or targets[colon] == 0x23:
        return ARTICLE_LINK
    name_end = colon
    while name_end > begin and (targets[name_end - 1] == 0x20 or targets[name_end - 1] == 0x5F):
        name_end -= 1
    while begin < name_end and (targets[begin] == 0x20 or targets[begin] == 0x5F):
        begin += 1
    prefix = find_word(PREFIX, targets, begin, name_end, True, words)
    if prefix == OTHER_WIKI or (prefix == LANGUAGE and shown):
        return WIKI_LINK
    if prefix < 0 or shown:
        return ARTICLE_LINK
    if prefix == FILE:
        return OPEN_FILE
    if prefix == MEDIA:
        return UNKNOWN
    return HIDDEN_LINK + (CATEGORY_LINK if prefix == CATEGORY else WIKI_LINK)


@compiled
def has_scheme(source: Any, at: Any, last: Any, words: Any) -> Any:
    """Say whether a URL starts at `at`: a known scheme and a colon, or two slashes."""
    if at + 1 < last and source[at] == source[at + 1] == 0x2F:
        return True
    end = at
    while end < last and end - at < _LONGEST_SCHEME and 0x61 <= source[end] | 0x20 <= 0x7A:
        end += 1
    if end == at or end >= last or source[end] != 0x3A:
        return False
    return find_word(SCHEME, source, at, end, True, words) > 0


@compiled
def skip_url(source: Any, at: Any, last: Any, cuts: Any, state: Any) -> Any:
    """Return the place after a URL and the blanks behind it."""
    start, cut = at, state[CUT]
    while at < last:
        if cut < state[N_CUTS] and at == cuts[cut, BEGIN]:
            if cuts[cut, KIND] > TEMPLATE:
                break
            at = cuts[cut, END]
            cut += 1
            continue
        byte = source[at]
        if (byte <= 0x20 or byte == 0x5D or byte == 0x5B or byte == 0x3C or byte == 0x3E
                or byte == 0x22):  # fmt: skip
            break
        at += 1
    while (
        at < last
        and (source[at] == 0x20 or source[at] == 9)
        and not (cut < state[N_CUTS] and at >= cuts[cut, BEGIN])
    ):
        at += 1
    state[STEPS] += at - start
    return at


@compiled
def give_up_link(state: Any, open_links: Any) -> Any:
    """Give up the innermost open link if it is no file: what was read of it is plain text."""
    top = state[DEPTH] - 1
    if top >= 0 and open_links[top, LINK_KIND] != OPEN_FILE:
        state[EXTERNAL] = open_links[top, OUTER_EXTERNAL]
        state[DEPTH] = top
        state[BRACKETS] = 0


@compiled
def open_link(state: Any, open_links: Any, kind: Any, target_end: Any) -> Any:
    """Put a link among the open ones; say whether there was room."""
    top = state[DEPTH]
    if top == MOST_OPEN:
        return False
    open_links[top, LINK_KIND], open_links[top, TEXT_BEGIN] = kind, state[OUT]
    open_links[top, ROW_BEFORE], open_links[top, TARGET_END] = state[ROW], target_end
    open_links[top, TARGETS_BEFORE] = state[TARGETS]
    open_links[top, OUTER_EXTERNAL] = state[EXTERNAL]
    open_links[top, HAS_CAPTION] = 0
    state[EXTERNAL] = state[BRACKETS] = 0
    state[DEPTH] = top + 1
    return True


@compiled
def add_link(
    state: Any, text: Any, links: Any, kind: Any, target_end: Any, begin: Any, end: Any
) -> Any:
    """Write a link's row; its span loses the blanks at both ends."""
    while begin < end and (text[begin] == 0x20 or text[begin] == 0x0A):
        begin += 1
    while end > begin and (text[end - 1] == 0x20 or text[end - 1] == 0x0A):
        end -= 1
    row = state[ROW]
    links[row, ROW_KIND], links[row, ROW_TARGET_END] = kind, target_end
    links[row, ROW_START], links[row, ROW_END] = begin, end
    state[ROW], state[TARGETS] = row + 1, target_end


@compiled
def trail_end(source: Any, at: Any, stop: Any, trail: Any) -> Any:
    """Return the place after the letters that continue the link before `at`."""
    while at < stop:
        byte = np.int64(source[at])
        size, code = 1, byte
        if byte >= 0xF0:
            return at
        if byte >= 0xE0:
            size, code = 3, byte & 0x0F
        elif byte >= 0xC0:
            size, code = 2, byte & 0x1F
        if at + size > stop:
            return at
        for i in range(1, size):
            code = (code << 6) | (np.int64(source[at + i]) & 0x3F)
        if not trail[code]:
            return at
        at += size
    return at


@compiled
def name_without_context(targets: Any, begin: Any, end: Any) -> Any:
    """Return the part of a target that ``[[target|]]`` shows (MediaWiki's pipe trick).

    That is what is left without the namespace, and without a last *(...)*, or else all from
    the first comma on.
    """
    if begin < end and targets[begin] == 0x3A:
        begin += 1
    for i in range(begin, end):
        if targets[i] == 0x3A:
            begin = i + 1
            break
    if end > begin and targets[end - 1] == 0x29:
        for i in range(end - 1, begin, -1):
            if targets[i] == 0x28:
                end = i
                break
    else:
        for i in range(begin, end):
            if targets[i] == 0x2C:
                end = i
                break
    while end > begin and targets[end - 1] == 0x20:
        end -= 1
    while begin < end and targets[begin] == 0x20:
        begin += 1
    return begin, end
