"""Which scheme tags keep to, and errors that say where they do not.

Callers that read files pass `where`, so that an error names file and line.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, TypeAlias

from isogloss.errors import InputError
from isogloss.tag.schemes.rules import (
    OUTSIDE,
    PREFIXES,
    RULES,
    SCHEMES,
    Scheme,
    is_allowed,
    parts_of,
)


class Place(NamedTuple):
    """Where a word stands: its file and its line, from 1."""

    path: str | Path
    line: int


Where: TypeAlias = Callable[[int, int], Place]  # of sentence and word, both from 0


def found_scheme(sentences: Iterable[Sequence[str]], *, where: Where | None = None) -> Scheme:
    """Return the one scheme to which all tags keep.

    With one entity or more no tags keep to two schemes: its first word is ``I-`` in IOB1 alone, an
    entity of IOB2 ends without ``E-`` or ``L-``. Without any entity the schemes are one, and it is
    IOB2. Tags of ``I-`` and ``O`` alone are IOB1.

    Parameters
    ----------
    sentences
        The tags of each.
    where
        Gives the place of a word for errors; None: they name sentence and word.

    Raises
    ------
    InputError
        A tag has no prefix, or tags keep to no scheme; both sides are named with their places.

    Examples
    --------
    >>> found_scheme([["I-PER", "I-PER", "O"]]), found_scheme([["O", "B-PER", "I-PER"]])
    ('IOB1', 'IOB2')
    """
    pairs = _pairs_of(sentences)
    _refuse_malformed(pairs, where)
    broken = {scheme: _broken(pairs, scheme) for scheme in SCHEMES}
    kept = [scheme for scheme in SCHEMES if broken[scheme] is None]
    if kept:
        return "IOB2" if "IOB2" in kept else kept[0]
    prefixes = {tag[0] for _, tag in pairs if tag is not None}
    candidates: list[Scheme] = ["IOB2", "IOB1"] if prefixes <= set("BIO") else []
    candidates += ["BIOES"] if prefixes & set("ES") else []
    candidates += ["BILOU"] if prefixes & set("LU") else []
    faults = [fault for scheme in candidates if (fault := broken[scheme]) is not None]
    said = [
        f"{_said(fault)} is not {scheme}" for scheme, fault in zip(candidates, faults, strict=True)
    ]
    if len(faults) > 1:
        said[1] += f" ({_place_in_words(faults[1], where)})"
    else:
        said[0] += f", where {RULES[candidates[0]]}"
    raise _error(faults[0], f"{' and '.join(said)}; all tags must keep to one scheme", where)


def check_tags(
    sentences: Iterable[Sequence[str]], scheme: Scheme, *, where: Where | None = None
) -> None:
    """Raise `InputError` at the first tag that breaks the rule of a scheme that was declared.

    Parameters
    ----------
    sentences, where
        As in `found_scheme`.
    """
    pairs = _pairs_of(sentences)
    _refuse_malformed(pairs, where)
    fault = _broken(pairs, scheme)
    if fault is not None:
        raise _error(
            fault,
            f"{_said(fault)} is not {scheme}, where {RULES[scheme]}; correct the tag, or name "
            "another scheme",
            where,
        )


@dataclass(frozen=True)
class _Fault:
    """Two neighbouring tags that break a rule; None stands before and after a sentence."""

    before: str | None
    tag: str | None
    sentence: int
    word: int


_Pairs: TypeAlias = dict[tuple[str | None, str | None], tuple[int, int]]


def _pairs_of(sentences: Iterable[Sequence[str]]) -> _Pairs:
    """Return the different pairs of neighbouring tags, and the sentence and word of the first."""
    pairs: _Pairs = {}
    for number, tags in enumerate(sentences):
        before: str | None = None
        for word, tag in enumerate(tags):
            pairs.setdefault((before, tag), (number, word))
            before = tag
        if before is not None:
            pairs.setdefault((before, None), (number, len(tags) - 1))
    return pairs


def _refuse_malformed(pairs: _Pairs, where: Where | None) -> None:
    for (before, tag), place in pairs.items():
        try:
            parts_of(OUTSIDE if tag is None else tag)
        except InputError as error:
            raise _error(_Fault(before, tag, *place), str(error), where) from None


def _broken(pairs: _Pairs, scheme: Scheme) -> _Fault | None:
    """Return the first pair that breaks the rule of a scheme, or has a prefix that it lacks."""
    for (before, tag), place in pairs.items():
        is_of_scheme = tag is None or tag[0] in PREFIXES[scheme] + OUTSIDE
        one, other = (parts_of(OUTSIDE if one is None else one) for one in (before, tag))
        if not is_of_scheme or not is_allowed(one, other, scheme):
            return _Fault(before, tag, *place)
    return None


def _said(fault: _Fault) -> str:
    if fault.tag is None:
        return f"{fault.before} at the end of a sentence"
    return f"{fault.tag} " + (
        "at the beginning of a sentence" if fault.before is None else f"after {fault.before}"
    )


def _place_in_words(fault: _Fault, where: Where | None) -> str:
    if where is None:
        return f"sentence {fault.sentence + 1}, word {fault.word + 1}"
    place = where(fault.sentence, fault.word)
    return f"{place.path}:{place.line}"


def _error(fault: _Fault, message: str, where: Where | None) -> InputError:
    if where is None:
        return InputError(f"{_place_in_words(fault, None)}: {message}")
    place = where(fault.sentence, fault.word)
    return InputError(message, path=place.path, line=place.line)
