"""The parts of a page that are not read: templates, tables, references, comments and the like.

They are found before the text is, with a stack and no recursion, in one pass. A bracket that is
never closed is no bracket: what it opens is read as text. As in MediaWiki, the content of
extension tags (`<ref>`, `<nowiki>`, `<math>` ...) hides all other brackets, braces go before
tables, and a tag without its end is no tag. Where nothing closes a comment or tag any more, this
is remembered, so that a page of unclosed ones is not searched again and again.
"""

from typing import Any

from isogloss.compiled import compiled
from isogloss.storage.word_table import find_word
from isogloss.wiki.wikitext.rules import HIDDEN, LITERAL, REFERENCE, TABLE, TAG
from isogloss.wiki.wikitext.state import (
    BEGIN,
    COMMENT,
    COUNT,
    CUTS_BEFORE,
    DEPTH,
    DROPPED,
    END,
    FIRST,
    KIND,
    LAST,
    N_BRACES,
    N_CUTS,
    POSITION,
    STEPS,
    TEMPLATE,
    UNCLOSED,
    VERBATIM,
)

_LONGEST_NAME = 20  # of a tag
_LONGEST_VARIANTS = 1000


@compiled
def find_cuts(
    source: Any, first: Any, last: Any, has_variants: Any, words: Any, cuts: Any, stack: Any,
    state: Any,
) -> Any:  # fmt: skip
    """Write the cuts of the page `source[first:last]` in order.

    Parameters
    ----------
    has_variants
        Whether ``-{...}-`` is markup.
    words
        Tags, of a `WordTable`.
    cuts, stack
        Room for two cuts and one open bracket for each ``{``, and for one of each for each ``<``.
    state
        See `isogloss.wiki.wikitext.state`.
    """
    state[N_CUTS] = state[DEPTH] = state[N_BRACES] = 0
    state[UNCLOSED:] = 0
    at = first
    while at < last:
        byte = source[at]
        if byte == 0x7B and has_variants and _begins_variants(source, first, at, last, cuts, state):
            at = _variants(source, at, last, cuts, state)
        elif byte == 0x7B:
            at = _open_braces(source, first, at, last, stack, state)
        elif byte == 0x7D:
            at = _close_braces(source, first, at, last, cuts, stack, state)
        elif byte == 0x3C:
            at = _open_tag(source, at, last, words, cuts, stack, state)
        else:
            at += 1
    state[DEPTH] = 0


@compiled
def _add_cut(cuts: Any, state: Any, begin: Any, end: Any, kind: Any, first: Any, last: Any) -> Any:
    row = state[N_CUTS]
    cuts[row, BEGIN], cuts[row, END], cuts[row, KIND] = begin, end, kind
    cuts[row, FIRST], cuts[row, LAST] = first, last
    state[N_CUTS] = row + 1


@compiled
def _push(stack: Any, state: Any, position: Any, count: Any) -> Any:
    row = state[DEPTH]
    stack[row, POSITION], stack[row, COUNT] = position, count
    stack[row, CUTS_BEFORE] = state[N_CUTS]
    state[DEPTH] = row + 1


@compiled
def _begins_line(source: Any, first: Any, at: Any, with_colons: Any) -> Any:
    """Say whether only blanks (and colons) stand before `at` on its line."""
    at -= 1
    while at >= first and (source[at] == 0x20 or source[at] == 9 or
                           (with_colons and source[at] == 0x3A)):  # fmt: skip
        at -= 1
    return at < first or source[at] == 0x0A


@compiled
def _open_braces(source: Any, first: Any, at: Any, last: Any, stack: Any, state: Any) -> Any:
    end = at + 1
    while end < last and source[end] == 0x7B:
        end += 1
    if end - at >= 2:
        _push(stack, state, at, end - at)
        state[N_BRACES] += 1
    elif end < last and source[end] == 0x7C and _begins_line(source, first, at, True):
        _push(stack, state, at, 0)
    return end


@compiled
def _begins_variants(source: Any, first: Any, at: Any, last: Any, cuts: Any, state: Any) -> Any:
    n = state[N_CUTS]
    return (
        at > first and source[at - 1] == 0x2D and at + 1 < last and source[at + 1] != 0x7B
        and (n == 0 or cuts[n - 1, END] < at)
    )  # fmt: skip


