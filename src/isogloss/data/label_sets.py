"""The labels of a document as a set, from the encodings in use: lists, one string, 0/1 columns.

`label_sets` and `sets_of_columns` take the values of a file's fields; which fields, is decided in
`documents`. An empty field is the empty set: a document without any of the labels.
"""

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.data.records import MISSING
from isogloss.errors import InputError

SEPARATORS = ("|", ";", ",")  # the rarest inside a label first
LabelSet = tuple[str, ...]

_TRUE = (1, "1", "true", "True", "TRUE", "1.0")
_FALSE = (0, "0", "false", "False", "FALSE", "0.0")


def label_sets(
    values: Sequence[Any], name: str, *, separator: str | None, path: Path, lines: Sequence[int]
) -> list[LabelSet]:
    """Return the label sets of a field that holds lists, or strings such as ``a|b`` or ``a, b``.

    Parameters
    ----------
    values
        Of the field, document by document. A string that is a JSON list is read as one.
    name
        Of the field, for messages.
    separator
        What stands between the labels of a string; None: the one of `SEPARATORS` that occurs in
        the field, in any document.
    path, lines
        Where the values stand.

    Raises
    ------
    InputError
        For a value that is neither, an empty label, or one that is given twice.

    Warns
    -----
    UserWarning
        When several of `SEPARATORS` occur: the first is taken.
    """
    parsed = [_listed(value, name, path, line) for value, line in zip(values, lines, strict=True)]
    if separator is None:
        separator = _found_separator([value for value in parsed if isinstance(value, str)], path)
    sets = []
    for value, line in zip(parsed, lines, strict=True):
        if isinstance(value, str):
            parts = value.split(separator) if separator and value.strip() else [value]
            value = [part.strip() for part in parts] if value.strip() else []
        sets.append(_checked(value, name, path, line))
    return sets


def sets_of_columns(
    columns: Mapping[str, Sequence[Any]], *, path: Path, lines: Sequence[int]
) -> list[LabelSet]:
    """Return the label sets of fields that say yes or no, one for each label.

    Parameters
    ----------
    columns
        Label to 0 or 1 (or false, true; as numbers or text) for each document.

    Raises
    ------
    InputError
        For any other value.
    """
    sets: list[list[str]] = [[] for _ in lines]
    for name, values in columns.items():
        for labels, value, line in zip(sets, values, lines, strict=True):
            value = value.strip() if isinstance(value, str) else value
            if value in _TRUE:
                labels.append(name)
            elif value not in _FALSE:
                shown = "missing" if value in (None, MISSING, "") else _shown(value)
                raise InputError(
                    f"'{name}' is {shown}; with one column a label, each is 0 or 1",
                    path=path,
                    line=line,
                )
    return [tuple(labels) for labels in sets]


def _listed(value: Any, name: str, path: Path, line: int) -> str | list[Any]:
    """Return a string with separators, or a list."""
    if value is None:
        return []
    if value is MISSING:
        raise InputError(
            f"has no field '{name}'; write an empty list if it has no label", path=path, line=line
        )
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(
            f"the labels in '{name}' are {_shown(value)}; write a list, or text such as a|b",
            path=path,
            line=line,
        )
    text = str(value).strip()
    if not (text.startswith("[") and text.endswith("]")):
        return str(value)
    try:
        return list(json.loads(text))
    except ValueError as error:
        raise InputError(
            f"the labels in '{name}' are {_shown(text)}, a list that is not JSON; write "
            '["a", "b"], or a|b',
            path=path,
            line=line,
        ) from error


def _found_separator(fields: Sequence[str], path: Path) -> str | None:
    found = [mark for mark in SEPARATORS if any(mark in field for field in fields)]
    if len(found) > 1:
        marks = " and ".join(f"'{mark}'" for mark in found)
        warnings.warn(
            f"{path}: the labels hold {marks}; taken as separator is '{found[0]}' (say which with "
            "--label-separator)",
            UserWarning,
            stacklevel=5,
        )
    return found[0] if found else None


def _checked(labels: list[Any], name: str, path: Path, line: int) -> LabelSet:
    for label in labels:
        if not isinstance(label, str | int):
            raise InputError(
                f"a label in '{name}' is {_shown(label)}; labels are text or whole numbers",
                path=path,
                line=line,
            )
    texts = [str(label) for label in labels]
    if not all(text.strip() for text in texts):
        raise InputError(
            f"a label in '{name}' is empty, in {_shown(labels)}; mend the separators or quotes",
            path=path,
            line=line,
        )
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InputError(
            f"'{name}' names the label '{twice}' twice; leave one out", path=path, line=line
        )
    return tuple(texts)


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:39] + "…"
