"""The schemes of tags that spell entities (IOB1, IOB2, BIOES, BILOU), and what they spell."""

from isogloss.tag.schemes.checks import Place, Where, check_tags, found_scheme
from isogloss.tag.schemes.rules import (
    OUTSIDE,
    SCHEMES,
    Scheme,
    Transitions,
    allowed_transitions,
)
from isogloss.tag.schemes.spans import EntitySpan, Reading, in_scheme, spans_of, tags_of

__all__ = [
    "OUTSIDE",
    "SCHEMES",
    "EntitySpan",
    "Place",
    "Reading",
    "Scheme",
    "Transitions",
    "Where",
    "allowed_transitions",
    "check_tags",
    "found_scheme",
    "in_scheme",
    "spans_of",
    "tags_of",
]