@compiled
def _variants(source: Any, at: Any, last: Any, cuts: Any, state: Any) -> Any:
    """Cut all but the first variant of ``-{zh-hans:A; zh-hant:B}-`` (or the A of ``-{A}-``).

    Only plain ones are read; flags in front (``-{T|...}-``) tell MediaWiki to show nothing, or
    what to convert elsewhere, and are cut with what they stand before, except *A* and *R*.
    """
    begin, end, colon, semicolon, bar = at + 1, at + 1, -1, -1, -1
    stop = min(last - 1, at + _LONGEST_VARIANTS)
    while end < stop and source[end] != 0x7B and source[end] != 0x7D and source[end] != 0x0A:
        if source[end] == 0x7C and bar < 0 and colon < 0:
            bar = end
        elif source[end] == 0x3A and colon < 0:
            colon = end
        elif source[end] == 0x3B and semicolon < 0 and colon >= 0:
            semicolon = end
        end += 1
    state[STEPS] += end - at
    if end >= stop or source[end] != 0x7D or source[end + 1] != 0x2D:
        return at + 1
    after = end + 2
    if bar >= 0:
        is_shown = bar == begin or (bar == begin + 1 and source[begin] in (0x41, 0x52))
        begin = bar + 1 if is_shown else end
    if colon > begin and _is_code(source, begin, colon):
        begin = colon + 1
        end = semicolon if semicolon >= 0 else end
    _add_cut(cuts, state, at - 1, begin, COMMENT, 0, 0)
    if begin < after:
        _add_cut(cuts, state, end, after, COMMENT, 0, 0)
    return after


@compiled
def _is_code(source: Any, at: Any, end: Any) -> Any:
    """Say whether `source[at:end]` is a language code such as ``zh-hans``."""
    for i in range(at, end):
        if not (0x61 <= source[i] | 0x20 <= 0x7A or source[i] == 0x2D or source[i] == 0x20):
            return False
    return True


@compiled
def _close_braces(
    source: Any, first: Any, at: Any, last: Any, cuts: Any, stack: Any, state: Any
) -> Any:
    """Close what a run of braces closes, two or three at a time as MediaWiki does."""
    end = at + 1
    while end < last and source[end] == 0x7D:
        end += 1
    # A table may only be closed by the run's first brace, and where nothing is open inside it.
    top = state[DEPTH] - 1
    if top >= 0 and stack[top, COUNT] == 0 and at > first and source[at - 1] == 0x7C:  # noqa: SIM102
        if _begins_line(source, first, at - 1, False):
            _close_table(cuts, stack, state, at + 1)
            at += 1
    while end - at >= 2 and state[N_BRACES] > 0:
        top = state[DEPTH] - 1
        while stack[top, COUNT] == 0:  # tables left open inside
            top -= 1
        n = min(end - at, stack[top, COUNT])
        n = 3 if n >= 3 else 2
        stack[top, COUNT] -= n
        # The new cut covers all that were made inside it: cuts never nest.
        state[N_CUTS] = stack[top, CUTS_BEFORE]
        begin = stack[top, POSITION] + stack[top, COUNT]
        _add_cut(cuts, state, begin, at + n, TEMPLATE if n == 2 else DROPPED, 0, 0)
        state[DEPTH] = top + 1
        if stack[top, COUNT] < 2:
            state[DEPTH] = top
            state[N_BRACES] -= 1
        at += n
    return end


@compiled
def _close_table(cuts: Any, stack: Any, state: Any, end: Any) -> Any:
    top = state[DEPTH] - 1
    state[DEPTH] = top
    state[N_CUTS] = stack[top, CUTS_BEFORE]
    _add_cut(cuts, state, stack[top, POSITION], end, DROPPED, 0, 0)


