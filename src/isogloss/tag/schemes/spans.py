"""The entities that tags spell, read strictly or as `conlleval` reads them; and back.

A prediction may break the rule of its scheme, so there are two readings. A tagger that decodes by
`allowed_transitions` never does, and both are the same.
"""

from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from isogloss.tag.schemes.checks import check_tags
from isogloss.tag.schemes.rules import OUTSIDE, PREFIXES, Part, Scheme, parts_in

Reading = Literal["strict", "conll"]


class EntitySpan(NamedTuple):
    """The words of an entity, from `start` to before `end`, and its type."""

    start: int
    end: int
    type: str


def spans_of(
    tags: Sequence[str], scheme: Scheme, *, reading: Reading = "strict"
) -> list[EntitySpan]:
    """Return the entities of a sentence, in their order.

    Of tags that keep to the scheme both readings are the same.

    Parameters
    ----------
    reading
        ``strict``: what breaks the rule is no entity, as in `seqeval`'s strict mode. ``conll``:
        every word with a prefix is in an entity, and a new one begins with ``B-``, ``S-`` and
        ``U-``, after ``E-``, ``L-``, ``S-`` and ``U-``, and where the type changes, as in
        ``conlleval`` (Tjong Kim Sang and Buchholz 2000) and by default in `seqeval`.

    Raises
    ------
    InputError
        A tag has no prefix, or one that the scheme lacks.

    Examples
    --------
    >>> spans_of(["I-PER", "O", "B-LOC", "I-LOC"], "IOB2")
    [EntitySpan(start=2, end=4, type='LOC')]
    >>> len(spans_of(["I-PER", "O", "B-LOC", "I-LOC"], "IOB2", reading="conll"))
    2
    """
    parts = parts_in(tags, scheme)
    return _strict(parts, scheme) if reading == "strict" else _conll(parts)


def tags_of(spans: Iterable[EntitySpan], n_words: int, scheme: Scheme) -> list[str]:
    """Return the tags of a sentence with these entities, in their order.

    Raises
    ------
    ValueError
        Entities are empty, overlap or end beyond the sentence.

    Examples
    --------
    >>> tags_of([EntitySpan(0, 2, "PER"), EntitySpan(2, 3, "PER")], 3, "BILOU")
    ['B-PER', 'L-PER', 'U-PER']
    """
    tags, before = [OUTSIDE] * n_words, EntitySpan(0, 0, "")
    for span in spans:
        if not before.end <= span.start < span.end <= n_words:
            raise ValueError(f"{span} does not follow {before} in a sentence of {n_words} words")
        prefixes = ["B"] + ["I"] * (span.end - span.start - 1)
        if scheme == "IOB1" and (before.end, before.type) != (span.start, span.type):
            prefixes[0] = "I"
        elif scheme in ("BIOES", "BILOU"):
            prefixes[-1] = PREFIXES[scheme][2 if len(prefixes) > 1 else 3]
        tags[span.start : span.end] = [f"{prefix}-{span.type}" for prefix in prefixes]
        before = span
    return tags


def in_scheme(tags: Sequence[str], of: Scheme, to: Scheme) -> list[str]:
    """Return the tags of a sentence in another scheme; nothing of them is lost.

    Raises
    ------
    InputError
        The tags do not keep to the scheme `of`.

    Examples
    --------
    >>> in_scheme(["I-PER", "B-PER", "O"], "IOB1", "BIOES")
    ['S-PER', 'S-PER', 'O']
    """
    check_tags([tags], of)
    return tags_of(spans_of(tags, of), len(tags), to)


def _strict(parts: list[Part], scheme: Scheme) -> list[EntitySpan]:
    """Return what begins, continues and ends by the rule.

    The rules of IOB1 are those of `seqeval`: a ``B-`` that parts nothing begins no entity, and
    directly after a ``B-`` it is no end of one either.
    """
    spans, start, outside = [], 0, Part(OUTSIDE, "")
    while start < len(parts):
        first = parts[start]
        before = parts[start - 1] if start else outside
        begins = first.prefix in "BS"
        if scheme == "IOB1":
            begins = first.prefix == "I" or (first.prefix == "B" and before.type == first.type)
        end = start + 1
        if not begins:
            start = end
            continue
        while end < len(parts) and _continues(parts[end - 1], parts[end]):
            end += 1
        last, after = parts[end - 1], parts[end] if end < len(parts) else outside
        ends = scheme == "IOB2" or last.prefix in "ES"
        if scheme == "IOB1":
            ends = not (last.prefix == after.prefix == "B" and last.type != after.type)
        if ends:
            spans.append(EntitySpan(start, end, first.type))
        start = end
    return spans


def _continues(before: Part, part: Part) -> bool:
    return before.type == part.type and before.prefix in "BI" and part.prefix in "IE"


def _conll(parts: list[Part]) -> list[EntitySpan]:
    """Return the runs of words that are in entities, a new one wherever the tags say so."""
    spans: list[EntitySpan] = []
    for word, part in enumerate(parts):
        if not part.type:
            continue
        if word and _continues(parts[word - 1], part):
            spans[-1] = spans[-1]._replace(end=word + 1)
        else:
            spans.append(EntitySpan(word, word + 1, part.type))
    return spans
