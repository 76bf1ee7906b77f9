"""The labels of a document as a set, from the encodings in use: lists, one string, 0/1 columns.

`label_sets` and `sets_of_columns` take the values of a file's fields; which fields, and which files
are read with one separator (`find_separator`), is decided in `documents`. An empty field is the
empty set: a document without any of the labels. `written_labels` writes what `label_sets` reads.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from isogloss.data.records import MISSING, shown_value
from isogloss.errors import InputError, counted, warn_caller

SEPARATORS = ("|", ";", ",")  # the rarest inside a label first
LabelSet = tuple[str, ...]

_TRUE = (1, "1", "true", "True", "TRUE", "1.0")
_FALSE = (0, "0", "false", "False", "FALSE", "0.0")


def label_sets(
    values: Sequence[Any], name: str, *, separator: str | None, path: Path, lines: Sequence[int]
) -> list[LabelSet]:
    """Return the label sets of a field that holds lists, or strings such as ``a|b`` or ``a, b``.

    A string that is a JSON list is read as one; without a separator any other is one label. `name`,
    `path` and `lines` say where the values are.

    Raises
    ------
    InputError
        For a value that is neither, an empty label, or one that is given twice.
    """
    parsed = [_listed(value, name, path, line) for value, line in zip(values, lines, strict=True)]
    sets = []
    for value, line in zip(parsed, lines, strict=True):
        labels = _split(value, separator) if isinstance(value, str) else value
        sets.append(_checked(labels, name, path, line))
    return sets


def written_labels(labels: Sequence[Any], *, all_labels: Collection[Any]) -> str:
    """Return a label set as one field of a line of text, which `label_sets` reads as it was.

    Labels are joined by ``|``; where that could be misread for any of `all_labels` (those of the
    model), every set is a JSON list.

    Examples
    --------
    >>> written_labels(["joy", "fear"], all_labels=["fear", "joy"])
    'joy|fear'
    >>> written_labels(["joy"], all_labels=["joy", "a|b"])
    '["joy"]'
    """
    texts = [str(label) for label in labels]
    if all(_is_plain(str(label)) for label in all_labels):
        return SEPARATORS[0].join(texts)
    return json.dumps(texts, ensure_ascii=False)


def find_separator(
    columns: Sequence[tuple[Path, Sequence[Any]]], *, known_labels: Collection[str] | None
) -> str | None:
    """Return the first of `SEPARATORS` that occurs in label fields of any file, or None.

    `known_labels` are those of a model that reads the files.

    Raises
    ------
    InputError
        When another separator gives more texts whose labels are all known.

    Warns
    -----
    UserWarning
        When several of `SEPARATORS` occur: the first is taken.
    """
    texts = [
        (path, value)
        for path, values in columns
        for value in values
        if isinstance(value, str) and not _is_list(value)
    ]
    places = {mark: [path for path, text in texts if mark in text] for mark in SEPARATORS}
    found = [mark for mark in SEPARATORS if places[mark]]
    if not found:
        return None
    taken = found[0]
    if known_labels is not None:
        n_known = {
            mark: sum(set(_split(text, mark)) <= set(known_labels) for _, text in texts)
            for mark in SEPARATORS
        }
        best = max(SEPARATORS, key=lambda mark: n_known[mark])
        if n_known[best] > n_known[taken]:
            raise InputError(
                f"with '{taken}' between labels the model knows those of "
                f"{counted(n_known[taken], 'text')}, with '{best}' those of {n_known[best]:,}; say "
                "which with --label-separator",
                path=places[taken][0],
            )
    if len(found) > 1:
        files = ", ".join(dict.fromkeys(str(places[mark][0]) for mark in found))
        marks = " and ".join(f"'{mark}'" for mark in found)
        warn_caller(
            f"{files}: the labels hold {marks}; taken as separator is '{taken}' (say which with "
            "--label-separator)"
        )
    return taken


def sets_of_columns(
    columns: Mapping[str, Sequence[Any]], *, path: Path, lines: Sequence[int]
) -> list[LabelSet]:
    """Return the label sets of fields that say yes or no, one for each label.

    A value is 0 or 1, or false or true, as a number or text; any other is an `InputError`.
    """
    sets: list[list[str]] = [[] for _ in lines]
    for name, values in columns.items():
        for labels, value, line in zip(sets, values, lines, strict=True):
            value = value.strip() if isinstance(value, str) else value
            if value in _TRUE:
                labels.append(name)
            elif value not in _FALSE:
                shown = "missing" if value in (None, MISSING, "") else shown_value(value)
                raise InputError(
                    f"'{name}' is {shown}; with one column a label, each is 0 or 1",
                    path=path,
                    line=line,
                )
    return [tuple(labels) for labels in sets]


def _is_plain(label: str) -> bool:
    """Whether a label reads as itself in a column of a table, alone or among others."""
    marks = (*SEPARATORS, *'\t\n\r"')
    return (
        label.strip() == label != ""
        and not _is_list(label)
        and not any(mark in label for mark in marks)
    )


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
            f"the labels in '{name}' are {shown_value(value)}; write a list, or text such as a|b",
            path=path,
            line=line,
        )
    text = str(value)
    if not _is_list(text):
        return text
    try:
        return list(json.loads(text))
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"the labels in '{name}' are {shown_value(text)}, a list that is not JSON; write "
            '["a", "b"], or a|b',
            path=path,
            line=line,
        ) from error


def _is_list(text: str) -> bool:
    return text.strip().startswith("[") and text.strip().endswith("]")


def _split(text: str, separator: str | None) -> list[str]:
    parts = text.split(separator) if separator else [text]
    return [part.strip() for part in parts] if text.strip() else []


def _checked(labels: list[Any], name: str, path: Path, line: int) -> LabelSet:
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, str | int):
            raise InputError(
                f"a label in '{name}' is {shown_value(label)}; labels are text or whole numbers",
                path=path,
                line=line,
            )
    texts = [str(label) for label in labels]
    if not all(text.strip() for text in texts):
        raise InputError(
            f"a label in '{name}' is empty, in {shown_value(labels)}; mend the separators or "
            "quotes",
            path=path,
            line=line,
        )
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise InputError(
            f"'{name}' names the label '{twice}' twice; leave one out", path=path, line=line
        )
    return tuple(texts)