@compiled
def _open_tag(
    source: Any, at: Any, last: Any, words: Any, cuts: Any, stack: Any, state: Any
) -> Any:
    """Cut a comment or a tag with its content, or open or close a table; return where to go on."""
    if at + 3 < last and source[at + 1] == 0x21 and source[at + 2] == source[at + 3] == 0x2D:
        return _comment(source, at, last, cuts, state)
    closing = at + 1 < last and source[at + 1] == 0x2F
    begin = at + 2 if closing else at + 1
    kind, name_end = tag_kind(source, begin, last, words)
    if kind < TABLE:
        return at + 1
    content = tag_end(source, name_end, last)
    state[STEPS] += max(content, name_end) - at
    if content < 0:
        return name_end
    if kind == TABLE:
        top = state[DEPTH] - 1
        if not closing:
            _push(stack, state, at, 0)
        elif top >= 0 and stack[top, COUNT] == 0:
            _close_table(cuts, stack, state, content)
    elif not closing:
        if source[content - 2] == 0x2F:
            _add_cut(cuts, state, at, content, DROPPED, 0, 0)
        elif not state[UNCLOSED + kind]:
            content_end, end = _closing_tag(source, begin, name_end, content, last, kind, state)
            if end >= 0:
                what = VERBATIM if LITERAL <= kind < HIDDEN else DROPPED
                _add_cut(cuts, state, at, end, what, content, content_end)
                return end
            if kind != REFERENCE:
                state[UNCLOSED + kind] = 1
    return content


@compiled
def _comment(source: Any, at: Any, last: Any, cuts: Any, state: Any) -> Any:
    if state[UNCLOSED]:
        return at + 4
    end = at + 4
    while end + 2 < last and not (source[end] == source[end + 1] == 0x2D and
                                  source[end + 2] == 0x3E):  # fmt: skip
        end += 1
    state[STEPS] += end - at
    if end + 2 >= last:
        state[UNCLOSED] = 1
        return at + 4
    _add_cut(cuts, state, at, end + 3, COMMENT, 0, 0)
    return end + 3


@compiled
def tag_kind(source: Any, begin: Any, last: Any, words: Any) -> Any:
    """Return the kind of the tag whose name starts at `begin`, or -1, and where the name ends."""
    end = begin
    while end < last and end - begin < _LONGEST_NAME:
        byte = source[end] | 0x20
        if not (0x61 <= byte <= 0x7A or (0x30 <= source[end] <= 0x39 and end > begin)):
            break
        end += 1
    if end >= last or end == begin:
        return -1, end
    byte = source[end]
    if not (byte == 0x20 or byte == 0x3E or byte == 0x2F or byte == 0x0A or byte == 9):
        return -1, end
    return find_word(TAG, source, begin, end, True, words), end


@compiled
def tag_end(source: Any, at: Any, last: Any) -> Any:
    """Return the place after the next ``>``, or -1 where a ``<`` or the end comes first."""
    while at < last and source[at] != 0x3E and source[at] != 0x3C:
        at += 1
    return at + 1 if at < last and source[at] == 0x3E else -1


@compiled
def _is_name(source: Any, at: Any, last: Any, begin: Any, end: Any) -> Any:
    """Say whether the tag name `source[begin:end]` stands at `at`, in capitals or not."""
    if at + end - begin >= last:
        return False
    for i in range(end - begin):
        if source[at + i] | 0x20 != source[begin + i] | 0x20:
            return False
    after = source[at + end - begin]
    return after == 0x3E or after == 0x20 or after == 0x2F or after == 0x0A or after == 9


@compiled
def _closing_tag(
    source: Any, begin: Any, name_end: Any, at: Any, last: Any, kind: Any, state: Any
) -> Any:
    """Return where the content of a tag ends, and the place after its closing tag, or -1, -1.

    A reference inside a reference means that the outer one was never closed.
    """
    start = at
    while at < last:
        if source[at] == 0x3C and at + 1 < last:
            if source[at + 1] == 0x2F and _is_name(source, at + 2, last, begin, name_end):
                end = tag_end(source, at + 2, last)
                if end >= 0:
                    state[STEPS] += end - start
                    return at, end
            elif kind == REFERENCE and _is_name(source, at + 1, last, begin, name_end):
                end = tag_end(source, at + 1, last)
                if end < 0 or source[end - 2] != 0x2F:
                    break
        at += 1
    state[STEPS] += at - start
    return -1, -1
