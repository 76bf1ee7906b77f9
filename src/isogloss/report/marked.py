"""A text with the names in it marked: which part is shown, and in which runs.

Marks may overlap; runs do not, so that a page can put each in one element. Places are those of
Python's strings, in code points.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from isogloss.report.figures import is_number

N_CHARACTERS_SHOWN = 1200  # of a document
_CHARACTERS_BEFORE_MENTION = 200
_LONGEST_WORD = 30  # a cut looks this far for a space
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True)
class MarkedMention:
    """A name in a text, from `start` to `end`."""

    start: int
    end: int
    weight: float  # 0 to 1, the share of the entities it yields among those of the text


class Run(NamedTuple):
    """A run of text under the same mentions; its weight is the largest of theirs, or None."""

    text: str
    weight: float | None
    n_mentions: int
    is_begin: bool


class Excerpt(NamedTuple):
    """The part of a text that is shown, from `start` to `end`."""

    runs: list[Run]
    start: int
    end: int
    is_cut: bool  # at its end
    n_mentions_outside: int


def excerpt(text: str, mentions: Sequence[MarkedMention]) -> Excerpt:
    """Return the part of a text around its first mention, cut into marked and plain runs.

    Parameters
    ----------
    mentions
        In any order; they may overlap. Where several cover the same letters, the heaviest counts.
    """
    spans = [
        MarkedMention(max(mention.start, 0), min(mention.end, len(text)), mention.weight)
        for mention in mentions
    ]
    spans = sorted((span for span in spans if span.start < span.end), key=lambda span: span.start)
    start, end = _window(text, spans[0].start if spans else 0)
    shown = [span for span in spans if span.start < end and span.end > start]
    cuts = {start, end} | {
        min(max(cut, start), end) for span in shown for cut in (span.start, span.end)
    }
    places = sorted(cuts)
    runs = []
    for left, right in pairwise(places):
        over = [span for span in shown if span.start <= left and span.end >= right]
        weights = [span.weight if is_number(span.weight) else 0.0 for span in over]
        begins = any(span.start == left for span in over)
        heaviest = min(max(max(weights), 0.0), 1.0) if weights else None
        runs.append(Run(text[left:right], heaviest, len(over), begins))
    return Excerpt(runs, start, end, end < len(text), len(spans) - len(shown))


def _window(text: str, mention: int) -> tuple[int, int]:
    if len(text) <= N_CHARACTERS_SHOWN:
        return 0, len(text)
    start = min(max(mention - _CHARACTERS_BEFORE_MENTION, 0), len(text) - N_CHARACTERS_SHOWN)
    end = start + N_CHARACTERS_SHOWN
    if start and (space := _SPACE.search(text, start, min(start + _LONGEST_WORD, mention))):
        start = space.end()
    while 0 < start < mention and _continues(text[start]):
        start += 1
    if end < len(text) and (space := _SPACE.search(text, end, end + _LONGEST_WORD)):
        end = space.start()
    while end < len(text) and _continues(text[end]) and end - start < 2 * N_CHARACTERS_SHOWN:
        end += 1
    return start, end


def _continues(character: str) -> bool:
    """Return whether a character belongs to the one before it: vowel signs, accents, joiners."""
    return unicodedata.category(character) in ("Mn", "Mc", "Me", "Cf")
