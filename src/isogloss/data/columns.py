"""A column of values given in Python (list, array, series, iterator), for `TextClassifier`.

What is not a column (a string, a table, a set) is refused.
"""

from collections.abc import Mapping, Set
from typing import Any

from isogloss.errors import InputKindError


def check_column(values: Any, name: str, *, of: str) -> None:
    """Refuse what is no column; `name` is the argument (``"X"``), `of` what it holds (``"texts"``).

    Raises
    ------
    InputKindError
        For one string, bytes, a table or dictionary, a set, or what cannot be iterated.
    """
    if isinstance(values, str | bytes):
        kind = "string" if isinstance(values, str) else "value of bytes"
        raise InputKindError(f"{name} is one {kind}; give a list of {of}")
    n_axes = getattr(values, "ndim", 1)
    if isinstance(values, Mapping) or n_axes != 1 or hasattr(values, "column_names"):
        kind = "one value" if n_axes == 0 else "a table"
        raise InputKindError(f"{name} is {kind}; give one column of {of}, such as table['NAME']")
    if isinstance(values, Set):
        raise InputKindError(f"{name} is a set, which has no order; give a list of {of}")
    if not hasattr(values, "__iter__") and not hasattr(values, "__getitem__"):
        raise InputKindError(f"{name} is {values!r:.40}; give a list of {of}")


def column_of(values: Any, name: str, *, of: str) -> list[Any]:
    """Return a column as a list of plain Python values; see `check_column`.

    Examples
    --------
    >>> import numpy as np
    >>> column_of(np.array([1, 2]), "y", of="labels"), column_of(iter("ab"), "y", of="labels")
    ([1, 2], ['a', 'b'])
    """
    check_column(values, name, of=of)
    if hasattr(values, "to_pylist"):  # of pyarrow, whose elements are no Python values
        return list(values.to_pylist())
    return [_plain(value) for value in values]


def _plain(value: Any) -> Any:
    """Return a number or string of numpy or torch as Python's own; tensors have no equality."""
    return value.item() if getattr(value, "ndim", None) == 0 and hasattr(value, "item") else value


def is_missing(value: Any) -> bool:
    """Whether a value marks that there is none: None, NaN, or NaT and NA of pandas."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(value, float) and value != value


def is_hashable(value: Any) -> bool:
    """Whether a value can be told from others as a label can: no list, set or array."""
    try:
        hash(value)
    except TypeError:
        return False
    return True


def texts_of(values: Any, name: str) -> list[str]:
    """Return a column of texts as a list; raises as `check_column`, and for what is no string."""
    texts = column_of(values, name, of="texts")
    for row, text in enumerate(texts):
        if not isinstance(text, str):
            raise InputKindError(
                f"text {row} is {type(text).__name__} ({text!r:.40}), not a string"
            )
    return texts
