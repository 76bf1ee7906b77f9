"""Labels that training lacks, for warnings: which, and whether a separator is missing."""

import shlex
from collections.abc import Collection, Iterable
from typing import Any

N_NAMED = 3


def named_unseen(labels: Iterable[Any], known: Collection[Any]) -> str:
    """Return the first of the labels that are not known, in brackets: ``('a', 'b' and 2 more)``.

    Parameters
    ----------
    labels
        Of any texts; of label sets, each label on its own.
    known
        The labels of training; at least one of `labels` is none of them.

    Examples
    --------
    >>> named_unseen(["joy", "awe", "joy/fear", "awe"], ["joy", "fear"])
    "('awe', 'joy/fear')"
    """
    unseen = _unseen(labels, known)
    shown = ", ".join(f"{label!r:.60}" for label in unseen[:N_NAMED])
    more = len(unseen) - N_NAMED
    return f"({shown} and {more} more)" if more > 0 else f"({shown})"


def hint_of_separator(labels: Iterable[Any], known: Collection[Any]) -> str:
    """Return what to do where an unknown label is known ones joined by a character, else "".

    Examples
    --------
    >>> hint_of_separator(["joy", "joy/fear"], ["joy", "fear"])
    "; 'joy/fear' looks like joy and fear: give --label-separator /"
    """
    names = {str(label) for label in known}
    for label in _unseen(labels, known):
        if not isinstance(label, str):
            continue
        for character in dict.fromkeys(label):
            parts = [part.strip() for part in label.split(character)]
            if not character.isalnum() and len(parts) > 1 and names.issuperset(parts):
                joined = f"{', '.join(parts[:-1])} and {parts[-1]}"
                given = shlex.quote(character)
                return f"; {label!r} looks like {joined}: give --label-separator {given}"
    return ""


def _unseen(labels: Iterable[Any], known: Collection[Any]) -> list[Any]:
    return [label for label in dict.fromkeys(labels) if label not in known]
