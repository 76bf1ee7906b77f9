"""What the four schemes are: their prefixes, and which two tags may stand side by side.

A tag is ``O`` or a prefix, a hyphen and a type: ``B-PER``. Schemes differ in what prefixes say:

- **IOB1** (Ramshaw and Marcus 1995): words of an entity are ``I-``; ``B-`` stands only where an
  entity follows one of the same type without a word between.
- **IOB2**: every entity begins with ``B-``.
- **BIOES**: the last word of an entity is ``E-``, an entity of one word ``S-``.
- **BILOU**: the same with ``L-`` and ``U-``.

Before and after a sentence stands ``O``, so that a scheme is a rule for two neighbouring tags.
To read entities is `spans`' work, to check tags of files `checks`'.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, get_args

import numpy as np

from isogloss.arrays import Bools1d, Bools2d
from isogloss.errors import InputError

Scheme = Literal["IOB1", "IOB2", "BIOES", "BILOU"]
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
OUTSIDE = "O"

PREFIXES: dict[Scheme, str] = {"IOB1": "BI", "IOB2": "BI", "BIOES": "BIES", "BILOU": "BILU"}
RULES: dict[Scheme, str] = {
    "IOB1": "B- only parts an entity from one of the same type before it",
    "IOB2": "every entity begins with B-",
    "BIOES": "an entity is S-, or B-, any I- and E- of one type",
    "BILOU": "an entity is U-, or B-, any I- and L- of one type",
}
_AS_BIOES = str.maketrans("LU", "ES")


@dataclass(frozen=True, eq=False)
class Transitions:
    """Which tags may follow one another.

    Attributes
    ----------
    start, end
        bool (n_tags,): which may be the first and the last of a sentence.
    between
        bool (n_tags, n_tags): [i, j], whether tag j may follow tag i.
    """

    start: Bools1d
    between: Bools2d
    end: Bools1d


def allowed_transitions(tag_names: Sequence[str], scheme: Scheme) -> Transitions:
    """Return which tags may follow one another, begin a sentence and end it.

    Raises
    ------
    InputError
        A tag has no prefix, or one that the scheme lacks.
    """
    parts, outside = parts_in(tag_names, scheme), parts_of(OUTSIDE)
    between = [[is_allowed(before, part, scheme) for part in parts] for before in parts]
    return Transitions(
        np.array([is_allowed(outside, part, scheme) for part in parts], dtype=bool),
        np.array(between, dtype=bool).reshape(len(parts), len(parts)),
        np.array([is_allowed(part, outside, scheme) for part in parts], dtype=bool),
    )


class Part(NamedTuple):
    """A tag taken apart, L and U as E and S; of ``O`` the type is empty."""

    prefix: str
    type: str


@lru_cache(maxsize=65536)
def parts_of(tag: str) -> Part:
    """Return prefix and type of a tag of any scheme; raise `InputError` where it has none."""
    if tag == OUTSIDE:
        return Part(OUTSIDE, "")
    prefix, hyphen, kind = tag.partition("-")
    if not hyphen or not kind or len(prefix) != 1 or prefix not in "BIESLU":
        raise InputError(
            f"tag '{tag}' has no prefix; a tag of entities is O, or one of B, I, E, S, L, U with "
            "a hyphen and a type, as B-PER: name the column that has them"
        )
    return Part(prefix.translate(_AS_BIOES), kind)


def parts_in(tags: Sequence[str], scheme: Scheme) -> list[Part]:
    """Return prefixes and types; raise `InputError` for a prefix that the scheme lacks."""
    parts = [parts_of(tag) for tag in tags]
    for part, tag in zip(parts, tags, strict=True):
        if part.type and tag[0] not in PREFIXES[scheme]:
            raise InputError(f"tag '{tag}' has a prefix that {scheme} lacks; {RULES[scheme]}")
    return parts


def is_allowed(before: Part, part: Part, scheme: Scheme) -> bool:
    """Return whether a tag may follow another; both are of the scheme."""
    is_same = before.type == part.type
    if scheme == "IOB1":
        return part.prefix != "B" or is_same
    if scheme == "IOB2":
        return part.prefix != "I" or is_same
    is_open, goes_on = before.prefix in "BI", part.prefix in "IE"
    return is_open == goes_on and (is_same or not is_open)
