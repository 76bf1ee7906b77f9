"""The one error for users, the one warning for losses, and the words of both.

An `InputError` is a fault of what was given to isogloss: it says what is wrong, where, and what
to do, in one sentence; the command line prints it and exits with 2. A `OmissionWarning` says that
something was left out (cut text, unseen label, language without names), with its number;
`--strict` turns it into an `InputError`.
"""

import difflib
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path

from isogloss.visible import visible, visible_in_line

PACKAGE = __name__.partition(".")[0]


class InputError(ValueError):
    """Say what is wrong with the input, where, and what to do.

    Parameters
    ----------
    message
        One sentence without the place: what was found, what is allowed, what to do.
    path, line
        File and line (1-based) of the fault; put in front of the message when given.

    Examples
    --------
    >>> str(InputError("no column 'text'; name one with --text", path="a.tsv", line=1))
    "a.tsv:1: no column 'text'; name one with --text"
    """

    def __init__(
        self, message: str, *, path: str | Path | None = None, line: int | None = None
    ) -> None:
        self.path = None if path is None else str(path)
        self.line = line
        place = ""
        if self.path is not None:
            place = visible_in_line(self.path) + (":" if line is None else f":{line}:")
        super().__init__(visible(f"{place} {message}" if place else message))


class InputKindError(InputError, TypeError):
    """An `InputError` for a value of the wrong kind, which Python itself calls a `TypeError`."""


class NotFiniteError(InputError):
    """An `InputError` for an encoder that gives a vector with an infinite or undefined number."""


class OmissionWarning(UserWarning):
    """Something was left out of the work; the message carries its number."""


def warn_omitted(message: str) -> None:
    """Warn once that something was lost; `message` holds the count and what to do about it."""
    warn_caller(message, OmissionWarning)


def warn_caller(message: str, category: type[UserWarning] = UserWarning) -> None:
    """Warn at the line that called the package, however deep in it the reason was found."""
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and _is_ours(frame.f_globals.get("__name__", "")):
        frame, level = frame.f_back, level + 1
    warnings.warn(visible(message), category, stacklevel=level)


def _is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def counted(n: int, one: str, many: str | None = None) -> str:
    """Return a number with its noun; `many` is ``one + "s"`` when None.

    Examples
    --------
    >>> counted(1, "text"), counted(1420, "text"), counted(0, "class", "classes")
    ('1 text', '1,420 texts', '0 classes')
    """
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def shown_lines(lines: Sequence[int], *, are_rows: bool = False, n_shown: int = 8) -> str:
    """Return the first numbers of lines (or rows of a file without lines), and how many follow.

    Examples
    --------
    >>> shown_lines([57, 80, 93]), shown_lines([25]), shown_lines(range(2, 12), are_rows=True)
    ('lines 57, 80, 93', 'line 25', 'rows 2, 3, 4, 5, 6, 7, 8, 9 and 2 more')
    """
    what = "row" if are_rows else "line"
    shown = ", ".join(map(str, lines[:n_shown]))
    more = f" and {len(lines) - n_shown:,} more" if len(lines) > n_shown else ""
    return f"{what if len(lines) == 1 else what + 's'} {shown}{more}"


def omissions_are_errors() -> bool:
    """Whether a `OmissionWarning` raises here, as under ``--strict``."""
    first = next((rule for rule in warnings.filters if issubclass(OmissionWarning, rule[2])), None)
    return first is not None and first[0] == "error"


def nearest(value: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like a misspelt one, whatever the case; None: none is like it.

    Examples
    --------
    >>> nearest("txet", ["text", "label"]), nearest("id", ["ID", "lang"]), nearest("zzz", ["text"])
    ('text', 'ID', None)
    """
    folded: dict[str, str] = {}
    for name in names:
        folded.setdefault(name.lower(), name)
    close = difflib.get_close_matches(value.lower(), folded, n=1, cutoff=0.6)
    return folded[close[0]] if close else None


def refuse_twice(values: Iterable[str], what: str) -> None:
    """Raise `InputError` where a list has the same value twice; `what` is ``--text``."""
    met: set[str] = set()
    for value in values:
        if value in met:
            raise InputError(f"{what} '{value}' is given twice; leave one out")
        met.add(value)


def did_you_mean(value: str, allowed: Iterable[str], *, n_shown: int = 12) -> str:
    """Return the tail of an error sentence: the nearest allowed name, or the names allowed.

    Examples
    --------
    >>> did_you_mean("txet", ["text", "label"])
    "did you mean 'text'?"
    >>> did_you_mean("zzz", ["text", "label"])
    'allowed: text, label'
    """
    names = list(allowed)
    near = nearest(value, names)
    if near is not None:
        return f"did you mean '{near}'?"
    shown = ", ".join(names[:n_shown])
    return f"allowed: {shown}" + (
        f" and {len(names) - n_shown} more" if len(names) > n_shown else ""
    )
