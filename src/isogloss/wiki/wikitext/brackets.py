"""Brackets of wikitext: internal and external links, opened and closed.

What a link is and how it is kept open is in `links`, the captions of files in
`file_links`.
"""

from typing import Any

from isogloss.compiled import compiled
from isogloss.wiki.wikitext.file_links import begin_segment, close_file
from isogloss.wiki.wikitext.lines import put, rewind, skip_blanks
from isogloss.wiki.wikitext.links import (
    add_link,
    give_up_link,
    has_scheme,
    link_kind,
    name_without_context,
    open_link,
    read_target,
    skip_url,
    trail_end,
)
from isogloss.wiki.wikitext.state import (
    BEGIN,
    BRACKETS,
    CUT,
    DEPTH,
    EXTERNAL,
    FRESH,
    HIDDEN_LINK,
    LINK_KIND,
    N_CUTS,
    OPEN_FILE,
    OUT,
    OUTER_EXTERNAL,
    ROW_BEFORE,
    TARGET_END,
    TARGETS,
    TARGETS_BEFORE,
    TEXT_BEGIN,
    UNKNOWN,
)


@compiled
def open_bracket(
    source: Any, at: Any, stop: Any, last: Any, cuts: Any, open_links: Any, trail: Any, words: Any,
    text: Any, links: Any, targets: Any, state: Any,
) -> Any:  # fmt: skip
    """Open a link of either kind, or write the bracket."""
    state[FRESH] = 0
    if at + 1 >= stop or source[at + 1] != 0x5B:
        if has_scheme(source, at + 1, last, words):
            end = skip_url(source, at + 1, last, cuts, state)
            state[EXTERNAL] = 1
            return end
        put(state, text, 0x5B)
        state[BRACKETS] += 1
        return at + 1
    if at + 2 < last and source[at + 2] == 0x5B:
        put(state, text, 0x5B)
        state[BRACKETS] += 1
        return at + 1
    give_up_link(state, open_links)
    begin = state[TARGETS]
    place, end, is_unknown = read_target(source, at + 2, last, targets, cuts, words, state)
    if place < 0:
        return at + 2
    if has_scheme(source, at + 2, place, words) and source[at + 2] != 0x2F:
        return at + 1
    kind = link_kind(targets, begin, end, is_unknown, words)
    if source[place] == 0x7C:
        if not open_link(state, open_links, kind, end):
            return at + 2
        if kind == OPEN_FILE:
            begin_segment(source, place + 1, last, state, text, links, open_links)
        elif place + 2 < last and source[place + 1] == source[place + 2] == 0x5D:
            first, after = name_without_context(targets, begin, end)
            for i in range(first, after):
                put(state, text, targets[i])
        return place + 1
    return _short_link(
        source, place + 2, kind, begin, end, trail, text, links, targets, cuts, last, state
    )


@compiled
def close_bracket(
    source: Any, at: Any, stop: Any, open_links: Any, trail: Any, text: Any, links: Any,
    targets: Any, state: Any,
) -> Any:  # fmt: skip
    """Close what is open, or write the bracket."""
    state[FRESH] = 0
    n = 1
    while n < 3 and at + n < stop and source[at + n] == 0x5D:
        n += 1
    if state[EXTERNAL]:
        state[EXTERNAL] = 0
        return skip_blanks(source, at + 1, stop, state, text)
    if n == 1 or (n == 3 and state[BRACKETS]):
        put(state, text, 0x5D)
        state[BRACKETS] = max(state[BRACKETS] - 1, 0)
        return at + 1
    top = state[DEPTH] - 1
    if top < 0:
        return at + 2
    kind, begin = open_links[top, LINK_KIND], open_links[top, TEXT_BEGIN]
    if kind == OPEN_FILE:
        close_file(state, text, links, open_links)
        return skip_blanks(source, at + 2, stop, state, text)
    state[DEPTH], state[BRACKETS] = top, 0
    state[EXTERNAL] = open_links[top, OUTER_EXTERNAL]
    end = at + 2
    if kind & HIDDEN_LINK:
        rewind(state, begin, open_links[top, ROW_BEFORE], open_links[top, TARGETS_BEFORE])
        add_link(state, text, links, kind - HIDDEN_LINK, open_links[top, TARGET_END], begin, begin)
        return skip_blanks(source, end, stop, state, text)
    end = trail_end(source, end, stop, trail)
    for i in range(at + 2, end):
        put(state, text, source[i])
    if kind != UNKNOWN:
        add_link(state, text, links, kind, open_links[top, TARGET_END], begin, state[OUT])
    return end


@compiled
def _short_link(
    source: Any, at: Any, kind: Any, begin: Any, end: Any, trail: Any, text: Any, links: Any,
    targets: Any, cuts: Any, last: Any, state: Any,
) -> Any:  # fmt: skip
    """Write ``[[target]]``, which ends before `at`."""
    if kind & HIDDEN_LINK:
        add_link(state, text, links, kind - HIDDEN_LINK, end, state[OUT], state[OUT])
    if kind == OPEN_FILE or kind & HIDDEN_LINK:
        return skip_blanks(source, at, last, state, text)
    out, shown = state[OUT], begin
    if shown < end and targets[shown] == 0x3A:
        shown += 1
    for i in range(shown, end):
        put(state, text, targets[i])
    # The target may have been read past cuts, so the next one is looked for anew.
    cut = state[CUT]
    while cut < state[N_CUTS] and cuts[cut, BEGIN] < at:
        cut += 1
    stop = cuts[cut, BEGIN] if cut < state[N_CUTS] else last
    after = trail_end(source, at, stop, trail)
    for i in range(at, after):
        put(state, text, source[i])
    if kind != UNKNOWN:
        add_link(state, text, links, kind, end, out, state[OUT])
    return after
